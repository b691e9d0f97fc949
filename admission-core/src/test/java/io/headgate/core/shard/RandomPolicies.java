package io.headgate.core.shard;

import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Policies one after the other, with small limits and short times, and now and then any change that a rule can have. */
final class RandomPolicies {

    static final List<String> RULE_IDS = List.of("a", "b", "c", "d", "e", "f");

    /** Their tables come with the log. */
    static final List<String> ZONES =
            List.of("Europe/Zurich", "America/Los_Angeles", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Apia", "UTC");

    /** Its table never comes. */
    static final String NOWHERE = "Nowhere/At_All";

    private static final List<Part> PARTS = List.of(
            new Part.Of(Scope.USER),
            new Part.Of(Scope.API_KEY),
            new Part.Of(Scope.ROUTE),
            new Part.Of(Scope.IP),
            new Part.Attribute("plan"));

    private final Random random;
    private final long bucketsPerRule;
    private final long keysPerTenant;
    private final Map<String, Rule> rules = new TreeMap<>();
    private Idempotency idempotency;
    private long version;

    RandomPolicies(Random random, long bucketsPerRule, long keysPerTenant) {
        this.random = random;
        this.bucketsPerRule = bucketsPerRule;
        this.keysPerTenant = keysPerTenant;
        this.idempotency = idempotency();
    }

    /** A later version: some rules come or go, some change a little, some change altogether. */
    Policy next() {
        for (String id : RULE_IDS) {
            Rule rule = rules.get(id);
            int dice = random.nextInt(10);
            if (rule == null) {
                if (dice < 6) {
                    rules.put(id, newRule(id));
                }
            } else if (dice == 0) {
                rules.remove(id);
            } else if (dice == 1) {
                rules.put(id, newRule(id));
            } else if (dice < 6) {
                rules.put(id, changed(rule));
            }
        }
        if (random.nextInt(4) == 0) {
            idempotency = idempotency();
        }
        version += 1 + random.nextInt(2);
        return new Policy(
                "random",
                version,
                TestRules.ROUTES,
                List.copyOf(rules.values()),
                TestRules.PLANS,
                idempotency,
                bucketsPerRule);
    }

    /** A limit that somebody might have of his own for a rule: mostly one that can stand for the rule's. */
    Limit limitFor(String ruleId) {
        Rule rule = rules.get(ruleId);
        if (rule == null || random.nextInt(5) == 0) {
            return limit(random.nextInt(11));
        }
        return random.nextInt(8) == 0 ? new Unlimited() : similar(rule.limit());
    }

    private Idempotency idempotency() {
        return new Idempotency(any(List.of(1_000L, 5_000L, 60_000L)), keysPerTenant);
    }

    private Rule newRule(String id) {
        Stage stage = random.nextInt(5) != 0 ? Stage.TENANT : random.nextBoolean() ? Stage.IP : Stage.TARGET;
        Scope scope = any(List.copyOf(Rule.scopesOf(stage)));
        Limit limit = limit(random.nextInt(11));
        Rule rule = scope == Scope.COMPOSITE
                ? TestRules.composite(id, stage, parts(stage), limit)
                : TestRules.rule(id, stage, scope, limit);
        return varied(TestRules.matching(match(), rule));
    }

    private Rule changed(Rule rule) {
        Rule changed = rule.scope() == Scope.COMPOSITE
                ? TestRules.composite(rule.id(), rule.stage(), rule.composite(), similar(rule.limit()))
                : TestRules.rule(rule.id(), rule.stage(), rule.scope(), similar(rule.limit()));
        changed = varied(TestRules.matching(rule.match(), TestRules.metering(rule.meter(), changed)));
        return random.nextInt(12) == 0 ? TestRules.resetting(changed) : changed;
    }

    private List<Part> parts(Stage stage) {
        List<Part> parts = new ArrayList<>(PARTS.stream()
                .filter(part ->
                        !(part instanceof Part.Of of) || Rule.scopesOf(stage).contains(of.scope()))
                .toList());
        Collections.shuffle(parts, random);
        return parts.subList(0, 1 + random.nextInt(Math.min(2, parts.size())));
    }

    /** With a cost, a meter, limits by plan and an enforcement. */
    private Rule varied(Rule rule) {
        Rule varied = rule;
        if (rule.stage() == Stage.TENANT && random.nextInt(3) == 0) {
            Map<String, Limit> byPlan = new TreeMap<>();
            TestRules.PLANS.stream()
                    .sorted()
                    .filter(plan -> random.nextBoolean())
                    .forEach(plan -> byPlan.put(plan, similar(rule.limit())));
            varied = TestRules.byPlan(byPlan, varied);
        }
        long most = varied.limits().stream()
                .mapToLong(Limit::tokens)
                .filter(tokens -> tokens > 0)
                .min()
                .orElse(Long.MAX_VALUE);
        if (random.nextInt(4) == 0 && most >= 10) {
            varied = TestRules.costing(new Cost.FromRoute(), varied);
        } else if (random.nextInt(4) == 0 && most >= 2) {
            varied = TestRules.costing(new Cost.Fixed(2), varied);
        }
        if (random.nextInt(12) == 0) {
            varied = TestRules.metering(random.nextBoolean() ? "tokens-in" : "requests", varied);
        }
        return switch (random.nextInt(8)) {
            case 0, 1 -> TestRules.shadow(varied);
            case 2, 3 -> TestRules.soft(101 + random.nextInt(100), varied);
            default -> varied;
        };
    }

    private Match match() {
        return switch (random.nextInt(6)) {
            case 0 -> new Match(Match.Authentication.AUTHENTICATED, Set.of(), Map.of());
            case 1 -> new Match(Match.Authentication.ANY, Set.of("catalog", "export"), Map.of());
            case 2 -> new Match(Match.Authentication.ANY, Set.of(), Map.of("plan", "free"));
            default -> Match.EVERYTHING;
        };
    }

    private Limit limit(int algorithm) {
        return switch (algorithm) {
            case 0, 1, 2 -> new TokenBucketLimit(tokens(), random.nextInt(6), period(), refill());
            case 3 -> new GcraLimit(tokens(), 1 + random.nextInt(5), period());
            case 4, 5, 6 -> new FixedWindowLimit(tokens(), window());
            case 7, 8 -> new SlidingWindowLimit(tokens(), period());
            case 9 -> new SlidingLogLimit(tokens(), period());
            default -> new Unlimited();
        };
    }

    private Limit similar(Limit limit) {
        boolean samePeriod = random.nextBoolean();
        if (limit instanceof TokenBucketLimit it) {
            return samePeriod
                    ? new TokenBucketLimit(tokens(), it.refillTokens(), it.refillPeriodMillis(), it.refill())
                    : new TokenBucketLimit(it.capacityTokens(), random.nextInt(6), period(), refill());
        }
        if (limit instanceof GcraLimit it) {
            return samePeriod
                    ? new GcraLimit(tokens(), it.refillTokens(), it.refillPeriodMillis())
                    : new GcraLimit(it.burstTokens(), 1 + random.nextInt(5), period());
        }
        if (limit instanceof FixedWindowLimit it) {
            return new FixedWindowLimit(tokens(), samePeriod ? it.window() : window());
        }
        if (limit instanceof SlidingWindowLimit it) {
            return new SlidingWindowLimit(tokens(), samePeriod ? it.windowMillis() : period());
        }
        if (limit instanceof SlidingLogLimit it) {
            return new SlidingLogLimit(tokens(), samePeriod ? it.windowMillis() : period());
        }
        return limit;
    }

    private Window window() {
        if (random.nextBoolean()) {
            return new Window.Every(period());
        }
        CalendarUnit unit = any(List.of(CalendarUnit.values()));
        if (random.nextInt(3) == 0) {
            return new Window.Calendar(unit, Window.Calendar.OF_TENANT);
        }
        return new Window.Calendar(unit, random.nextInt(20) == 0 ? NOWHERE : any(ZONES));
    }

    private Refill refill() {
        return any(List.of(Refill.values()));
    }

    private long tokens() {
        return random.nextInt(12) == 0 ? 0 : 1L + random.nextInt(14);
    }

    private long period() {
        return any(List.of(1L, 7L, 100L, 1_000L, 3_600L, 60_000L));
    }

    private <T> T any(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
