package io.headgate.core.shard;

import io.headgate.core.policy.InForce;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A version taking effect: which eras begin with it, for whom. Those that it is for come under it; those who were under a
 * version rolled out before and are not under this one come back to the version for everybody. What a rule of that wished
 * when it was published is not wished again then.
 *
 * @param before what was in force; empty before the first version
 * @param after what is in force now
 * @param offset of the record with which it takes effect
 * @param nowMillis log time of that record
 */
record PolicyChange(Optional<InForce> before, InForce after, long offset, long nowMillis) {

    /** What begins for one rule, in no order that matters: the audiences have nobody in common. */
    record Begun(boolean shadow, List<Era> eras) {}

    /** By rule id, for every rule of a version in force. */
    Map<String, Begun> begun() {
        Map<String, Rule> base = byId(after.base());
        Map<String, Rule> rolledOut = after.rolledOut().map(PolicyChange::byId).orElse(Map.of());
        SortedSet<String> ids = new TreeSet<>(base.keySet());
        ids.addAll(rolledOut.keySet());
        Map<String, Begun> begun = new TreeMap<>();
        for (String id : ids) {
            Optional<Rule> forAll = Optional.ofNullable(base.get(id));
            Optional<Rule> forSome = Optional.ofNullable(rolledOut.get(id));
            boolean shadow = forAll.map(Rule::shadow).orElse(true)
                    && forSome.map(Rule::shadow).orElse(true);
            begun.put(id, new Begun(shadow, erasOf(forAll, forSome)));
        }
        return begun;
    }

    private List<Era> erasOf(Optional<Rule> forAll, Optional<Rule> forSome) {
        if (after.rolledOut().isEmpty()) {
            return List.of(wished(forAll.orElseThrow(), Audience.EVERYBODY));
        }
        if (!(after.newest().activation().rollout() instanceof Rollout.Tenants some)) {
            // By routes: a rule of both versions is the same in both, or is asked under the one rolled out only.
            return List.of(forSome.map(rule -> wished(rule, Audience.EVERYBODY))
                    .orElseGet(() -> backTo(forAll.orElseThrow(), Audience.EVERYBODY)));
        }
        List<Era> eras = new ArrayList<>();
        forAll.flatMap(rule -> returning(some).map(audience -> backTo(rule, audience)))
                .ifPresent(eras::add);
        forSome.ifPresent(rule -> eras.add(wished(rule, Audience.of(some, forAll.isEmpty()))));
        return eras;
    }

    /** Who comes back to the version for everybody. */
    private Optional<Audience> returning(Rollout.Tenants some) {
        return before.flatMap(InForce::rolledOut)
                .map(version -> version.activation().rollout() instanceof Rollout.Tenants earlier
                        ? Audience.of(earlier, false)
                        : Audience.EVERYBODY)
                .map(audience -> audience.except(some));
    }

    private Era wished(Rule rule, Audience audience) {
        return Era.of(rule, audience, rule.resetBudgets(), offset, nowMillis);
    }

    private Era backTo(Rule rule, Audience audience) {
        return Era.of(rule, audience, false, offset, nowMillis);
    }

    private static Map<String, Rule> byId(Policy policy) {
        Map<String, Rule> rules = new TreeMap<>();
        policy.rules().forEach(rule -> rules.put(rule.id(), rule));
        return rules;
    }
}
