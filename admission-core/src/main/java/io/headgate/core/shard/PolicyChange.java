package io.headgate.core.shard;

import io.headgate.core.policy.InForce;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout.Tenants;
import io.headgate.core.policy.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

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

    /**
     * By rule id, for every rule of a version in force.
     *
     * @param known finds a group of tenants that eras have already, so that all share one
     */
    Map<String, Begun> begun(UnaryOperator<Tenants> known) {
        Optional<Audience> some = rollout(Optional.of(after)).map(known).map(group -> Audience.of(group, false));
        Optional<Audience> returning = returning(some, known);
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
            begun.put(id, new Begun(shadow, erasOf(forAll, forSome, some, returning)));
        }
        return begun;
    }

    private List<Era> erasOf(
            Optional<Rule> forAll, Optional<Rule> forSome, Optional<Audience> some, Optional<Audience> returning) {
        if (some.isEmpty()) {
            // By routes: a rule of both versions is the same in both, or is asked under the one rolled out only.
            return List.of((after.rolledOut().isEmpty() ? forAll : forSome)
                    .map(rule -> wished(rule, Audience.EVERYBODY))
                    .orElseGet(() -> backTo(forAll.orElseThrow(), Audience.EVERYBODY)));
        }
        List<Era> eras = new ArrayList<>();
        if (forAll.isPresent() && returning.isPresent()) {
            eras.add(backTo(forAll.get(), returning.get()));
        }
        forSome.ifPresent(
                rule -> eras.add(wished(rule, forAll.isEmpty() ? some.get().withOverflow() : some.get())));
        return eras;
    }

    /** Who comes back to the version for everybody. */
    private Optional<Audience> returning(Optional<Audience> some, UnaryOperator<Tenants> known) {
        if (some.isEmpty() || before.flatMap(InForce::rolledOut).isEmpty()) {
            return Optional.empty();
        }
        Audience earlier = rollout(before)
                .map(known)
                .map(group -> Audience.of(group, false))
                .orElse(Audience.EVERYBODY);
        return some.get().within().map(earlier::except);
    }

    /** The tenants that a version is rolled out to, if one is and by tenants. */
    private static Optional<Tenants> rollout(Optional<InForce> versions) {
        return versions.flatMap(InForce::rolledOut)
                .map(version -> version.activation().rollout())
                .filter(Tenants.class::isInstance)
                .map(Tenants.class::cast);
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
