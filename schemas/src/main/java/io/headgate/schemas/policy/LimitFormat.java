package io.headgate.schemas.policy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.InvalidPolicyException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Limits as documents and operators write them: an algorithm, and an object such as {@code {capacity: 20, refill:
 * {tokens: 2, per: 1s}}}.
 */
public final class LimitFormat {

    /** The algorithms whose limit is an object: all but {@code unlimited}. */
    static final List<String> WITH_OBJECT = List.of(
            TokenBucketLimit.ALGORITHM,
            FixedWindowLimit.ALGORITHM,
            SlidingWindowLimit.ALGORITHM,
            SlidingLogLimit.ALGORITHM,
            GcraLimit.ALGORITHM);

    private static final Set<String> BUCKETS = Set.of(TokenBucketLimit.ALGORITHM, GcraLimit.ALGORITHM);
    private static final Set<String> WINDOWS =
            Set.of(FixedWindowLimit.ALGORITHM, SlidingWindowLimit.ALGORITHM, SlidingLogLimit.ALGORITHM);

    private static final Map<String, String> ALGORITHMS = algorithms();
    private static final Map<String, String> NOT_YET = Map.of("concurrency", "concurrency limits");

    private LimitFormat() {}

    /**
     * Reads the object alone, as an operator gives it: {@code {capacity: 5, refill: {tokens: 1, per: 1s}}}.
     *
     * @param parser stands before the object, and has nothing else
     * @param algorithm the algorithm of the rule that the limit is for
     * @throws InvalidPolicyException naming every mistake by its place in the object
     * @throws IllegalArgumentException if limits by the algorithm are no objects
     * @throws IOException if the parser can find no object there
     */
    public static Limit read(JsonParser parser, String algorithm) throws IOException {
        Problems problems = new Problems();
        Optional<Limit> limit = Section.root(StrictTree.read(parser, problems), problems)
                .flatMap(fields -> new LimitReading(fields, Optional.empty()).read(algorithm))
                .map(LimitReading.Limits::limit);
        problems.throwIfAny();
        return limit.orElseThrow();
    }

    /**
     * Reads an override as a tenant's plan has it: {@code {limit: {…}}}, {@code {algorithm: gcra, limit: {…}}} or {@code
     * {unlimited: true}}.
     *
     * @param parser stands before the override, and has nothing else
     * @param ruleAlgorithm the algorithm of the rule, which holds where the override names none
     * @throws InvalidPolicyException naming every mistake by its place in the override
     * @throws IOException if the parser can find no object there
     */
    public static Limit readOverride(JsonParser parser, Optional<String> ruleAlgorithm) throws IOException {
        Problems problems = new Problems();
        Optional<Limit> limit = Section.root(StrictTree.read(parser, problems), problems)
                .flatMap(override -> ofOverride(override, ruleAlgorithm, "there is no rule to take it from"));
        problems.throwIfAny();
        return limit.orElseThrow();
    }

    /** Reads {@code algorithm} and {@code limit} of a rule. */
    static Optional<LimitReading.Limits> ofRule(Section rule, PlanTable plans) {
        Optional<String> algorithm = rule.requiredChoice("algorithm", ALGORITHMS, NOT_YET);
        rule.has("limit"); // known, whatever the algorithm makes of it
        if (rule.isOneOf("algorithm", NOT_YET.keySet())) {
            rule.requiredSection("limit").ifPresent(LimitFormat::checkConcurrency);
        }
        return algorithm.flatMap(name -> limits(rule, name, Optional.of(plans)));
    }

    /** What a limit on requests in flight has; there is none to make of it yet. */
    private static void checkConcurrency(Section limit) {
        limit.requiredInteger("inFlight", 0, Bounds.MAX_TOKENS);
        limit.requiredDurationMillis("slotLease", Bounds.MAX_PERIOD_MILLIS);
        limit.close();
    }

    /**
     * Reads what one gateway may admit for itself: requests in a window or a bucket, by the rule's algorithm where that is
     * of the same shape, otherwise as a fixed window or a token bucket.
     */
    static Optional<Limit> ofGateway(Section owner, String field, Optional<String> ruleAlgorithm) {
        return owner.requiredSection(field).flatMap(limit -> {
            boolean bucket = limit.has("capacity") || limit.has("refill");
            String algorithm = ruleAlgorithm
                    .filter(name -> bucket ? BUCKETS.contains(name) : WINDOWS.contains(name))
                    .orElse(bucket ? TokenBucketLimit.ALGORITHM : FixedWindowLimit.ALGORITHM);
            if (limit.isOneOf("align", Set.of(LimitReading.CALENDAR))) {
                owner.problems()
                        .add(limit.place("align"), "is \"calendar\"; a gateway has no calendar, it must be epoch");
                return Optional.empty();
            }
            return new LimitReading(limit, Optional.empty()).read(algorithm).map(LimitReading.Limits::limit);
        });
    }

