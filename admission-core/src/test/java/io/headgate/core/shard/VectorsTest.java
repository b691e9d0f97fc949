package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingWindow;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.shard.LogRecord.Attempt;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The vectors of right values, through a shard as a log would reach it. A vector, a field or an operation that this
 * class does not know fails it: nothing is passed over in silence.
 */
class VectorsTest {

    /** Vectors of parts that are not the engine, by the part that will run them. */
    private static final Map<String, String> ELSEWHERE = Map.of(
            "V35-concurrency-leases", "held",
            "V37-regional-lease-accounting", "leases",
            "V38-static-vs-demand-split", "leases",
            "V39-overshoot-bound", "leases",
            "V45-spring-reply-headers", "gateways",
            "V46-policy-version-order", "policies",
            "V51-negative-cache-bounds", "gateways",
            "V53-rls-hits-addend-defaults", "gateways",
            "V54-cost-over-capacity", "policies");

    private static final String ESTIMATES =
            "not a decision field: compare inside the engine, in thousandths (19800; 18500 and 19500)";

    private static final List<JsonNode> VECTORS = read();

    @TestFactory
    Stream<DynamicTest> the_engine_gives_the_right_values() {
        return VECTORS.stream()
                .filter(vector -> text(vector, "area").equals("engine"))
                .map(vector -> DynamicTest.dynamicTest(text(vector, "id"), () -> new Run(vector).all()));
    }

    @Test
    void every_other_vector_is_known_to_belong_elsewhere() {
        Map<String, String> others = new TreeMap<>();
        for (JsonNode vector : VECTORS) {
            if (!text(vector, "area").equals("engine")) {
                others.put(text(vector, "id"), text(vector, "area"));
            }
        }

        assertThat(others).isEqualTo(new TreeMap<>(ELSEWHERE));
    }

