package io.headgate.schemas.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.limit.Bounds;
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
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.FailMode;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;

/** Rules as somebody might have thought of them, and the documents that say the same. */
final class RandomPolicies {

    static final Map<String, Long> DEFAULT_PLAN = Map.of("n", 40L, "rate", 3L);
    static final Map<String, Long> GOLD_PLAN = Map.of("n", 90L);

    private static final List<String> ZONES = List.of("UTC", "tenant", "Europe/Zurich", "Asia/Kolkata");

    private RandomPolicies() {}

    /** A rule and how a document writes it. */
    record Written(Rule rule, ObjectNode json) {}

    /** Any limit but one that only a reason explains. */
    static Limit limit(Random random) {
        long tokens = 20 + (random.nextBoolean() ? random.nextInt(1_000) : random.nextLong(Bounds.MAX_TOKENS / 4));
        long millis = 1 + (random.nextBoolean() ? random.nextInt(100) * 1_000L : random.nextLong(1_000_000));
        return switch (random.nextInt(7)) {
            case 0 ->
                new TokenBucketLimit(tokens, 1 + random.nextInt(50), millis, any(List.of(Refill.values()), random));
            case 1 -> new GcraLimit(tokens, 1 + random.nextInt(50), millis);
            case 2 -> new FixedWindowLimit(tokens, millis);
            case 3 ->
                new FixedWindowLimit(
                        tokens, new Window.Calendar(any(List.of(CalendarUnit.values()), random), any(ZONES, random)));
            case 4 -> new SlidingWindowLimit(tokens, millis);
            case 5 -> new SlidingLogLimit(20 + random.nextInt(300), millis);
            default -> new Unlimited();
        };
    }

