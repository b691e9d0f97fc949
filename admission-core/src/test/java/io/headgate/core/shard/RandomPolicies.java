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
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

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
    private final Map<String, Rule> everybodys = new TreeMap<>();
    private Idempotency idempotency;
    private long nextTimeMillis;
    private long version;

    RandomPolicies(Random random, long bucketsPerRule, long keysPerTenant) {
        this.random = random;
        this.bucketsPerRule = bucketsPerRule;
        this.keysPerTenant = keysPerTenant;
        this.idempotency = idempotency();
    }

    /** A later version: some rules come or go, some change a little, some change altogether; for all, or for some. */
    Policy next(long nowMillis) {
        Rollout rollout = version == 0 && random.nextInt(8) != 0 ? Rollout.EVERYBODY : rollout();
        if (random.nextInt(3) == 0 || rollout instanceof Rollout.Routes) {
            rules.clear();
            rules.putAll(everybodys);
        }
        for (String id : RULE_IDS) {
            changeOf(id, rollout).accept(id);
        }
        if (rollout instanceof Rollout.Everybody) {
            everybodys.clear();
            everybodys.putAll(rules);
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
                bucketsPerRule,
                new Activation(effectiveAt(nowMillis), rollout));
    }

    private Consumer<String> changeOf(String id, Rollout rollout) {
        Rule rule = rules.get(id);
        int dice = random.nextInt(10);
        if (rule == null) {
            return dice < 6 ? added -> rules.put(added, newRule(added)) : unchanged -> {};
        }
        if (dice == 0) {
            return rules::remove;
        }
        // What requests to other routes are asked by must stay; now and then it does not, and the version is refused.
        boolean torn = rollout instanceof Rollout.Routes some
                && (rule.match().routes().isEmpty()
                        || !some.groups().containsAll(rule.match().routes()));
        if (torn && random.nextInt(20) != 0) {
            return dice < 4 ? kept -> rules.put(kept, TestRules.shadow(rule)) : unchanged -> {};
        }
        if (dice == 1) {
            return replaced -> rules.put(replaced, newRule(replaced));
        }
        return dice < 6 ? changed -> rules.put(changed, changed(rule)) : unchanged -> {};
    }

    private Rollout rollout() {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> {
                SortedSet<String> named = new TreeSet<>(RandomLog.TENANTS);
                named.removeIf(name -> random.nextBoolean());
                int hundredths = random.nextInt(3) == 0 ? random.nextInt(Rollout.WHOLE) : 0;
                yield named.isEmpty() && hundredths == 0
                        ? new Rollout.Tenants(named, 5_000)
                        : new Rollout.Tenants(named, hundredths);
            }
            case 3 ->
                new Rollout.Routes(new TreeSet<>(any(List.of(
                        Set.of("export"),
                        Set.of("catalog", "export"),
                        Set.of("catalog", "orders"),
                        Set.of("orders")))));
            default -> Rollout.EVERYBODY;
        };
    }

    /** Mostly at once; sometimes soon, so that several may fall due together. */
    private OptionalLong effectiveAt(long nowMillis) {
        if (random.nextInt(3) != 0) {
            return OptionalLong.empty();
        }
        nextTimeMillis = Math.max(
                0,
                switch (random.nextInt(6)) {
                    case 0 -> nowMillis - random.nextInt(3_000);
                    case 1 -> nowMillis + 1;
                    case 2 -> nowMillis + 1 + random.nextInt(20_000);
                    case 3 -> nextTimeMillis;
                    default -> nowMillis + 1 + random.nextInt(2_000);
                });
        return OptionalLong.of(nextTimeMillis);
    }

    /** When the last version that had a time takes effect, or has taken it. */
    long nextTimeMillis() {
        return nextTimeMillis;
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
            case 0 -> TestRules.shadow(varied);
            case 1 -> TestRules.shadowUntil(nextTimeMillis + random.nextInt(2_000), varied);
            case 2, 3 -> TestRules.soft(101 + random.nextInt(100), varied);
            default -> varied;
        };
    }

    private Match match() {
        return switch (random.nextInt(6)) {
            case 0 -> new Match(Match.Authentication.AUTHENTICATED, Set.of(), Map.of());
            case 1 ->
                new Match(
                        Match.Authentication.ANY,
                        any(List.of(Set.of("catalog", "export"), Set.of("export"))),
                        Map.of());
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
