package io.headgate.core.policy;

import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Pace;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What must hold between the fields of a policy: names exist, costs can be paid, and fallbacks stay within the limits. */
final class Coherence {

    private final Policy policy;
    private final Set<String> groups;
    private final List<Problem> problems = new ArrayList<>();

    private Coherence(Policy policy) {
        this.policy = policy;
        this.groups = policy.routes().groups();
    }

    /** Every mistake, by its place in the document. */
    static List<Problem> problemsOf(Policy policy) {
        Coherence coherence = new Coherence(policy);
        coherence.checkBounds();
        coherence.checkNames();
        Set<String> ids = new TreeSet<>();
        for (int i = 0; i < policy.rules().size(); i++) {
            coherence.checkRule(policy.rules().get(i), "spec.rules[" + i + "]", ids);
        }
        return coherence.problems;
    }

    private void checkBounds() {
        if (policy.version() < 1) {
            add("metadata.version", "is " + policy.version() + "; it must be 1 or more");
        }
        long buckets = policy.bucketsPerRuleAndShard();
        if (buckets < 1 || buckets > Policy.MAX_BUCKETS_PER_RULE) {
            add(
                    "spec.cardinality.bucketsPerRuleAndShard",
                    "is " + buckets + "; it must be 1 to " + Policy.MAX_BUCKETS_PER_RULE);
        }
        int rules = policy.rules().size();
        if (rules > Policy.MAX_RULES) {
            add("spec.rules", "has " + rules + " rules; at most " + Policy.MAX_RULES + " are allowed");
        }
        int plans = policy.plans().size();
        if (plans > Policy.MAX_PLANS) {
            add("spec.plans", "has " + plans + " plans; at most " + Policy.MAX_PLANS + " are allowed");
        }
    }

    private void checkNames() {
        Set<String> endpoints = new TreeSet<>(policy.routes().costs().keySet());
        endpoints.addAll(policy.conduct().failModes().keySet());
        endpoints.addAll(policy.conduct().exempt().keySet());
        for (String group : endpoints) {
            if (!groups.contains(group)) {
                add("spec.endpoints." + group, "names no route group; there are " + groups);
            }
        }
        if (policy.activation().rollout() instanceof Rollout.Routes some) {
            checkGroups("spec.rollout.routes", some.groups());
        }
    }

    private void checkGroups(String place, Set<String> named) {
        for (String group : named) {
            if (!groups.contains(group)) {
                add(place, "has '" + group + "', which is no route group; there are " + groups);
            }
        }
    }

    private void checkRule(Rule rule, String place, Set<String> ids) {
        if (!ids.add(rule.id())) {
            add(place + ".id", "is '" + rule.id() + "', as an earlier rule's; ids must differ");
        }
        checkGroups(place + ".match.routes", rule.match().routes());
        for (String plan : rule.byPlan().keySet()) {
            if (!policy.plans().contains(plan)) {
                add(place + ".limit", "is by plan '" + plan + "', which is no plan; there are " + policy.plans());
            }
        }
        limitsByWhere(rule).forEach((where, limit) -> checkCost(rule, limit, where, place));
        if (rule.reason().isBlank() && rule.limits().stream().anyMatch(Coherence::neverRefills)) {
            add(
                    place + ".limit.refill.tokens",
                    "is 0, so nothing is ever earned back; say why in the rule's 'reason', or refill");
        }
        if (rule.failMode() instanceof FailMode.LocalBounded bounded) {
            checkFallback(rule, bounded, place + ".failMode.perGateway");
        }
    }

    /** A cost above the capacity would be denied for ever; a limit of 0 denies for ever on purpose. */
    private void checkCost(Rule rule, Limit limit, String where, String place) {
        if (limit.tokens() == 0) {
            return;
        }
        if (rule.cost() instanceof Cost.Fixed cost && cost.tokens() > limit.tokens()) {
            add(
                    place + ".cost",
                    "is " + cost.tokens() + ", above the rule's limit of " + limit.tokens() + where
                            + ": nobody could ever pay it");
        }
        if (rule.cost() instanceof Cost.FromRoute) {
            policy.routes().costs().forEach((group, cost) -> {
                boolean matched =
                        rule.match().routes().isEmpty() || rule.match().routes().contains(group);
                if (matched && cost > limit.tokens()) {
                    add(
                            "spec.endpoints." + group + ".cost",
                            "is " + cost + ", above the limit of " + limit.tokens() + where + " of rule " + rule.id()
                                    + ": nobody could ever pay it");
                }
            });
        }
    }

    /**
     * What all gateways together admit when nobody decides must be within the rule: at once no more than its capacity, in
     * the long run no faster. Of several plans the one with the smallest limit counts, since a gateway may not know whose
     * request it has.
     */
    private void checkFallback(Rule rule, FailMode.LocalBounded bounded, String place) {
        int gateways = bounded.expectedGateways();
        long each = bounded.perGateway().tokens();
        Map<String, Limit> limits = limitsByWhere(rule);
        Map.Entry<String, Limit> smallest = limits.entrySet().stream()
                .min((a, b) -> Long.compare(a.getValue().tokens(), b.getValue().tokens()))
                .orElseThrow();
        long limit = smallest.getValue().tokens();
        Pace own = Pace.of(bounded.perGateway()).orElseThrow();
        boolean reported = each * gateways > limit;
        if (reported) {
            add(
                    place,
                    "lets each of " + gateways + " gateways admit " + each + ", together " + each * gateways
                            + ", above the rule's limit of " + limit + smallest.getKey() + "; each may have at most "
                            + limit / gateways);
        }
        String slowestWhere = "";
        Optional<Pace> slowest = Optional.empty();
        for (Map.Entry<String, Limit> one : limits.entrySet()) {
            Optional<Pace> pace = Pace.of(one.getValue());
            if (pace.isPresent() && (slowest.isEmpty() || slowest.get().isAbove(pace.get()))) {
                slowest = pace;
                slowestWhere = one.getKey();
            }
        }
        boolean sameWindow =
                slowest.isPresent() && Pace.window(bounded.perGateway()).equals(Pace.window(smallest.getValue()));
        if (slowest.isPresent() && own.times(gateways).isAbove(slowest.get()) && !(reported && sameWindow)) {
            add(
                    place,
                    "lets each of " + gateways + " gateways admit " + own.tokens() + " every " + own.periodMillis()
                            + " ms, together faster than the rule's "
                            + slowest.get().tokens() + " every " + slowest.get().periodMillis() + " ms" + slowestWhere
                            + "; lower it, or lengthen its period");
        }
    }

    /** The limits of a rule by a word on whose they are: none for the default's, which come first. */
    private static Map<String, Limit> limitsByWhere(Rule rule) {
        Map<String, Limit> limits = new TreeMap<>();
        limits.put("", rule.limit());
        rule.byPlan().forEach((plan, limit) -> limits.put(" in plan " + plan, limit));
        return limits;
    }

    private static boolean neverRefills(Limit limit) {
        return limit instanceof TokenBucketLimit bucket && bucket.refillTokens() == 0 && bucket.capacityTokens() > 0;
    }

    private void add(String place, String what) {
        problems.add(new Problem(place, what));
    }
}
