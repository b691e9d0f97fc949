package io.headgate.core.shard;

import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.LogRecord.Attempt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Makes a log of everything that can happen to a shard, with few keys, small limits and short times, so that it does. */
final class RandomLog {

    private static final List<String> RULE_IDS = List.of("a", "b", "c", "d", "e");
    /** Of shard 1 of 2, all but the last. */
    private static final List<String> TENANTS = List.of("atlas", "cedar", "fjord", "birch");

    private static final List<String> ADDRESSES = List.of("10.0.0.4", "10.0.0.5", "10.0.0.1");
    private static final List<String> USERS = List.of("", "U-1", "U-2", "U-3");
    private static final List<String> ROUTES =
            List.of("GET /catalog/7", "POST /export", "PUT /orders/1?x=2", "GET /nowhere", "catalog");

    private final Random random;
    private final TestPolicies policies = new TestPolicies();
    private final Map<String, Rule> rules = new TreeMap<>();
    private final long bucketsPerRule;
    private final List<LogRecord.Requests> sent = new ArrayList<>();
    private final long[] lastSequence = new long[4];
    private long version;
    private long policySource = -1;
    private long millis;

    RandomLog(Random random, long bucketsPerRule) {
        this.random = random;
        this.bucketsPerRule = bucketsPerRule;
        this.millis = random.nextBoolean() ? 0 : 1_700_000_000_000L;
    }

    TestPolicies policies() {
        return policies;
    }

    /** Settings, a first policy and caught-up. */
    List<LogRecord.Payload> beginning(ShardSettings settings) {
        return List.of(
                new LogRecord.Controlled(new Control.ApplySettings(0, -1, settings)),
                policyChange(),
                new LogRecord.Controlled(new Control.CaughtUp()));
    }