    /** A document with rules of all sorts, which it adds to {@code rules}. */
    static ObjectNode document(Random random, List<Rule> rules) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("apiVersion", "headgate.io/v1").put("kind", "PolicySnapshot");
        document.putObject("metadata").put("name", "n").put("version", 1 + random.nextInt(9));
        ObjectNode spec = document.putObject("spec").put("domain", "d");
        ObjectNode plans = spec.putObject("plans");
        ObjectNode ofDefault = plans.putObject("default");
        DEFAULT_PLAN.forEach(ofDefault::put);
        ObjectNode gold = plans.putObject("gold");
        GOLD_PLAN.forEach(gold::put);
        if (random.nextBoolean()) {
            spec.putObject("idempotency").put("keysPerTenant", 1 + random.nextInt(1_000));
        }
        addConduct(spec, random);
        ArrayNode list = spec.putArray("rules");
        for (int i = random.nextInt(6); i > 0; i--) {
            Written written = rule("R" + i, random);
            rules.add(written.rule());
            list.add(written.json());
        }
        return document;
    }

    private static void addConduct(ObjectNode spec, Random random) {
        spec.putObject("routes")
                .putArray("read")
                .addObject()
                .put("method", any(List.of("*", "GET"), random))
                .put("path", any(List.of("/", "/items/{id}", "/**"), random));
        ObjectNode endpoint = spec.putObject("endpoints").putObject("read").put("cost", random.nextInt(3));
        switch (random.nextInt(4)) {
            case 0 -> endpoint.putObject("failMode").put("mode", "closed").put("retryAfter", "5s");
            case 1 -> endpoint.putObject("failMode").put("mode", "open");
            case 2 -> endpoint.putObject("failMode").put("mode", "local-bounded");
            default -> {}
        }
        if (random.nextBoolean()) {
            spec.putObject("responses")
                    .put("retryJitter", random.nextInt(101) + "%")
                    .put("advertiseTo", any(List.of("authenticated", "everybody", "nobody"), random))
                    .putArray("headers")
                    .add(any(List.of("retry-after", "ratelimit-draft10", "x-ratelimit"), random));
        }
        if (random.nextBoolean()) {
            spec.putObject("staleSnapshot").put("action", any(List.of("keep-last-known-good", "fail-mode"), random));
        }
        switch (random.nextInt(4)) {
            case 0 -> spec.putObject("rollout").putArray("routes").add("read");
            case 1 -> spec.putObject("rollout").put("percent", "0." + (1 + random.nextInt(99)) + "%");
            case 2 -> spec.putObject("rollout").putArray("tenants").add("atlas").add("big corp");
            default -> {}
        }
        if (random.nextBoolean()) {
            spec.put("effectiveAt", "2027-01-15T08:00:0" + random.nextInt(10) + "+01:00");
        }
    }

    private static FailMode failMode(Limit limit, ObjectNode json, Random random) {
        switch (random.nextInt(6)) {
            case 0 -> json.putObject("failMode").put("mode", "closed");
            case 1 -> {
                json.putObject("failMode").put("mode", "closed").put("retryAfter", "30s");
                return new FailMode.Closed(OptionalLong.of(30_000));
            }
            case 2 -> {
                json.putObject("failMode").put("mode", "open");
                return new FailMode.Open();
            }
            case 3 -> {
                json.putObject("failMode").put("mode", "endpoint");
                return new FailMode.OfEndpoint();
            }
            case 4 -> {
                if (limit instanceof FixedWindowLimit fixed && fixed.window() instanceof Window.Every) {
                    FixedWindowLimit each = new FixedWindowLimit(fixed.limitTokens() / 4, fixed.window());
                    json.putObject("failMode")
                            .put("mode", "local-bounded")
                            .put("expectedGateways", 4)
                            .set("perGateway", LimitFormat.written(each));
                    return new FailMode.LocalBounded(each, 4);
                }
            }
            default -> {}
        }
        return FailMode.CLOSED;
    }

    static Written rule(String id, Random random) {
        Stage stage = any(List.of(Stage.values()), random);
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("id", id).put("stage", stage.label());
        List<Part> parts = new ArrayList<>();
        Scope scope = scope(stage, parts, json, random);
        boolean byPlan = stage == Stage.TENANT && random.nextInt(3) == 0;
        Limit limit = byPlan ? new TokenBucketLimit(40, 3, 1_000) : limit(random);
        json.put("algorithm", limit.algorithm());
        Map<String, Limit> ofPlans = new TreeMap<>();
        if (byPlan) {
            ofPlans.put("gold", new TokenBucketLimit(90, 3, 1_000));
            ObjectNode object = json.putObject("limit");
            object.putObject("capacity").put("fromPlan", "n");
            object.putObject("refill").put("per", "1s").putObject("tokens").put("fromPlan", "rate");
        } else if (!(limit instanceof Unlimited)) {
            json.set("limit", LimitFormat.written(limit));
        }
        Enforcement enforcement = enforcement(json, random);
        String meter = random.nextBoolean() ? "requests" : "tokens-" + random.nextInt(3);
        if (!meter.equals("requests") || random.nextBoolean()) {
            json.put("meter", meter);
        }
        FailMode failMode = failMode(limit, json, random);
        boolean twoSign = random.nextBoolean();
        if (twoSign || random.nextBoolean()) {
            json.put("signatures", twoSign ? 2 : 1);
        }
        Rule rule = new Rule(
                id,
                stage,
                scope,
                parts,
                Match.EVERYTHING,
                limit,
                ofPlans,
                meter,
                Cost.ONE,
                enforcement,
                false,
                "",
                failMode,
                twoSign);
        return new Written(rule, json);
    }

    static <T> T any(List<T> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }

    private static Scope scope(Stage stage, List<Part> parts, ObjectNode json, Random random) {
        List<Scope> scopes = new ArrayList<>(Rule.scopesOf(stage));
        Scope scope = any(scopes, random);
        if (scope != Scope.COMPOSITE) {
            if (scope != stage.ownScope() || random.nextBoolean()) {
                json.put("scope", scope.label());
            }
            return scope;
        }
        scopes.remove(Scope.COMPOSITE);
        List<Part> choice = new ArrayList<>(List.of(new Part.Attribute("a"), new Part.Attribute("b.c-d_E")));
        scopes.forEach(one -> choice.add(new Part.Of(one)));
        Collections.shuffle(choice, random);
        ArrayNode labels = json.putObject("scope").putArray("composite");
        for (Part part : choice.subList(0, 1 + random.nextInt(choice.size()))) {
            parts.add(part);
            labels.add(part.label());
        }
        return scope;
    }

    private static Enforcement enforcement(ObjectNode json, Random random) {
        switch (random.nextInt(4)) {
            case 0 -> json.putObject("enforcement").put("mode", "enforce");
            case 1 -> {
                ObjectNode shadow = json.putObject("enforcement").put("mode", "shadow");
                if (random.nextBoolean()) {
                    return Enforcement.SHADOW;
                }
                int permille = random.nextInt(1_001);
                shadow.put("expectedDenyRatio", permille / 10 + "." + permille % 10 + "%");
                shadow.put("until", "2027-01-15T08:00:00Z");
                return new Enforcement.Shadow(OptionalInt.of(permille), OptionalLong.of(1_800_000_000_000L));
            }
            case 2 -> {
                int percent = 101 + random.nextInt(100);
                json.putObject("enforcement").put("mode", "soft").put("hardAt", percent + "%");
                return new Enforcement.Soft(percent);
            }
            default -> {}
        }
        return Enforcement.ENFORCE;
    }
}
