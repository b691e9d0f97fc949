package io.headgate.core.policy;

import io.headgate.core.limit.Limit;
import io.headgate.core.limit.TokenBucketLimit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * One version of all the rules. Cannot be made with a mistake in it: every check that needs more than one field is here,
 * so the tool that publishes a policy and the shard that applies it check the same.
 */
public final class Policy {

    /** The most rules that a policy may have. */
    public static final int MAX_RULES = 1_000;

    /** The most plans that a policy may have. */
    public static final int MAX_PLANS = 200;

    /** The range of {@code cardinality.bucketsPerRuleAndShard}. */
    public static final long MAX_BUCKETS_PER_RULE = 100_000_000;

    private final String name;
    private final long version;
    private final RouteTable routes;
    private final List<Rule> rules;
    private final Map<Stage, List<Rule>> byStage = new EnumMap<>(Stage.class);
    private final SortedSet<String> plans;
    private final Idempotency idempotency;
    private final long bucketsPerRuleAndShard;
    private final Activation activation;

    /**
     * Makes a policy, or says everything that is wrong with it.
     *
     * @param name names the policy in listings
     * @param version 1 or more; versions only go up
     * @param routes the route groups
     * @param rules in the order of the document, at most {@value #MAX_RULES}
     * @param plans the names of the plans that limits may be by, besides the default; at most {@value #MAX_PLANS}
     * @param idempotency the bounds of callers' keys
     * @param bucketsPerRuleAndShard how many keys a rule may remember in one shard, 1 to 10^8
     * @param activation when it takes effect, and for whom
     * @throws InvalidPolicyException naming every mistake
     */
    public Policy(
            String name,
            long version,
            RouteTable routes,
            List<Rule> rules,
            Set<String> plans,
            Idempotency idempotency,
            long bucketsPerRuleAndShard,
            Activation activation) {
        this.name = name;
        this.version = version;
        this.routes = routes;
        this.rules = List.copyOf(rules);
        this.plans = Collections.unmodifiableSortedSet(new TreeSet<>(plans));
        this.idempotency = idempotency;
        this.bucketsPerRuleAndShard = bucketsPerRuleAndShard;
        this.activation = activation;
        List<InvalidPolicyException.Problem> problems = problems();
        if (!problems.isEmpty()) {
            throw new InvalidPolicyException(problems);
        }
        for (Stage stage : Stage.values()) {
            byStage.put(
                    stage,
                    rules.stream()
                            .filter(rule -> rule.stage() == stage)
                            .sorted(Comparator.comparing(Rule::scope))
                            .toList());
        }
    }

    /** A policy that takes effect at once, for everybody. */
    public Policy(
            String name,
            long version,
            RouteTable routes,
            List<Rule> rules,
            Set<String> plans,
            Idempotency idempotency,
            long bucketsPerRuleAndShard) {
        this(name, version, routes, rules, plans, idempotency, bucketsPerRuleAndShard, Activation.AT_ONCE);
    }

    /** A policy without plans, with the default bounds of callers' keys. */
    public Policy(String name, long version, RouteTable routes, List<Rule> rules, long bucketsPerRuleAndShard) {
        this(name, version, routes, rules, Set.of(), Idempotency.DEFAULT, bucketsPerRuleAndShard);
    }

    public String name() {
        return name;
    }

    public long version() {
        return version;
    }

    public RouteTable routes() {
        return routes;
    }

    /** All rules, in the order of the document. */
    public List<Rule> rules() {
        return rules;
    }

    public Optional<Rule> rule(String id) {
        return rules.stream().filter(rule -> rule.id().equals(id)).findFirst();
    }

    /** A stage's rules in order of precedence: by scope, then as in the document. */
    public List<Rule> rules(Stage stage) {
        return byStage.get(stage);
    }

    /** The names of the plans, besides the default. */
    public SortedSet<String> plans() {
        return plans;
    }

    public Idempotency idempotency() {
        return idempotency;
    }

    public long bucketsPerRuleAndShard() {
        return bucketsPerRuleAndShard;
    }

    /** When it takes effect, and for whom. */
    public Activation activation() {
        return activation;
    }