    /**
     * Reads an override.
     *
     * @param ruleAlgorithm the algorithm where the override names none
     * @param whyMissing says why there is none
     */
    static Optional<Limit> ofOverride(Section override, Optional<String> ruleAlgorithm, String whyMissing) {
        if (override.has("unlimited")) {
            boolean unlimited = override.flag("unlimited").orElse(true);
            override.close();
            if (!unlimited) {
                override.problems()
                        .add(override.place("unlimited"), "is false; it must be true, or a limit stand here");
            }
            return Optional.of(new Unlimited());
        }
        boolean named = override.has("algorithm");
        Optional<String> algorithm = named ? override.choice("algorithm", ALGORITHMS, NOT_YET) : ruleAlgorithm;
        if (!named && algorithm.isEmpty()) {
            override.problems()
                    .add(
                            override.place("algorithm"),
                            "is missing, and " + whyMissing + "; it must be one of " + ALGORITHMS.keySet());
        }
        override.has("limit");
        override.close();
        return algorithm
                .flatMap(name -> limits(override, name, Optional.empty()))
                .map(LimitReading.Limits::limit);
    }

    /**
     * The object of a limit.
     *
     * @throws IllegalArgumentException if limits by its algorithm are no objects
     */
    public static ObjectNode written(Limit limit) {
        ObjectNode fields = JsonNodeFactory.instance.objectNode();
        if (limit instanceof TokenBucketLimit it) {
            ObjectNode refill = refilled(fields, it.capacityTokens(), it.refillTokens(), it.refillPeriodMillis());
            if (it.refill() != Refill.GREEDY) {
                refill.put("mode", it.refill().label());
            }
        } else if (limit instanceof GcraLimit it) {
            refilled(fields, it.burstTokens(), it.refillTokens(), it.refillPeriodMillis());
        } else if (limit instanceof FixedWindowLimit it) {
            fields.put("requests", it.limitTokens());
            write(fields, it.window());
        } else if (limit instanceof SlidingWindowLimit it) {
            fields.put("requests", it.limitTokens()).put("per", Durations.format(it.windowMillis()));
        } else if (limit instanceof SlidingLogLimit it) {
            fields.put("requests", it.limitTokens()).put("per", Durations.format(it.windowMillis()));
        } else {
            throw new IllegalArgumentException("limits by " + limit.algorithm() + " are no objects");
        }
        return fields;
    }

    /** An override as a tenant's plan has it. */
    public static ObjectNode writtenOverride(Limit limit) {
        ObjectNode override = JsonNodeFactory.instance.objectNode();
        if (limit instanceof Unlimited) {
            return override.put("unlimited", true);
        }
        override.put("algorithm", limit.algorithm()).set("limit", written(limit));
        return override;
    }

    private static Optional<LimitReading.Limits> limits(Section owner, String algorithm, Optional<PlanTable> plans) {
        if (!algorithm.equals(Unlimited.ALGORITHM)) {
            return owner.requiredSection("limit").flatMap(fields -> new LimitReading(fields, plans).read(algorithm));
        }
        if (owner.has("limit")) {
            owner.problems().add(owner.place("limit"), "is there; a rule with algorithm unlimited must have none");
        }
        return Optional.of(new LimitReading.Limits(new Unlimited(), new TreeMap<>(), false));
    }

    private static ObjectNode refilled(ObjectNode fields, long capacity, long tokens, long periodMillis) {
        return fields.put("capacity", capacity)
                .putObject("refill")
                .put("tokens", tokens)
                .put("per", Durations.format(periodMillis));
    }

    private static void write(ObjectNode fields, Window window) {
        if (window instanceof Window.Every every) {
            fields.put("per", Durations.format(every.lengthMillis()));
        } else if (window instanceof Window.Calendar calendar) {
            fields.put("per", calendar.unit().label())
                    .put("align", LimitReading.CALENDAR)
                    .put("zone", calendar.zone());
        } else {
            throw new IllegalArgumentException("a limit is written without the table of its zone");
        }
    }

    private static Map<String, String> algorithms() {
        List<String> names = new ArrayList<>(WITH_OBJECT);
        names.add(Unlimited.ALGORITHM);
        return Labels.of(names);
    }
}
