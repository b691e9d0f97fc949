package io.headgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Control;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.Limiter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway over real HTTP; behind it a shard that really folds. */
@Timeout(60)
class GatewayServerTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A server takes two seconds to close, so the tests share one; each has a limiter of its own. */
    private static final AtomicReference<FoldingLimiter> LIMITER = new AtomicReference<>();

    private static final PrometheusMeterRegistry REGISTRY = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private static final GatewayServer SHARED =
            start(Map.of(ServerSettings.ATTRIBUTES_TRUSTED, "plan,tier"), new Limiter() {
                @Override
                public CompletableFuture<Answer> admit(Ask ask) {
                    return LIMITER.get().admit(ask);
                }

                @Override
                public CompletableFuture<Answer> peek(Ask ask) {
                    return LIMITER.get().peek(ask);
                }

                @Override
                public boolean ready() {
                    return LIMITER.get().ready();
                }

                @Override
                public Optional<Policy> policy(long version) {
                    return LIMITER.get().policy(version);
                }

                @Override
                public Optional<Policy> newestPolicy() {
                    return LIMITER.get().newestPolicy();
                }
            });

    private final FoldingLimiter limiter = new FoldingLimiter();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private int port = SHARED.port();

    @BeforeEach
    void useOwnLimiter() {
        LIMITER.set(limiter);
    }

    @AfterAll
    static void close() {
        SHARED.close();
    }

    // ---- decisions

    @Test
    void a_request_within_policy_gets_200_and_the_whole_decision() throws Exception {
        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"user\":\"U-17\",\"route\":\"GET /catalog\"}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(contentType(response)).isEqualTo("application/json");
        assertThat(response.headers().firstValue("retry-after")).isEmpty();
        assertThat(response.headers().firstValue("server")).isEmpty();
        assertThat(body(response)).isEqualTo(JSON.readTree("""
                                {"allowed":true,"verdict":"ALLOW","stage":"tenant","decisionId":"0-3-0","earlierDecisionIds":[],
                                 "policyVersion":43,"denyingRule":null,"scope":null,"limit":3,"remaining":2,
                                 "resetAfterMillis":null,"retryAfterMillis":null,"paceAfterMillis":null,
                                 "shadowDenials":["P-SHADOW"],"softDenials":[],"actions":[],"replayed":false}"""));
    }

    @Test
    void a_request_over_policy_gets_429_with_the_wait_in_whole_seconds_rounded_up() throws Exception {
        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"cost\":5}");
        assertThat(response.statusCode()).isEqualTo(200);

        response = check("{\"tenant\":\"atlas\"}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(contentType(response)).isEqualTo("application/problem+json");
        assertThat(response.headers().firstValue("retry-after")).hasValue("4");
        assertThat(body(response)).isEqualTo(JSON.readTree("""
                                {"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Quota exceeded",
                                 "status":429,"detail":"Rule P-TENANT has no room for this request.",
                                 "violated-policies":["P-TENANT"],"degraded":false,"allowed":false,"verdict":"DENY",
                                 "stage":"tenant","decisionId":"0-4-0","earlierDecisionIds":[],"policyVersion":43,
                                 "denyingRule":"P-TENANT","scope":"tenant","limit":5,"remaining":0,
                                 "resetAfterMillis":17500,"retryAfterMillis":3500,"paceAfterMillis":null,
                                 "shadowDenials":["P-SHADOW"],"softDenials":[],"actions":[],"replayed":false}"""));
    }

    @Test
    void the_fields_that_the_policy_wants_are_told_of_known_callers_and_of_others_only_the_wait() throws Exception {
        LIMITER.set(new FoldingLimiter(
                new Responses(EnumSet.allOf(Responses.Header.class), Responses.Audience.AUTHENTICATED, 0, 0)));

        HttpResponse<String> allowed = check("{\"tenant\":\"atlas\",\"cost\":5}");
        HttpResponse<String> denied = check("{\"tenant\":\"atlas\"}");
        HttpResponse<String> anonymous = check("{\"tenant\":\"atlas\",\"authenticated\":false}");
        HttpResponse<String> several = check("{\"checks\":[{\"tenant\":\"atlas\"}]}");

        assertThat(fields(allowed))
                .isEqualTo("ratelimit-policy: \"P-TENANT\";q=5;w=18, ratelimit: \"P-TENANT\";r=0;t=18, "
                        + "x-ratelimit-limit: 5, x-ratelimit-remaining: 0, x-ratelimit-reset: 18");
        assertThat(fields(denied))
                .isEqualTo("ratelimit-policy: \"P-TENANT\";q=5;w=18, ratelimit: \"P-TENANT\";r=0;t=4, "
                        + "retry-after: 4, x-ratelimit-limit: 5, x-ratelimit-remaining: 0, x-ratelimit-reset: 4");
        assertThat(anonymous.statusCode()).isEqualTo(429);
        assertThat(fields(anonymous)).isEqualTo("retry-after: 4");
        assertThat(body(several).get("answers").get(0).get("headers")).isEqualTo(JSON.readTree("""
                        {"retry-after":"4","ratelimit-policy":"\\"P-TENANT\\";q=5;w=18","ratelimit":"\\"P-TENANT\\";r=0;t=4",
                         "x-ratelimit-limit":"5","x-ratelimit-remaining":"0","x-ratelimit-reset":"4"}"""));
    }

    /** The fields about limits, by name. */
    private static String fields(HttpResponse<String> response) {
        return response.headers().map().entrySet().stream()
                .filter(field ->
                        field.getKey().contains("ratelimit") || field.getKey().equals("retry-after"))
                .map(field -> field.getKey() + ": " + String.join(", ", field.getValue()))
                .sorted()
                .collect(Collectors.joining(", "));
    }

    @Test
    void there_is_no_retry_after_where_no_wait_helps() throws Exception {
        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"user\":\"U-17\",\"cost\":4}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("retry-after")).isEmpty();
        assertThat(body(response).get("retryAfterMillis").isNull()).isTrue();
    }

    @Test
    void a_peek_debits_nothing() throws Exception {
        check("{\"tenant\":\"atlas\",\"peek\":true,\"cost\":5}");

        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"peek\":true}");

        assertThat(body(response).get("remaining").longValue()).isEqualTo(5);
    }

    @Test
    void a_request_without_a_tenant_is_judged_by_its_address() throws Exception {
        String anonymous = "{\"ip\":\"203.0.113.7\",\"route\":\"GET /catalog\"}";
        check(anonymous);
        check(anonymous);

        HttpResponse<String> response = check(anonymous);

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(body(response).get("scope").textValue()).isEqualTo("ip");
        assertThat(body(response).get("stage").textValue()).isEqualTo("ip");
        assertThat(limiter.lastAsk().authenticated()).isFalse();
    }

    @Test
    void whoever_says_so_is_anonymous_although_the_tenant_is_known() throws Exception {
        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"authenticated\":false}");

        assertThat(limiter.lastAsk().authenticated()).isFalse();
        assertThat(body(response).get("stage").textValue()).isEqualTo("tenant");
    }

    @Test
    void all_stages_are_asked_and_the_answer_names_the_decisions_before_it() throws Exception {
        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"ip\":\"203.0.113.7\"}");

        assertThat(limiter.lastAsk().stages()).containsExactly(Stage.IP, Stage.TARGET, Stage.TENANT);
        assertThat(body(response).get("stage").textValue()).isEqualTo("tenant");
        assertThat(body(response).get("decisionId").textValue()).isEqualTo("0-4-0");
        assertThat(body(response).get("earlierDecisionIds")).isEqualTo(JSON.readTree("[\"0-3-0\"]"));
    }

    @Test
    void the_first_stage_that_denies_is_the_answer() throws Exception {
        check("{\"ip\":\"203.0.113.7\",\"cost\":2}");

        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"ip\":\"203.0.113.7\"}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(body(response).get("stage").textValue()).isEqualTo("ip");
        assertThat(body(response).get("earlierDecisionIds")).isEmpty();
    }

    @Test
    void one_stage_alone_may_be_asked() throws Exception {
        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"ip\":\"203.0.113.7\",\"stage\":\"ip\"}");

        assertThat(limiter.lastAsk().stages()).containsExactly(Stage.IP);
        assertThat(body(response).get("stage").textValue()).isEqualTo("ip");
    }

    @Test
    void an_explained_answer_says_what_each_rule_of_each_stage_said() throws Exception {
        HttpResponse<String> response =
                check("{\"tenant\":\"atlas\",\"user\":\"u\",\"ip\":\"203.0.113.7\",\"explain\":true,\"peek\":true}");

        assertThat(body(response).get("rules")).isEqualTo(JSON.readTree("""
                        [{"id":"P-IP","verdict":"PASS","remaining":2},
                         {"id":"P-TENANT","verdict":"PASS","remaining":5},
                         {"id":"P-SHADOW","verdict":"DENY","remaining":0},
                         {"id":"P-SOFT","verdict":"SKIP","remaining":null},
                         {"id":"P-TOKENS","verdict":"SKIP","remaining":null},
                         {"id":"P-USER","verdict":"PASS","remaining":3}]"""));
    }

    @Test
    void an_answer_that_nobody_wanted_explained_has_no_rules() throws Exception {
        assertThat(body(check("{\"tenant\":\"atlas\"}")).has("rules")).isFalse();
    }

    @Test
    void a_soft_denial_is_allowed_and_tells_the_pace() throws Exception {
        String soft = "{\"tenant\":\"atlas\",\"attributes\":{\"plan\":\"soft\"}}";
        check(soft);

        HttpResponse<String> response = check(soft);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(body(response).get("softDenials")).isEqualTo(JSON.readTree("[\"P-SOFT\"]"));
        assertThat(body(response).get("paceAfterMillis").longValue()).isEqualTo(4_000);
    }

    @Test
    void costs_on_other_meters_are_spent() throws Exception {
        check("{\"tenant\":\"atlas\",\"costs\":{\"tokens\":90}}");

        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"costs\":{\"tokens\":11}}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(body(response).get("denyingRule").textValue()).isEqualTo("P-TOKENS");
    }

    @Test
    void a_ban_is_told_by_the_id_of_the_action_and_not_in_the_words_of_the_operator() throws Exception {
        limiter.tell(new Control.ApplyAction(
                0,
                -1,
                new Action(
                        "ban-17",
                        "erika",
                        "confidential words",
                        new Subject(Stage.TENANT, new Identity("atlas", "", "", "", ""), "", Map.of()),
                        new Action.Ban(Scope.TENANT, 61_000))));

        HttpResponse<String> response = check("{\"tenant\":\"atlas\"}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("retry-after")).hasValue("60");
        assertThat(body(response).get("type").textValue()).endsWith("denied-by-operator");
        assertThat(body(response).get("denyingRule").textValue()).isEqualTo("headgate.banned");
        assertThat(body(response).get("actions")).isEqualTo(JSON.readTree("[\"ban-17\"]"));
        assertThat(response.body()).doesNotContain("confidential", "erika");
    }

    // ---- idempotency keys

    @Test
    void a_request_under_one_key_is_debited_once() throws Exception {
        String keyed = "{\"tenant\":\"atlas\",\"idempotencyKey\":\"order-1\"}";
        HttpResponse<String> first = check(keyed);
        HttpResponse<String> second = check(keyed);

        assertThat(body(second).get("replayed").booleanValue()).isTrue();
        assertThat(body(second).get("decisionId")).isEqualTo(body(first).get("decisionId"));
        assertThat(body(check("{\"tenant\":\"atlas\",\"peek\":true}"))
                        .get("remaining")
                        .longValue())
                .isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {"order-1 | order-1", "\"order-1\" | order-1", "\"a\\\"b\\\\c\" | a\"b\\c", "\" | \""})
    void the_key_may_come_in_a_header_quoted_or_not(String header, String key) throws Exception {
        send(post(BodyPublishers.ofString("{\"tenant\":\"atlas\"}")).header("idempotency-key", header));

        assertThat(limiter.lastAsk().idempotencyKey()).isEqualTo(key);
    }

    @Test
    void body_and_header_may_give_the_same_key() throws Exception {
        HttpResponse<String> response =
                send(post(BodyPublishers.ofString("{\"tenant\":\"atlas\",\"idempotencyKey\":\"order-1\"}"))
                        .header("Idempotency-Key", "\"order-1\""));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(limiter.lastAsk().idempotencyKey()).isEqualTo("order-1");
    }

    @Test
    void two_different_keys_are_400_wherever_they_stand() throws Exception {
        HttpResponse<String> bodyAndHeader =
                send(post(BodyPublishers.ofString("{\"tenant\":\"atlas\",\"idempotencyKey\":\"order-1\"}"))
                        .header("idempotency-key", "order-2"));
        HttpResponse<String> twoHeaders = send(post(BodyPublishers.ofString("{\"tenant\":\"atlas\"}"))
                .header("idempotency-key", "order-1")
                .header("idempotency-key", "order-2"));

        for (HttpResponse<String> response : List.of(bodyAndHeader, twoHeaders)) {
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(body(response).get("field").textValue()).isEqualTo("idempotencyKey");
            assertThat(body(response).get("detail").textValue()).contains("2 different keys");
        }
    }

    @Test
    void an_empty_key_in_the_header_is_400() throws Exception {
        HttpResponse<String> response =
                send(post(BodyPublishers.ofString("{\"tenant\":\"atlas\"}")).header("idempotency-key", "\"\""));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(body(response).get("detail").textValue()).contains("idempotencyKey is empty");
    }

    @Test
    void a_key_that_stands_for_another_request_is_409() throws Exception {
        check("{\"tenant\":\"atlas\",\"idempotencyKey\":\"order-1\"}");

        HttpResponse<String> response = check("{\"tenant\":\"atlas\",\"idempotencyKey\":\"order-1\",\"cost\":2}");

        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(contentType(response)).isEqualTo("application/problem+json");
        assertThat(response.headers().firstValue("retry-after")).isEmpty();
        assertThat(body(response)).isEqualTo(JSON.readTree("""
                        {"type":"urn:headgate:problems:idempotency-conflict","title":"Idempotency key used for another request",
                         "status":409,"detail":"The request was not decided: its idempotency key stands for another request. \
                        Give each request a key of its own.","cause":"CONFLICT","allowed":false,"verdict":"CONFLICT",
                         "decisionId":"0-4-0","earlierDecisionIds":[]}"""));
    }

    @Test
    void every_field_reaches_the_question() throws Exception {
        check("""
                {"tenant":"atlas","user":"u","apiKey":"k","ip":"2001:DB8:0::1","target":"t","authenticated":true,
                 "route":"GET /catalog","attributes":{"plan":"gold"},"cost":2,"costs":{"tokens":700},
                 "idempotencyKey":"order-1","explain":true,"trace":true}""");

        assertThat(limiter.lastAsk().caller()).isEqualTo(new Caller("atlas", "u", "k", "2001:db8::1", "t"));
        assertThat(limiter.lastAsk().route()).isEqualTo("GET /catalog");
        assertThat(limiter.lastAsk().attributes()).containsExactly(Map.entry("plan", "gold"));
        assertThat(limiter.lastAsk().costs()).containsOnly(Map.entry("requests", 2L), Map.entry("tokens", 700L));
        assertThat(limiter.lastAsk().idempotencyKey()).isEqualTo("order-1");
        assertThat(limiter.lastAsk().explain()).isTrue();
        assertThat(limiter.lastAsk().trace()).isTrue();
    }

    // ---- no decision

    @Test
    void what_cannot_be_decided_gets_503_and_its_cause() throws Exception {
        for (Cause cause : EnumSet.complementOf(EnumSet.of(Cause.CONFLICT))) {
            limiter.answerInstead(
                    ask -> CompletableFuture.completedFuture(Unavailable.because(cause, "no answer came in time")));

            HttpResponse<String> response = check("{\"tenant\":\"atlas\"}");

            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(contentType(response)).isEqualTo("application/problem+json");
            assertThat(response.headers().firstValue("retry-after")).hasValue("1");
            assertThat(body(response).get("type").textValue()).endsWith("limiter-unavailable");
            assertThat(body(response).get("cause").textValue()).isEqualTo(cause.name());
            assertThat(body(response).get("allowed").booleanValue()).isFalse();
        }
    }

    @Test
    void a_shard_that_is_not_ready_is_503_with_its_verdict() throws Exception {
        limiter.answerInstead(ask -> CompletableFuture.<Answer>completedFuture(new Unavailable(
                Cause.SHARD,
                Optional.of(Decision.undecided(Verdict.NOT_READY, new DecisionId(3, 1_042, 0), 0, "no policy")),
                "NOT_READY: no policy",
                OptionalLong.empty(),
                List.of(Decision.undecided(Verdict.ALLOW, new DecisionId(2, 7, 1), 43, "")))));

        HttpResponse<String> response = check("{\"tenant\":\"atlas\"}");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(body(response).get("verdict").textValue()).isEqualTo("NOT_READY");
        assertThat(body(response).get("decisionId").textValue()).isEqualTo("3-1042-0");
        assertThat(body(response).get("earlierDecisionIds")).isEqualTo(JSON.readTree("[\"2-7-1\"]"));
    }

    @Test
    void a_bug_is_500_and_tells_nothing_of_the_inside() throws Exception {
        limiter.answerInstead(ask -> CompletableFuture.failedFuture(new IllegalStateException("secret inside")));

        HttpResponse<String> response = check("{\"tenant\":\"atlas\"}");

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(contentType(response)).isEqualTo("application/problem+json");
        assertThat(response.body()).doesNotContain("secret", "IllegalState");
    }

    // ---- bad requests

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"tenat\":\"atlas\"} | tenat | the closest is 'tenant'",
                "{\"tenant\":7} | tenant | tenant is a number; it must be a string",
                "{\"tenant\":null} | tenant | tenant is null; it must be a string",
                "{\"tenant\":\"a\",\"user\":true} | user | user is true or false; it must be a string",
                "{\"tenant\":\"a\",\"cost\":\"three\"} | cost | cost is \"three\"; it must be a whole number",
                "{\"tenant\":\"a\",\"cost\":1.5} | cost | cost is 1.5",
                "{\"tenant\":\"a\",\"cost\":-1} | cost | -1",
                "{\"tenant\":\"a\",\"cost\":4611686018427387904} | cost | 4611686018427387904",
                "{\"tenant\":\"a\",\"cost\":99999999999999999999999} | cost | 99999999999999999999999",
                "{\"tenant\":\"a\",\"authenticated\":\"yes\"} | authenticated | authenticated is \"yes\"",
                "{\"tenant\":\"a\",\"peek\":1} | peek | peek is 1",
                "{\"tenant\":\"a\",\"attributes\":[]} | attributes | attributes is a list",
                "{\"tenant\":\"a\",\"attributes\":{\"plan\":1}} | attributes | attributes.plan is a number",
                "{\"tenant\":\"a\",\"attributes\":{\"role\":\"admin\"}} | attributes | attributes.role is not an attribute that",
                "{\"tenant\":\"a\",\"attributes\":{\"role\":\"admin\"}} | attributes | its setting attributes.trusted",
                "{\"tenant\":\"a\",\"costs\":7} | costs | costs is a number; it must be an object of numbers",
                "{\"tenant\":\"a\",\"costs\":{\"tokens\":\"7\"}} | costs | costs.tokens is \"7\"; it must be a whole number",
                "{\"tenant\":\"a\",\"costs\":{\"tokens\":1.5}} | costs | costs.tokens is 1.5",
                "{\"tenant\":\"a\",\"costs\":{\"tokens\":-1}} | costs | costs.tokens is -1",
                "{\"tenant\":\"a\",\"costs\":{\"Tokens\":1}} | costs | meter is 'Tokens'",
                "{\"tenant\":\"a\",\"costs\":{\"requests\":1}} | costs | costs.requests has a field of its own; give it as cost",
                "{\"tenant\":\"a\",\"costs\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1}} | costs | 9 meters",
                "{\"tenant\":\"a\",\"idempotencyKey\":7} | idempotencyKey | idempotencyKey is a number",
                "{\"tenant\":\"a\",\"idempotencyKey\":\"\"} | idempotencyKey | idempotencyKey is empty",
                "{\"tenant\":\"a\",\"explain\":\"yes\"} | explain | explain is \"yes\"; it must be true or false",
                "{\"tenant\":\"a\",\"trace\":1} | trace | trace is 1; it must be true or false",
                "{\"tenant\":\"a\",\"stage\":\"user\"} | stage | stage is 'user'; it must be one of [ip, target, tenant]",
                "{\"tenant\":\"a\",\"stage\":1} | stage | stage is a number",
                "{\"tenant\":\"a\",\"stage\":\"ip\"} | stage | ip is missing; stage 'ip' cannot do without it",
                "{\"tenant\":\"a\",\"ip\":\"203.0.113.7:443\"} | ip | ip has a port; it must be one IPv4 or IPv6 address",
                "{\"ip\":\"fe80::1%eth0\"} | ip | ip has a zone id"
            })
    void a_field_with_a_mistake_is_named_with_what_is_wrong(String body, String field, String detail) throws Exception {
        HttpResponse<String> response = check(body);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(contentType(response)).isEqualTo("application/problem+json");
        assertThat(body(response).get("field").textValue()).isEqualTo(field);
        assertThat(body(response).get("detail").textValue()).contains(detail);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"user\":\"u\",\"apiKey\":\"k\",\"authenticated\":true}", "{\"tenant\":\" \"}"})
    void a_request_that_nothing_counts_is_400(String body) throws Exception {
        HttpResponse<String> response = check(body);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(body(response).get("detail").textValue())
                .isEqualTo("there is no ip, no target, no tenant; a request is counted by one of them");
        assertThat(body(response).has("field")).isFalse();
    }

    @Test
    void an_idempotency_key_of_257_characters_is_400() throws Exception {
        HttpResponse<String> response = check("{\"tenant\":\"a\",\"idempotencyKey\":\"" + "k".repeat(257) + "\"}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(body(response).get("detail").textValue())
                .isEqualTo("idempotencyKey has 257 characters; at most 256 are allowed");
    }

    @Test
    void no_attribute_is_believed_unless_the_setting_says_so() throws Exception {
        GatewayServer server = start(Map.of(), limiter);
        port = server.port();

        HttpResponse<String> response = check("{\"tenant\":\"a\",\"attributes\":{\"plan\":\"gold\"}}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(body(response).get("detail").textValue()).contains("attributes.plan", "attributes.trusted");
        assertThat(check("{\"tenant\":\"a\",\"attributes\":{}}").statusCode()).isEqualTo(200);
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "not json at all",
                "{\"tenant\":\"atlas\"",
                "{\"tenant\":\"atlas\"} {}",
                "{\"tenant\":\"atlas\",\"tenant\":\"borea\"}",
                "[1,2,3]",
                "\"atlas\"",
                "{\"tenant\":\"a\",\"attributes\":{\"a\":[[[[[[[[[[1]]]]]]]]]]}}"
            })
    void a_body_that_is_no_json_object_is_400(String body) throws Exception {
        HttpResponse<String> response = check(body);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(contentType(response)).isEqualTo("application/problem+json");
        assertThat(body(response).get("detail").textValue()).startsWith("the body is");
    }

    @Test
    void no_identifier_but_the_tenant_comes_back_in_a_message() throws Exception {
        for (String body : List.of(
                "{\"tenant\":\"a\",\"user\":[\"erika\"]}",
                "{\"tenant\":\"a\",\"apiKey\":{\"erika\":1}}",
                "{\"tenant\":\"a\",\"user\":\"" + "erika".repeat(1_000) + "\"}",
                "{\"tenant\":\"a\",\"user\":\"erika\" erika}",
                "{\"tenant\":\"a\",\"ip\":\"erika\"}",
                "{\"tenant\":\"a\",\"user\":\"erika\",\"cost\":-1}")) {
            HttpResponse<String> response = check(body);

            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(response.body()).doesNotContain("erika");
        }
    }

    @Test
    void a_tenant_of_ten_thousand_characters_is_400_and_named() throws Exception {
        HttpResponse<String> response = check("{\"tenant\":\"" + "a".repeat(10_000) + "\"}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(body(response).get("field").textValue()).isEqualTo("tenant");
        assertThat(body(response).get("detail").textValue())
                .isEqualTo("tenant has 10000 characters; at most 256 are allowed");
    }

    @Test
    void a_body_over_64_kib_is_400_whether_its_length_is_told_or_not() throws Exception {
        byte[] huge =
                ("{\"tenant\":\"" + "a".repeat(CheckService.MAX_BODY_LENGTH) + "\"}").getBytes(StandardCharsets.UTF_8);

        HttpResponse<String> told = send(post(BodyPublishers.ofByteArray(huge)));
        HttpResponse<String> untold = send(post(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(huge))));

        assertThat(List.of(told.statusCode(), untold.statusCode())).containsExactly(400, 400);
        assertThat(contentType(told)).isEqualTo("application/problem+json");
        assertThat(body(told).get("detail").textValue()).contains("65536");
        assertThat(body(untold).get("detail").textValue()).contains("65536");
    }

    @Test
    void line_breaks_in_a_tenant_do_not_reach_a_header() throws Exception {
        HttpResponse<String> response = check("{\"tenant\":\"a\\r\\nX-Evil: 1\\r\\n\\r\\n<html>\",\"cost\":9}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("x-evil")).isEmpty();
        assertThat(response.body()).doesNotContain("\r", "<html>");
    }

    @Test
    void another_method_content_type_or_path_is_refused_as_a_problem() throws Exception {
        HttpResponse<String> get = send(request(CheckService.PATH).GET());
        HttpResponse<String> text = send(
                request(CheckService.PATH).header("content-type", "text/plain").POST(BodyPublishers.ofString("{}")));
        HttpResponse<String> none = send(request(CheckService.PATH).POST(BodyPublishers.ofString("{}")));
        HttpResponse<String> latin = send(request(CheckService.PATH)
                .header("content-type", "application/json; charset=iso-8859-1")
                .POST(BodyPublishers.ofString("{}")));
        HttpResponse<String> nowhere = send(request("/v2/check").POST(BodyPublishers.ofString("{}")));
        HttpResponse<String> root = send(request("/").GET());

        assertThat(get.statusCode()).isEqualTo(405);
        assertThat(get.headers().firstValue("allow")).hasValue("POST");
        assertThat(text.statusCode()).isEqualTo(415);
        assertThat(none.statusCode()).isEqualTo(415);
        assertThat(latin.statusCode()).isEqualTo(415);
        assertThat(nowhere.statusCode()).isEqualTo(404);
        assertThat(root.statusCode()).isEqualTo(404);
        for (HttpResponse<String> response : List.of(get, text, none, latin, nowhere, root)) {
            assertThat(contentType(response)).isEqualTo("application/problem+json");
            assertThat(body(response).get("status").intValue()).isEqualTo(response.statusCode());
        }
    }

    @Test
    void json_may_say_that_it_is_utf_8() throws Exception {
        HttpResponse<String> response = send(request(CheckService.PATH)
                .header("content-type", "application/json; charset=utf-8")
                .POST(BodyPublishers.ofString("{\"tenant\":\"Ærø\"}")));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(limiter.lastAsk().caller().tenant()).isEqualTo("Ærø");
    }

    // ---- the process

    @Test
    void it_is_live_and_ready_while_the_limiter_is() throws Exception {
        port = SHARED.adminPort();
        HttpResponse<String> live = send(request(HealthService.LIVE).GET());
        HttpResponse<String> ready = send(request(HealthService.READY).GET());
        limiter.ready = false;
        HttpResponse<String> unready = send(request(HealthService.READY).GET());

        assertThat(live.statusCode()).isEqualTo(200);
        assertThat(body(live).get("status").textValue()).isEqualTo("live");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(body(ready).get("status").textValue()).isEqualTo("ready");
        assertThat(unready.statusCode()).isEqualTo(503);
        assertThat(body(unready).get("status").textValue()).isEqualTo("not ready");
        assertThat(send(request(HealthService.READY).POST(BodyPublishers.noBody()))
                        .statusCode())
                .isEqualTo(405);
    }

    @Test
    void metrics_are_shown() throws Exception {
        REGISTRY.counter("ratelimit.checks", "outcome", "allow").increment();
        port = SHARED.adminPort();

        assertThat(send(request("/metrics").GET()).body()).contains("ratelimit_checks_total{outcome=\"allow\"} 1");
    }

    @Test
    void health_and_metrics_are_on_the_admin_port_and_nowhere_else_and_questions_are_not_there() throws Exception {
        for (String path : List.of(HealthService.LIVE, HealthService.READY, GatewayServer.METRICS_PATH)) {
            assertThat(send(request(path).GET()).statusCode()).as(path).isEqualTo(404);
        }

        port = SHARED.adminPort();

        assertThat(check("{\"tenant\":\"atlas\"}").statusCode()).isEqualTo(404);
    }

    @Test
    void the_version_is_the_builds() throws Exception {
        HttpResponse<String> response = send(request(GatewayServer.VERSION_PATH).GET());

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(body(response).get("version").textValue()).matches("[0-9]+\\.[0-9]+\\.[0-9]+.*");
        assertThat(send(request(GatewayServer.VERSION_PATH).DELETE()).statusCode())
                .isEqualTo(405);
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerSettings.PORT, ServerSettings.ADMIN_PORT})
    void a_taken_port_is_named_in_one_line(String setting) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());

            assertThatThrownBy(() -> start(Map.of(setting, port), limiter))
                    .isInstanceOf(ServerStartException.class)
                    .hasMessageContaining("port " + port + " on 127.0.0.1 is taken")
                    .hasMessageEndingWith(" with " + setting + "=…")
                    .hasMessageNotContaining("\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ServerSettings.BIND_ADDRESS, ServerSettings.ADMIN_ADDRESS})
    void an_address_that_is_not_of_this_machine_is_refused_in_one_line(String setting) {
        assertThatThrownBy(() -> start(Map.of(setting, "192.0.2.1"), limiter))
                .isInstanceOf(ServerStartException.class)
                .hasMessageContaining("192.0.2.1");
    }

    @Test
    void settings_are_checked() {
        assertThatThrownBy(() -> new ServerSettings(Map.of("prot", "1")))
                .hasMessage("there is no setting 'prot'; the closest is 'port'");
        assertThat(new ServerSettings(Map.of("attributes.trusted", "plan, tier")).effective())
                .containsEntry("attributes.trusted", "plan,tier");
        assertThatThrownBy(() -> new ServerSettings(Map.of("attributes.trusted", "plan,,tier")))
                .hasMessageContaining("attributes.trusted");
        assertThatThrownBy(() -> new ServerSettings(Map.of("port", "65536")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("port")
                .hasMessageContaining("65536");
        assertThatThrownBy(() -> new ServerSettings(Map.of("port", "8082")))
                .hasMessage("setting 'admin.port' is 8082, as 'port' is; they must be two ports");
        assertThat(new ServerSettings(Map.of("port", "0", "admin.port", "0")).adminPort())
                .isZero();
        assertThat(new ServerSettings(Map.of()).effective())
                .containsEntry("bind.address", "127.0.0.1")
                .containsEntry("attributes.trusted", "")
                .containsEntry("port", "8080");
    }

    private static GatewayServer start(Map<String, String> settings, Limiter limiter) {
        Map<String, String> all = new HashMap<>(
                Map.of(ServerSettings.PORT, "0", ServerSettings.ADMIN_PORT, "0", ServerSettings.DRAIN_QUIET_MS, "0"));
        all.putAll(settings);
        return GatewayServer.start(new ServerSettings(all), limiter, REGISTRY);
    }

    private HttpResponse<String> check(String body) throws IOException, InterruptedException {
        return send(post(BodyPublishers.ofString(body)));
    }

    private HttpRequest.Builder post(HttpRequest.BodyPublisher body) {
        return request(CheckService.PATH)
                .header("content-type", "application/json")
                .POST(body);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(20));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), BodyHandlers.ofString());
    }

    private static String contentType(HttpResponse<?> response) {
        return response.headers().firstValue("content-type").orElse("").replaceAll("; charset=utf-8$", "");
    }

    private static JsonNode body(HttpResponse<String> response) throws IOException {
        return JSON.readTree(response.body());
    }
}