    private List<InvalidPolicyException.Problem> problems() {
        List<InvalidPolicyException.Problem> problems = new ArrayList<>();
        if (version < 1) {
            problems.add(problem("metadata.version", "is " + version + "; it must be 1 or more"));
        }
        if (bucketsPerRuleAndShard < 1 || bucketsPerRuleAndShard > MAX_BUCKETS_PER_RULE) {
            problems.add(problem(
                    "spec.cardinality.bucketsPerRuleAndShard",
                    "is " + bucketsPerRuleAndShard + "; it must be 1 to " + MAX_BUCKETS_PER_RULE));
        }
        if (rules.size() > MAX_RULES) {
            problems.add(
                    problem("spec.rules", "has " + rules.size() + " rules; at most " + MAX_RULES + " are allowed"));
        }
        if (plans.size() > MAX_PLANS) {
            problems.add(
                    problem("spec.plans", "has " + plans.size() + " plans; at most " + MAX_PLANS + " are allowed"));
        }
        Set<String> groups = routes.groups();
        for (String group : routes.costs().keySet()) {
            if (!groups.contains(group)) {
                problems.add(problem("spec.endpoints." + group, "names no route group; there are " + groups));
            }
        }
        if (activation.rollout() instanceof Rollout.Routes some) {
            for (String group : some.groups()) {
                if (!groups.contains(group)) {
                    problems.add(problem(
                            "spec.rollout.routes",
                            "has '" + group + "', which is no route group; there are " + groups));
                }
            }
        }
        Set<String> ids = new TreeSet<>();
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            String place = "spec.rules[" + i + "]";
            if (!ids.add(rule.id())) {
                problems.add(problem(place + ".id", "is '" + rule.id() + "', as an earlier rule's; ids must differ"));
            }
            for (String group : rule.match().routes()) {
                if (!groups.contains(group)) {
                    problems.add(problem(
                            place + ".match.routes",
                            "has '" + group + "', which is no route group; there are " + groups));
                }
            }
            rule.byPlan().keySet().stream()
                    .filter(plan -> !plans.contains(plan))
                    .forEach(plan -> problems.add(problem(
                            place + ".limit", "is by plan '" + plan + "', which is no plan; there are " + plans)));
            checkCost(rule, place, problems);
            if (rule.reason().isBlank() && rule.limits().stream().anyMatch(Policy::neverRefills)) {
                problems.add(problem(
                        place + ".limit.refill.tokens",
                        "is 0, so nothing is ever earned back; say why in the rule's 'reason', or refill"));
            }
        }
        return problems;
    }

    /** A cost above the capacity would be denied for ever; a limit of 0 denies for ever on purpose. */
    private void checkCost(Rule rule, String place, List<InvalidPolicyException.Problem> problems) {
        checkCost(rule, rule.limit(), "", place, problems);
        rule.byPlan().forEach((plan, limit) -> checkCost(rule, limit, " in plan " + plan, place, problems));
    }

    private void checkCost(
            Rule rule, Limit limit, String where, String place, List<InvalidPolicyException.Problem> problems) {
        if (limit.tokens() == 0) {
            return;
        }
        if (rule.cost() instanceof Cost.Fixed cost && cost.tokens() > limit.tokens()) {
            problems.add(problem(
                    place + ".cost",
                    "is " + cost.tokens() + ", above the rule's limit of " + limit.tokens() + where
                            + ": nobody could ever pay it"));
        }
        if (rule.cost() instanceof Cost.FromRoute) {
            routes.costs().forEach((group, cost) -> {
                boolean matched =
                        rule.match().routes().isEmpty() || rule.match().routes().contains(group);
                if (matched && cost > limit.tokens()) {
                    problems.add(problem(
                            "spec.endpoints." + group + ".cost",
                            "is " + cost + ", above the limit of " + limit.tokens() + where + " of rule " + rule.id()
                                    + ": nobody could ever pay it"));
                }
            });
        }
    }

    private static boolean neverRefills(Limit limit) {
        return limit instanceof TokenBucketLimit bucket && bucket.refillTokens() == 0 && bucket.capacityTokens() > 0;
    }

    private static InvalidPolicyException.Problem problem(String place, String what) {
        return new InvalidPolicyException.Problem(place, what);
    }
}
