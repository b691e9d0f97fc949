package io.headgate.core.policy;

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
 * One version of all the rules. Cannot be made with a mistake in it: every check that needs more than one field is made here
 * ({@link Coherence}), so the tool that publishes a policy and the shard that applies it check the same.
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
    private final Conduct conduct;

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
     * @param conduct how gateways conduct themselves
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
            Activation activation,
            Conduct conduct) {
        this.name = name;
        this.version = version;
        this.routes = routes;
        this.rules = List.copyOf(rules);
        this.plans = Collections.unmodifiableSortedSet(new TreeSet<>(plans));
        this.idempotency = idempotency;
        this.bucketsPerRuleAndShard = bucketsPerRuleAndShard;
        this.activation = activation;
        this.conduct = conduct;
        List<InvalidPolicyException.Problem> problems = Coherence.problemsOf(this);
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

    /** A policy that says nothing of the gateways' conduct. */
    public Policy(
            String name,
            long version,
            RouteTable routes,
            List<Rule> rules,
            Set<String> plans,
            Idempotency idempotency,
            long bucketsPerRuleAndShard,
            Activation activation) {
        this(name, version, routes, rules, plans, idempotency, bucketsPerRuleAndShard, activation, Conduct.DEFAULT);
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

    /** How gateways conduct themselves around its decisions. */
    public Conduct conduct() {
        return conduct;
    }
}
