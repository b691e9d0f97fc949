package io.headgate.tools.policy;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A rule that decides otherwise under the next version.
 *
 * @param id its id
 * @param before as it is; empty if it is new
 * @param after as it will be; empty if it is gone
 * @param plans of tenants for whom it changes
 * @param limitOnly whether it differs in nothing but how much may be spent, so that an override of it changes nothing
 */
record TouchedRule(String id, Optional<Rule> before, Optional<Rule> after, SortedSet<String> plans, boolean limitOnly) {

    /** What a rule's change touches; empty if it decides as before. */
    static Optional<TouchedRule> of(String id, Optional<Policy> before, Policy after) {
        Optional<Rule> old = before.flatMap(policy -> policy.rule(id));
        Optional<Rule> now = after.rule(id);
        SortedSet<String> all = new TreeSet<>(after.plans());
        before.ifPresent(policy -> all.addAll(policy.plans()));
        all.add(TenantPlan.DEFAULT);
        boolean limitOnly = old.isPresent() && now.isPresent() && alikeButLimits(old.get(), now.get());
        if (!limitOnly) {
            return Optional.of(new TouchedRule(id, old, now, all, false));
        }
        SortedSet<String> plans = new TreeSet<>(all);
        plans.removeIf(plan -> limitOf(old.get(), plan).equals(limitOf(now.get(), plan)));
        return plans.isEmpty() ? Optional.empty() : Optional.of(new TouchedRule(id, old, now, plans, true));
    }

    private static boolean alikeButLimits(Rule old, Rule now) {
        return old.changeOfCounter(now).isEmpty()
                && old.match().equals(now.match())
                && old.cost().equals(now.cost())
                && old.enforcement().equals(now.enforcement())
                && old.failMode().equals(now.failMode())
                && !now.resetBudgets();
    }

    private static Limit limitOf(Rule rule, String plan) {
        return rule.byPlan().getOrDefault(plan, rule.limit());
    }

    /** Whether what was spent under it is forgotten when the next version takes effect. */
    boolean beginsAfresh() {
        return before.isPresent()
                && after.isPresent()
                && (after.get().resetBudgets()
                        || before.get().changeOfCounter(after.get()).isPresent());
    }

    /** The route groups of the requests that it speaks of; empty: all. */
    Set<String> groups() {
        Set<String> groups = new TreeSet<>();
        for (Optional<Rule> rule : List.of(before, after)) {
            if (rule.isPresent() && rule.get().match().routes().isEmpty()) {
                return Set.of();
            }
            rule.ifPresent(present -> groups.addAll(present.match().routes()));
        }
        return groups;
    }

    /** Whether it changes anything for a tenant. */
    boolean touches(TenantPlan tenant) {
        boolean ofTenants = before.or(() -> after).orElseThrow().stage() == Stage.TENANT
                || after.or(() -> before).orElseThrow().stage() == Stage.TENANT;
        return ofTenants && !tenant.unlimited() && plans.contains(tenant.plan()) && !isOverridden(tenant);
    }

    private boolean isOverridden(TenantPlan tenant) {
        Limit own = tenant.overrides().get(id);
        return limitOnly
                && own != null
                && (own instanceof Unlimited
                        || own.algorithm().equals(after.orElseThrow().limit().algorithm()));
    }
}
