package io.headgate.core.policy;

import io.headgate.core.policy.InvalidPolicyException.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The versions that requests are decided under at one moment: one for everybody, and while another is rolled out in
 * stages, that one for those it is for. The next version replaces the one that is rolled out, or, if it is for everybody,
 * both.
 *
 * @param base the newest version that was for everybody
 * @param rolledOut a newer version that is for some
 */
public record InForce(Policy base, Optional<Policy> rolledOut) {

    public InForce {
        Objects.requireNonNull(base);
        Objects.requireNonNull(rolledOut);
    }

    /** The first version that there is; it has to be for everybody. */
    public static InForce only(Policy first) {
        return new InForce(first, Optional.empty());
    }

    /** The newest of them. */
    public Policy newest() {
        return rolledOut.orElse(base);
    }

    /** The version that decides a request of a tenant (empty before authentication) to {@code METHOD /path}. */
    public Policy of(String tenant, String route) {
        if (rolledOut.isEmpty()) {
            return base;
        }
        Policy candidate = rolledOut.get();
        return candidate
                        .activation()
                        .rollout()
                        .includes(tenant, candidate.routes().groupOf(route))
                ? candidate
                : base;
    }

    /**
     * The version under which a tenant's counters of a rule are. While a version is rolled out by routes that is the
     * version rolled out if it has the rule: one that differs from the version for everybody is asked by requests to
     * those routes only.
     *
     * @param tenant empty for counters that are not a tenant's
     */
    public Policy counting(String tenant, String ruleId) {
        if (rolledOut.isEmpty()) {
            return base;
        }
        Policy candidate = rolledOut.get();
        Rollout rollout = candidate.activation().rollout();
        boolean apart = rollout instanceof Rollout.Routes
                ? candidate.rule(ruleId).isPresent()
                : rollout.includes(tenant, Optional.empty());
        return apart ? candidate : base;
    }

    /** What is in force once {@code next} is. */
    public InForce followedBy(Policy next) {
        return next.activation().isWhole() ? only(next) : new InForce(base, Optional.of(next));
    }

    /**
     * What forbids {@code first} as the first version of all.
     */
    public static List<Problem> problemsOfFirst(Policy first) {
        return first.activation().isWhole()
                ? List.of()
                : List.of(new Problem(
                        "spec.rollout",
                        "is there; the first version has none before it that the others could stay on"));
    }

    /**
     * What forbids {@code next} as the version after these: a number that is not the next one, a rule that counts by
     * something else than before and does not say that its budgets begin afresh, and, while only some routes are under
     * it, a rule whose counters would be under two limits at once.
     *
     * @return every mistake, with its place in the document of {@code next}
     */
    public List<Problem> problemsOf(Policy next) {
        List<Problem> problems = new ArrayList<>();
        long expected = newest().version() + 1;
        if (next.version() != expected) {
            problems.add(new Problem(
                    "metadata.version",
                    "is " + next.version() + "; it must be " + expected + ", the newest version " + newest().version()
                            + " plus one"));
        }
        for (int i = 0; i < next.rules().size(); i++) {
            Rule rule = next.rules().get(i);
            String place = "spec.rules[" + i + "]";
            if (!rule.resetBudgets()) {
                changeOfCounter(rule)
                        .ifPresent(
                                what -> problems.add(
                                        new Problem(
                                                place + ".resetBudgets",
                                                "is not true, and rule " + rule.id() + " changes its " + what
                                                        + ": what was spent cannot be carried over, so the rule has to say that it begins afresh")));
            }
        }
        problems.addAll(problemsOfRollout(next));
        return problems;
    }

    /** What would put a counter under two limits at once if {@code next}, while only some routes are under it, came next. */
    public List<Problem> problemsOfRollout(Policy next) {
        List<Problem> problems = new ArrayList<>();
        if (next.activation().rollout() instanceof Rollout.Routes some) {
            checkCounters(next, some, problems);
        }
        return problems;
    }

    /** What a rule counts by otherwise than under one of the versions in force; empty if its counters go on. */
    private Optional<String> changeOfCounter(Rule rule) {
        return Optional.of(newest())
                .flatMap(version -> changeOfCounter(version, rule))
                .or(() -> changeOfCounter(base, rule));
    }

    private static Optional<String> changeOfCounter(Policy version, Rule rule) {
        return version.rule(rule.id()).flatMap(before -> before.changeOfCounter(rule));
    }

    private void checkCounters(Policy next, Rollout.Routes some, List<Problem> problems) {
        if (!base.routes().routes().equals(next.routes().routes())) {
            problems.add(new Problem(
                    "spec.routes",
                    "differs from that of version " + base.version()
                            + "; a rollout by routes needs both to find the same group for a request"));
        }
        for (int i = 0; i < next.rules().size(); i++) {
            Rule rule = next.rules().get(i);
            Optional<Rule> before = base.rule(rule.id());
            boolean apart = before.isPresent()
                    && rule.match().isWithin(some.groups())
                    && before.get().match().isWithin(some.groups());
            if (before.isPresent() && !apart && !rule.countsLike(before.get())) {
                problems.add(new Problem(
                        "spec.rules[" + i + "]",
                        "changes the limit of rule " + rule.id() + ", which also speaks of routes that stay on version "
                                + base.version() + "; a counter can be under one limit only"));
            }
        }
    }
}
