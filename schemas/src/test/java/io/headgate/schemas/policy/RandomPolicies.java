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
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
        Rule rule = new Rule(
                id, stage, scope, parts, Match.EVERYTHING, limit, ofPlans, meter, Cost.ONE, enforcement, false, "");
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
                json.putObject("enforcement").put("mode", "shadow");
                return Enforcement.SHADOW;
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
