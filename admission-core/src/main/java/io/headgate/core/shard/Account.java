package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a shard knows of one partition key besides its counters, between two records.
 *
 * @param partitionKey whose account it is
 * @param tenantPlan the plan as its operator gave it; empty for a tenant that has none, and for every other stage
 * @param plan the plan that decides: the default where there is none
 * @param unlimited whether no rule limits it
 * @param zone the time zone of its calendar windows; empty for UTC
 * @param overrides limits of its own by rule id, those of actions in force among them
 * @param actions overrides and bans in force, in the order in which they came
 */
public record Account(
        String partitionKey,
        Optional<TenantPlan> tenantPlan,
        String plan,
        boolean unlimited,
        Optional<String> zone,
        SortedMap<String, Limit> overrides,
        List<Action> actions) {

    public Account {
        overrides = Collections.unmodifiableSortedMap(new TreeMap<>(overrides));
        actions = List.copyOf(actions);
    }

    /** Whether anything is known of it; of everybody else the defaults hold. */
    public boolean known() {
        return tenantPlan.isPresent() || !actions.isEmpty();
    }
}
