package io.headgate.schemas.trust;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.InForce;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * How far a new version goes, as far as it matters who may publish it. It is compared with each of the versions in force.
 *
 * @param plans whose limits it changes
 * @param beyond what it changes that is of no plan in particular: a rule's id, or a word
 * @param guarded the rules it adds, changes or drops that two have to sign for
 */
record Reach(NavigableSet<String> plans, NavigableSet<String> beyond, NavigableSet<String> guarded) {

    static Reach of(Optional<InForce> before, Policy next) {
        Reach reach = new Reach(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
        if (before.isEmpty()) {
            reach.beyond.add("everything, as the first version");
            next.rules().stream().filter(Rule::secondSignature).forEach(rule -> reach.guarded.add(rule.id()));
        } else {
            reach.compare(before.get().base(), next);
            before.get().rolledOut().ifPresent(rolledOut -> reach.compare(rolledOut, next));
        }
        return reach;
    }

    private void compare(Policy before, Policy next) {
        boolean sameRoutes = before.routes().routes().equals(next.routes().routes());
        if (!sameRoutes) {
            beyond.add("routes");
        }
        if (!before.idempotency().equals(next.idempotency())) {
            beyond.add("idempotency");
        }
        if (before.bucketsPerRuleAndShard() != next.bucketsPerRuleAndShard()) {
            beyond.add("cardinality");
        }
        NavigableSet<String> ids = new TreeSet<>();
        Stream.concat(before.rules().stream(), next.rules().stream())
                .map(Rule::id)
                .forEach(ids::add);
        NavigableSet<String> allPlans = new TreeSet<>(before.plans());
        allPlans.addAll(next.plans());
        allPlans.add(TenantPlan.DEFAULT);
        for (String id : ids) {
            compare(before.rule(id), next.rule(id), allPlans, sameRoutes);
        }
    }

    private void compare(
            Optional<Rule> before, Optional<Rule> next, NavigableSet<String> allPlans, boolean sameRoutes) {
        Rule some = next.or(() -> before).orElseThrow();
        boolean twoSign = Stream.of(before, next).flatMap(Optional::stream).anyMatch(Rule::secondSignature);
        boolean moved =
                !sameRoutes && Stream.of(before, next).flatMap(Optional::stream).anyMatch(Reach::isByRoute);
        if (twoSign && (moved || !before.equals(next))) {
            guarded.add(some.id());
        }
        if (before.isEmpty() || next.isEmpty() || !differOnlyInLimits(before.get(), next.get())) {
            beyond.add("rule " + some.id());
            return;
        }
        for (String plan : allPlans) {
            if (!limit(before.get(), plan).equals(limit(next.get(), plan))) {
                plans.add(plan);
            }
        }
    }

    /** Whether which requests it speaks of, or which counter of it they have, is for the routes to say. */
    private static boolean isByRoute(Rule rule) {
        return !rule.match().routes().isEmpty()
                || rule.scope() == Scope.ROUTE
                || rule.composite().contains(new Part.Of(Scope.ROUTE));
    }

    private static boolean differOnlyInLimits(Rule before, Rule next) {
        boolean ofPlans = before.stage() == Stage.TENANT || before.limit().equals(next.limit());
        return ofPlans
                && before.stage() == next.stage()
                && before.scope() == next.scope()
                && before.composite().equals(next.composite())
                && before.match().equals(next.match())
                && before.meter().equals(next.meter())
                && before.cost().equals(next.cost())
                && before.enforcement().equals(next.enforcement())
                && before.resetBudgets() == next.resetBudgets()
                && before.failMode().equals(next.failMode())
                && before.secondSignature() == next.secondSignature();
    }

    private static Limit limit(Rule rule, String plan) {
        return rule.byPlan().getOrDefault(plan, rule.limit());
    }
}
