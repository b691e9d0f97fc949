package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import java.util.Optional;
import java.util.SortedSet;

/**
 * The versions in force, and whom each is for, as the documents say it.
 *
 * @param everybodys the newest version for everybody
 * @param someones the version that is for some; null if there is none
 */
record NaiveVersions(Policy everybodys, Policy someones) {

    /** What is in force once {@code next} is, or empty if it cannot be. */
    static Optional<NaiveVersions> after(Optional<NaiveVersions> before, Policy next) {
        if (next.activation().rollout() instanceof Rollout.Everybody) {
            return Optional.of(new NaiveVersions(next, null));
        }
        if (next.activation().rollout() instanceof Rollout.Routes some) {
            return before.filter(
                            present -> next.rules().stream().noneMatch(rule -> present.isTorn(rule, some.groups())))
                    .map(present -> new NaiveVersions(present.everybodys(), next));
        }
        return before.map(present -> new NaiveVersions(present.everybodys(), next));
    }

    /** Whether a rule would keep counters under two limits at once if only requests to these groups came under it. */
    private boolean isTorn(Rule rule, SortedSet<String> groups) {
        for (Rule other : everybodys.rules()) {
            if (other.id().equals(rule.id())) {
                boolean same = other.stage() == rule.stage()
                        && other.scope() == rule.scope()
                        && other.composite().equals(rule.composite())
                        && other.meter().equals(rule.meter())
                        && other.limit().equals(rule.limit())
                        && other.byPlan().equals(rule.byPlan())
                        && !rule.resetBudgets();
                return !same && !(onlyOf(other.match(), groups) && onlyOf(rule.match(), groups));
            }
        }
        return false;
    }

    private static boolean onlyOf(Match match, SortedSet<String> groups) {
        return !match.routes().isEmpty() && groups.containsAll(match.routes());
    }

    /** The version that decides a request. */
    Policy of(Admission admission) {
        if (someones == null) {
            return everybodys;
        }
        if (someones.activation().rollout() instanceof Rollout.Routes some) {
            Optional<String> group = someones.routes().groupOf(admission.route());
            return group.isPresent() && some.groups().contains(group.get()) ? someones : everybodys;
        }
        return admission.stage() == Stage.TENANT && isIn(admission.identity().tenant()) ? someones : everybodys;
    }

    /** The version that a rule's counters of a partition key are under. */
    Policy ofKey(String partitionKey, String ruleId) {
        if (someones == null) {
            return everybodys;
        }
        if (someones.activation().rollout() instanceof Rollout.Routes) {
            boolean known = someones.rules().stream().anyMatch(rule -> rule.id().equals(ruleId));
            return known ? someones : everybodys;
        }
        boolean tenant = !partitionKey.startsWith("ip:") && !partitionKey.startsWith("target:");
        return tenant && isIn(partitionKey) ? someones : everybodys;
    }

    private boolean isIn(String tenant) {
        Rollout.Tenants some = (Rollout.Tenants) someones.activation().rollout();
        return some.tenants().contains(tenant) || Rollout.placeOf(tenant) < some.hundredths();
    }
}