    private static List<JsonNode> read() {
        try (InputStream in = VectorsTest.class.getResourceAsStream("/vectors.json")) {
            List<JsonNode> vectors = new ArrayList<>();
            new ObjectMapper().readTree(in).get("vectors").forEach(vectors::add);
            return vectors;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String text(JsonNode node, String field) {
        return node.get(field).textValue();
    }

    /** One vector's run. */
    private static final class Run {

        private static final Set<String> VECTOR_FIELDS =
                Set.of("id", "source", "kind", "setup", "steps", "expect", "why", "area");

        private final JsonNode setup;
        private final String kind;
        private final List<JsonNode> steps = new ArrayList<>();
        private final List<JsonNode> expects = new ArrayList<>();
        private final String id;
        private final Set<String> requestIds = new TreeSet<>();
        private final Map<String, Long> sequences = new TreeMap<>();

        Run(JsonNode vector) {
            this.id = text(vector, "id");
            this.kind = text(vector, "kind");
            this.setup = vector.get("setup");
            vector.get("steps").forEach(steps::add);
            vector.get("expect").forEach(expects::add);
            onlyFields("vector", vector, VECTOR_FIELDS);
            assertThat(expects).as("%s: one expectation a step", id).hasSameSizeAs(steps);
        }

        void all() {
            switch (kind) {
                case "token_bucket", "fixed_window", "sliding_window_counter", "gcra", "dedupe" -> oneRule();
                case "multi_rule_all_or_nothing" -> {
                    if (setup.has("rules")) {
                        severalRules();
                    } else {
                        hierarchyCases();
                    }
                }
                case "partitioning" -> partitioning();
                default -> throw new AssertionError(id + ": kind '" + kind + "' is not known");
            }
        }

        // ---- one rule that counts by tenant

        private void oneRule() {
            Limit limit = limitOf(setup);
            Rule rule = TestRules.rule("limit", Scope.TENANT, limit);
            TestLog log = TestLog.under(settings(), TestRules.policy(1, rule));
            long shiftMillis = initial(log, limit);
            for (int i = 0; i < steps.size(); i++) {
                step(log, limit, i, shiftMillis);
            }
        }

        private static final Set<String> ONE_RULE_STEP =
                Set.of("t_ms", "key", "cost", "n", "every_ms", "op", "request_id");

        private static final Set<String> DECISION_FIELDS = Set.of(
                "allowed",
                "allowed_n",
                "denied_n",
                "remaining",
                "retry_after_ms",
                "retry_after_s",
                "reset_after_ms",
                "denied_by",
                "scope",
                "replayed",
                "verdict",
                "estimate",
                "estimate_before");

        private void step(TestLog log, Limit limit, int index, long shiftMillis) {
            JsonNode step = steps.get(index);
            onlyFields("step " + index, step, ONE_RULE_STEP);
            long firstMillis = number(step, "t_ms", 0) + shiftMillis;
            Caller caller = Caller.tenant(text(step, "key")).cost(number(step, "cost", 1));
            OptionalLong estimate = estimate(log, limit, caller, firstMillis);
            List<Decision> decisions = new ArrayList<>();
            for (long n = 0; n < number(step, "n", 1); n++) {
                log.at(firstMillis + n * number(step, "every_ms", 0));
                decisions.add(send(log, step, caller));
            }
            JsonNode expect = expects.get(index);
            onlyFields("expectation " + index, expect, DECISION_FIELDS);
            expect.fieldNames().forEachRemaining(field -> {
                String where = id + ", step " + index + ", " + field;
                if (field.startsWith("estimate")) {
                    assertThat(estimate)
                            .as(where)
                            .hasValue(expect.get(field)
                                    .decimalValue()
                                    .multiply(BigDecimal.valueOf(1000))
                                    .longValueExact());
                } else {
                    assertThat(fieldOf(decisions, field)).as(where).isEqualTo(valueOf(expect.get(field)));
                }
            });
        }

        private Decision send(TestLog log, JsonNode step, Caller caller) {
            String op = step.has("op") ? text(step, "op") : "admit";
            Command command = switch (op) {
                case "admit" -> caller.admit();
                case "peek" -> caller.peek();
                default -> throw new AssertionError(id + ": op '" + op + "' is not known");
            };
            Folded folded = step.has("request_id")
                    ? log.send(new Attempt("vectors", 1, sequenceOf(text(step, "request_id"))), command)
                    : log.send(command);
            return folded.decisions().get(0);
        }

        private long sequenceOf(String requestId) {
            if (requestIds.add(requestId)) {
                sequences.put(requestId, (long) requestIds.size());
            }
            return sequences.get(requestId);
        }

        /** Spends until the state is what the vector begins with. Returns by how much all its times are moved. */
        private long initial(TestLog log, Limit limit) {
            Caller caller = Caller.tenant("k");
            long shiftMillis = 0;
            if (limit instanceof SlidingWindowLimit sliding) {
                long startMillis = number(setup, "window_start_ms", 0);
                shiftMillis = Math.max(0, sliding.windowMillis() - startMillis);
                spend(
                        log.at(startMillis + shiftMillis - sliding.windowMillis()),
                        caller,
                        number(setup, "prev_count", 0));
                spend(log.at(number(steps.get(0), "t_ms", 0) + shiftMillis), caller, number(setup, "curr_count", 0));
            } else if (setup.has("initial")) {
                log.at(number(setup, "initial_at_ms", 0));
                spend(log, caller, limit.tokens() - number(setup, "initial", 0));
            }
            return shiftMillis;
        }

        private void spend(TestLog log, Caller caller, long tokens) {
            Decision decision = log.admit(caller.cost(tokens));
            assertThat(decision.verdict())
                    .as("%s: spending %s at first", id, tokens)
                    .isEqualTo(Verdict.ALLOW);
        }

        private static OptionalLong estimate(TestLog log, Limit limit, Caller caller, long nowMillis) {
            if (!(limit instanceof SlidingWindowLimit sliding)) {
                return OptionalLong.empty();
            }
            Rule rule = TestRules.rule("limit", Scope.TENANT, limit);
            byte[] key = Keys.bucket(rule, caller.admission(), Optional.empty())
                    .orElseThrow()
                    .bytes();
            SlidingWindow stored =
                    (SlidingWindow) BucketEntry.fromBytes(log.store().get(key)).counter();
            return OptionalLong.of(sliding.estimateThousandths((SlidingWindow) sliding.advanced(stored, nowMillis)));
        }

        // ---- rules in a list

        private void severalRules() {
            onlyFields("setup", setup, Set.of("rules", "created_t_ms"));
            List<Rule> rules = new ArrayList<>();
            for (JsonNode rule : setup.get("rules")) {
                onlyFields("rule", rule, Set.of("id", "capacity", "refill_tokens", "refill_period_ms"));
                rules.add(TestRules.rule(text(rule, "id"), Scope.TENANT, tokenBucket(rule)));
            }
            TestLog log = new TestLog().at(number(setup, "created_t_ms", 0));
            log.settings(settings());
            log.policy(TestRules.policy(1, rules.toArray(new Rule[0])));
            log.caughtUp();
            for (int i = 0; i < steps.size(); i++) {
                step(log, rules.get(0).limit(), i, 0);
            }
        }

        // ---- the three cases of tenant and user

        private void hierarchyCases() {
            onlyFields("setup", setup, Set.of("rules_in_precedence", "tenant", "user"));
            List<Rule> rules = new ArrayList<>();
            setup.get("rules_in_precedence").forEach(name -> {
                Scope scope = Scope.labelled(name.textValue());
                rules.add(TestRules.rule(name.textValue(), scope, limitOf(setup.get(name.textValue()))));
            });
            Policy policy = TestRules.policy(1, rules.toArray(new Rule[0]));
            for (int i = 0; i < steps.size(); i++) {
                hierarchyCase(policy, rules, i);
            }
        }

        private void hierarchyCase(Policy policy, List<Rule> rules, int index) {
            JsonNode step = steps.get(index);
            onlyFields("step " + index, step, Set.of("t_ms", "case", "cost", "state_before"));
            JsonNode before = step.get("state_before");
            onlyFields("state_before " + index, before, Set.of("tenant_used", "user_tokens"));
            TestLog log = TestLog.under(settings(), policy).at(number(step, "t_ms", 0));
            Caller tenant = Caller.tenant("atlas");
            Caller user = tenant.user("U-17");
            long userSpends = rules.get(1).limit().tokens() - number(before, "user_tokens", 0);
            spend(log, user, userSpends);
            spend(log, tenant, number(before, "tenant_used", 0) - userSpends);

            Decision decision = log.admit(user.cost(number(step, "cost", 1)));

            JsonNode expect = expects.get(index);
            expect.fieldNames().forEachRemaining(field -> {
                Object actual = switch (field) {
                    case "user_tokens_after" -> remainingOf("user", log.peek(user.cost(0)));
                    case "tenant_remaining_after" -> remainingOf("tenant", log.peek(user.cost(0)));
                    case "allowed", "scope" -> fieldOf(List.of(decision), field);
                    default ->
                        throw new AssertionError(id + ", step " + index + ": field '" + field + "' is not known");
                };
                assertThat(actual)
                        .as("%s, step %s (%s), %s", id, index, text(step, "case"), field)
                        .isEqualTo(valueOf(expect.get(field)));
            });
        }

        private static long remainingOf(String ruleId, Decision decision) {
            return decision.rules().stream()
                    .filter(rule -> rule.ruleId().equals(ruleId))
                    .map(RuleOutcome::remaining)
                    .findFirst()
                    .orElseThrow()
                    .getAsLong();
        }

        // ---- the partitioner

        private void partitioning() {
            onlyFields("setup", setup, Set.of("hash"));
            for (int i = 0; i < steps.size(); i++) {
                JsonNode step = steps.get(i);
                JsonNode expect = expects.get(i);
                onlyFields("step " + i, step, Set.of("key_utf8", "partitions"));
                onlyFields("expectation " + i, expect, Set.of("murmur2", "partition"));
                String key = text(step, "key_utf8");
                assertThat(Partitioning.murmur2(key.getBytes(StandardCharsets.UTF_8)))
                        .as("%s, step %s, murmur2", id, i)
                        .isEqualTo(expect.get("murmur2").intValue());
                assertThat(Partitioning.shardOf(key, step.get("partitions").intValue()))
                        .as("%s, step %s, partition", id, i)
                        .isEqualTo(expect.get("partition").intValue());
            }
        }

        // ---- reading

        private ShardSettings settings() {
            ShardSettings usual = TestLog.ONE_SHARD;
            return new ShardSettings(
                    usual.semanticsVersion(),
                    usual.shards(),
                    usual.controlKeyId(),
                    number(setup, "dedupe_retention_ms", usual.attemptRetentionMillis()),
                    usual.attemptsPerSession(),
                    usual.maxSessions(),
                    usual.sessionIdleMillis(),
                    usual.sweepEntriesPerTick());
        }

        private Limit limitOf(JsonNode from) {
            return switch (text(from, "algorithm")) {
                case "token_bucket" -> {
                    onlyFields(
                            "setup",
                            from,
                            Set.of(
                                    "algorithm",
                                    "capacity",
                                    "refill_tokens",
                                    "refill_period_ms",
                                    "initial",
                                    "initial_at_ms",
                                    "order",
                                    "dedupe_retention_ms",
                                    "request_id_means",
                                    "at_exactly_retention"));
                    saying(from, "order", "file order; log time = max(last, t_ms)");
                    saying(
                            from,
                            "request_id_means",
                            "the attempt (session, sequence, index), not a caller's idempotency key");
                    saying(from, "at_exactly_retention", "gone: ERROR");
                    yield tokenBucket(from);
                }
                case "fixed_window" -> {
                    onlyFields("setup", from, Set.of("algorithm", "limit", "window_ms", "align"));
                    saying(from, "align", "epoch");
                    yield new FixedWindowLimit(
                            from.get("limit").longValue(), from.get("window_ms").longValue());
                }
                case "sliding_window_counter" -> {
                    onlyFields(
                            "setup",
                            from,
                            Set.of(
                                    "algorithm",
                                    "limit",
                                    "window_ms",
                                    "prev_count",
                                    "curr_count",
                                    "window_start_ms",
                                    "estimates"));
                    saying(from, "estimates", ESTIMATES);
                    yield new SlidingWindowLimit(
                            from.get("limit").longValue(), from.get("window_ms").longValue());
                }
                case "gcra" -> {
                    onlyFields("setup", from, Set.of("algorithm", "limit", "emission_interval_ms"));
                    yield new GcraLimit(
                            from.get("limit").longValue(),
                            1,
                            from.get("emission_interval_ms").longValue());
                }
                default -> throw new AssertionError(id + ": algorithm '" + text(from, "algorithm") + "' is not known");
            };
        }

        private static TokenBucketLimit tokenBucket(JsonNode from) {
            return new TokenBucketLimit(
                    from.get("capacity").longValue(),
                    from.get("refill_tokens").longValue(),
                    from.get("refill_period_ms").longValue());
        }

        /** What a field says of the last decision, or of all; null where there is no value. */
        private Object fieldOf(List<Decision> decisions, String field) {
            Decision last = decisions.get(decisions.size() - 1);
            return switch (field) {
                case "allowed" -> {
                    assertThat(last.verdict().decided())
                            .as("%s: decided, not %s (%s)", id, last.verdict(), last.reason())
                            .isTrue();
                    yield last.verdict() == Verdict.ALLOW;
                }
                case "allowed_n" -> count(decisions, Verdict.ALLOW);
                case "denied_n" -> count(decisions, Verdict.DENY);
                case "remaining" -> orNull(last.remaining());
                case "retry_after_ms" -> orNull(last.retryAfterMillis());
                case "retry_after_s" ->
                    last.retryAfterMillis().isEmpty()
                            ? null
                            : (Object) ((last.retryAfterMillis().getAsLong() + 999) / 1000);
                case "reset_after_ms" -> orNull(last.resetAfterMillis());
                case "denied_by" -> last.denyingRule().orElse(null);
                case "scope" -> last.scope().map(Scope::label).orElse(null);
                case "replayed" -> last.replayed();
                case "verdict" -> last.verdict().name();
                default -> throw new AssertionError(id + ": field '" + field + "' is not known");
            };
        }

        private static Object orNull(OptionalLong value) {
            return value.isPresent() ? (Object) value.getAsLong() : null;
        }

        private static long count(List<Decision> decisions, Verdict verdict) {
            return decisions.stream()
                    .filter(decision -> decision.verdict() == verdict)
                    .count();
        }

        private static Object valueOf(JsonNode node) {
            if (node.isNull()) {
                return null;
            }
            if (node.isBoolean()) {
                return node.booleanValue();
            }
            return node.isTextual() ? node.textValue() : (Object) node.longValue();
        }

        private static long number(JsonNode node, String field, long otherwise) {
            return node.has(field) ? node.get(field).longValue() : otherwise;
        }

        /** A field in words changes what a vector means; the words are those that this class was written for. */
        private void saying(JsonNode from, String field, String words) {
            if (from.has(field)) {
                assertThat(text(from, field)).as("%s: %s", id, field).isEqualTo(words);
            }
        }

        private void onlyFields(String where, JsonNode node, Set<String> known) {
            node.fieldNames()
                    .forEachRemaining(field -> assertThat(known)
                            .as("%s, %s: known fields", id, where)
                            .contains(field));
        }
    }
}