    /** The time of the next record; sometimes the broker's clock goes back. */
    long nextMillis() {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3, 4 -> {}
            case 5, 6 -> millis += 1;
            case 7, 8 -> millis += random.nextInt(100);
            case 9 -> millis += random.nextInt(3_000);
            case 10 -> millis += random.nextInt(100) == 0 ? 200_000 : 1_000;
            default -> {
                return Math.max(0, millis - random.nextInt(5_000));
            }
        }
        return millis;
    }

    LogRecord.Payload next() {
        return switch (random.nextInt(30)) {
            case 0 -> random.nextInt(3) == 0 ? policyChange() : new LogRecord.Unreadable("noise");
            case 1, 2, 3 -> new LogRecord.Controlled(new Control.Tick(millis));
            case 4 -> sent.isEmpty() ? requests() : sent.get(random.nextInt(sent.size()));
            case 5 -> sent.isEmpty() ? requests() : sent.get(sent.size() - 1);
            default -> requests();
        };
    }

    LogRecord.Requests requests() {
        List<Command> commands = new ArrayList<>();
        int size = random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 1;
        for (int i = 0; i < size; i++) {
            commands.add(command());
        }
        if (random.nextInt(3) != 0) {
            return new LogRecord.Requests(Optional.empty(), commands);
        }
        int session = random.nextInt(lastSequence.length);
        lastSequence[session] += random.nextInt(8) == 0 ? 1 + random.nextInt(20) : 1;
        LogRecord.Requests requests = new LogRecord.Requests(
                Optional.of(new Attempt("gateway-" + session / 2, session % 2 - 1L, lastSequence[session])), commands);
        sent.add(requests);
        return requests;
    }

    private Command command() {
        if (random.nextInt(40) == 0) {
            return new Command.Malformed("noise");
        }
        Caller caller = random.nextInt(6) == 0
                ? Caller.address(any(ADDRESSES))
                : Caller.tenant(any(TENANTS)).user(any(USERS)).ip(random.nextInt(3) == 0 ? "10.0.0.9" : "");
        caller = caller.route(any(ROUTES)).cost(cost());
        if (random.nextInt(4) == 0) {
            caller = caller.attribute("plan", random.nextBoolean() ? "free" : "paid");
        }
        if (random.nextInt(4) == 0) {
            caller = caller.anonymous();
        }
        long deadline = random.nextInt(10) == 0 ? millis + random.nextInt(20) - 10 : Command.NEVER;
        return new Command.Ask(caller.admission(), random.nextInt(6) == 0, deadline, random.nextInt(4) == 0);
    }

    private long cost() {
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1 -> 2 + random.nextInt(4);
            case 2 -> random.nextInt(10) == 0 ? 1_000_000_000_000L : 1;
            default -> 1;
        };
    }

    /** A later version: some rules come or go, some change a little, some change altogether. */
    LogRecord.Controlled policyChange() {
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
        version += 1 + random.nextInt(2);
        Policy policy = new Policy("random", version, TestRules.ROUTES, List.copyOf(rules.values()), bucketsPerRule);
        long previous = policySource++;
        return new LogRecord.Controlled(new Control.ApplyPolicy(policySource, previous, policies.add(policy)));
    }

    private Rule newRule(String id) {
        boolean address = random.nextInt(5) == 0;
        Stage stage = address ? Stage.IP : Stage.TENANT;
        Scope scope = any(Rule.scopesOf(stage).stream()
                .filter(any -> any != Scope.COMPOSITE)
                .toList());
        return priced(TestRules.matching(match(), TestRules.rule(id, stage, scope, limit(random.nextInt(11)))));
    }

    /** Another limit of the same algorithm, mostly; budgets begin afresh now and then. */
    private Rule changed(Rule rule) {
        Limit limit = similar(rule.limit());
        Rule changed = TestRules.matching(rule.match(), TestRules.rule(rule.id(), rule.stage(), rule.scope(), limit));
        changed = priced(changed);
        return random.nextInt(12) == 0 ? TestRules.resetting(changed) : changed;
    }

    private Rule priced(Rule rule) {
        Rule priced = rule;
        long most = rule.limit().tokens();
        if (random.nextInt(4) == 0 && (most >= 10 || most == 0)) {
            priced = TestRules.costing(new Cost.FromRoute(), priced);
        } else if (random.nextInt(4) == 0 && (most >= 2 || most == 0)) {
            priced = TestRules.costing(new Cost.Fixed(2), priced);
        }
        return random.nextInt(4) == 0 ? TestRules.shadow(priced) : priced;
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
            case 0, 1, 2 -> new TokenBucketLimit(tokens(), random.nextInt(6), period());
            case 3, 4 -> new GcraLimit(tokens(), 1 + random.nextInt(5), period());
            case 5, 6 -> new FixedWindowLimit(tokens(), period());
            case 7, 8 -> new SlidingWindowLimit(tokens(), period());
            case 9 -> new SlidingLogLimit(tokens(), period());
            default -> new Unlimited();
        };
    }

    private Limit similar(Limit limit) {
        boolean samePeriod = random.nextBoolean();
        if (limit instanceof TokenBucketLimit it) {
            return samePeriod
                    ? new TokenBucketLimit(tokens(), it.refillTokens(), it.refillPeriodMillis())
                    : new TokenBucketLimit(it.capacityTokens(), random.nextInt(6), period());
        }
        if (limit instanceof GcraLimit it) {
            return samePeriod
                    ? new GcraLimit(tokens(), it.refillTokens(), it.refillPeriodMillis())
                    : new GcraLimit(it.burstTokens(), 1 + random.nextInt(5), period());
        }
        if (limit instanceof FixedWindowLimit it) {
            return new FixedWindowLimit(tokens(), samePeriod ? ((Window.Every) it.window()).lengthMillis() : period());
        }
        if (limit instanceof SlidingWindowLimit it) {
            return new SlidingWindowLimit(tokens(), samePeriod ? it.windowMillis() : period());
        }
        if (limit instanceof SlidingLogLimit it) {
            return new SlidingLogLimit(tokens(), samePeriod ? it.windowMillis() : period());
        }
        return limit;
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
