package io.headgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The OpenAPI document says what is served: real requests and answers are held against it. */
@Timeout(60)
class OpenApiTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNode DOCUMENT = document();
    private static final FoldingLimiter LIMITER = new FoldingLimiter();
    private static final GatewayServer SERVER =
            Servers.start(Map.of(ServerSettings.ATTRIBUTES_TRUSTED, "plan", "proxy.peers", "127.0.0.1"), LIMITER);

    private static final String WHOLE = """
            {"tenant":"atlas","user":"u","apiKey":"k","ip":"2001:DB8:0::1","target":"t","authenticated":true,"stage":"tenant",
             "route":"GET /catalog","attributes":{"plan":"gold"},"cost":2,"costs":{"tokens":7},"idempotencyKey":"order-1",
             "explain":true,"trace":true,"peek":false}""";

    @AfterAll
    static void close() {
        SERVER.close();
    }

    private static JsonNode document() {
        try {
            return JSON.readTree(About.OPENAPI);
        } catch (IOException broken) {
            throw new AssertionError(broken);
        }
    }

    /** A schema of the document's, with the components that it refers to. */
    private static Schema schema(JsonNode inline) {
        ObjectNode whole = inline.deepCopy();
        whole.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        whole.set("components", DOCUMENT.get("components"));
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(whole.toString(), InputFormat.JSON);
    }

    private static JsonNode operation(String path, String method) {
        return DOCUMENT.get("paths").path(path).path(method);
    }

    /** Holds an answer against what the document says of its path, method and status. */
    private static void assertDescribed(String path, String method, HttpResponse<String> response) {
        JsonNode described = operation(path, method).path("responses").path(Integer.toString(response.statusCode()));
        assertThat(described.isMissingNode())
                .as("%s %s answers %s: %s", method, path, response.statusCode(), response.body())
                .isFalse();
        if (response.body().isEmpty()) {
            assertThat(described.has("content")).as("an empty body").isFalse();
            return;
        }
        String type = response.headers().firstValue("content-type").orElse("").replaceAll(";.*", "");
        JsonNode content = described.path("content").path(type);
        assertThat(content.isMissingNode()).as("%s of %s", type, described).isFalse();
        if (type.endsWith("json")) {
            assertThat(schema(content.get("schema")).validate(response.body(), InputFormat.JSON))
                    .as("%s %s answers %s: %s", method, path, response.statusCode(), response.body())
                    .isEmpty();
        }
        for (String field : List.of(
                "Retry-After", "RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", ForwardAuthService.STATUS)) {
            assertThat(response.headers().firstValue(field).isEmpty()
                            || described.path("headers").has(field))
                    .as("%s in an answer %s", field, response.statusCode())
                    .isTrue();
        }
    }

    private static HttpResponse<String> check(String body) throws Exception {
        HttpResponse<String> response = Servers.check(SERVER.port(), body);
        assertDescribed(CheckService.PATH, "post", response);
        return response;
    }

    private static List<?> mistakesOf(String body) {
        JsonNode described = operation(CheckService.PATH, "post")
                .path("requestBody")
                .path("content")
                .path("application/json")
                .path("schema");
        return schema(described).validate(body, InputFormat.JSON);
    }

    @Test
    void every_path_that_is_served_is_described_and_no_other() {
        Set<String> described = new TreeSet<>();
        DOCUMENT.get("paths").fieldNames().forEachRemaining(described::add);

        assertThat(described).isEqualTo(SERVER.paths());
    }

    @Test
    void it_is_served_and_names_the_version_of_the_build() throws Exception {
        HttpResponse<String> response = Servers.get(SERVER.port(), GatewayServer.OPENAPI_PATH);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(JSON.readTree(response.body())).isEqualTo(DOCUMENT);
        assertThat(DOCUMENT.get("openapi").textValue()).startsWith("3.1.");
        assertThat(DOCUMENT.get("info").get("version").textValue()).isEqualTo(About.VERSION);
    }

    @Test
    void every_reference_leads_somewhere() {
        List<String> references = DOCUMENT.findValuesAsText("$ref");

        assertThat(references)
                .isNotEmpty()
                .allSatisfy(reference -> assertThat(
                                DOCUMENT.at(reference.substring(1)).isMissingNode())
                        .as(reference)
                        .isFalse());
    }

    @Test
    void what_is_served_to_read_is_described() throws Exception {
        for (String path : List.of(GatewayServer.VERSION_PATH, GatewayServer.OPENAPI_PATH)) {
            assertDescribed(path, "get", Servers.get(SERVER.port(), path));
        }
        LIMITER.ready = false;
        HttpResponse<String> notReady = Servers.get(SERVER.adminPort(), HealthService.READY);
        LIMITER.ready = true;

        assertThat(notReady.statusCode()).isEqualTo(503);
        assertDescribed(HealthService.READY, "get", notReady);
        for (String path : List.of(HealthService.LIVE, HealthService.READY, GatewayServer.METRICS_PATH)) {
            HttpResponse<String> response = Servers.get(SERVER.adminPort(), path);
            assertThat(response.statusCode()).isEqualTo(200);
            assertDescribed(path, "get", response);
        }
    }

    @Test
    void a_request_with_every_field_is_described_and_so_are_all_answers_of_shards() throws Exception {
        assertThat(mistakesOf(WHOLE)).isEmpty();

        assertThat(check(WHOLE).statusCode()).isEqualTo(200);
        assertThat(check("{\"ip\":\"203.0.113.7\"}").statusCode()).isEqualTo(200);
        assertThat(check("{\"tenant\":\"birch\",\"cost\":6}").statusCode()).isEqualTo(429);
        assertThat(check(WHOLE.replace("\"cost\":2", "\"cost\":1")).statusCode())
                .isEqualTo(409);
        assertThat(check("{\"tenant\":\"birch\",\"cots\":6}").statusCode()).isEqualTo(400);
        String several = "{\"checks\":[" + WHOLE + ",{\"tenant\":\"birch\",\"cost\":6},"
                + WHOLE.replace("\"cost\":2", "\"cost\":1") + "]}";
        assertThat(mistakesOf(several)).isEmpty();
        assertThat(check(several).statusCode()).isEqualTo(200);
    }

    @Test
    void what_proxies_ask_is_described() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(auth("", "/catalog").statusCode()).isEqualTo(200);
        }
        assertThat(auth("", "/catalog").statusCode()).isEqualTo(429);
        assertThat(auth("?deny=403", "/catalog").statusCode()).isEqualTo(403);
        assertThat(auth("?deny=418", "/catalog").statusCode()).isEqualTo(400);
        assertThat(auth("", "catalog").statusCode()).isEqualTo(400);
        try {
            answerWith(Unavailable.because(Cause.DEADLINE, "no answer came in time"));
            assertThat(auth("", "/catalog").statusCode()).isEqualTo(503);
            answerWith(Unavailable.because(Cause.CONFLICT, "another request"));
            assertThat(auth("", "/catalog").statusCode()).isEqualTo(409);
            answerWith(fallback(Fallback.Mode.LOCAL_BOUNDED, true));
            assertThat(auth("", "/catalog").statusCode()).isEqualTo(200);
            answerWith(fallback(Fallback.Mode.LOCAL_BOUNDED, false));
            assertThat(auth("", "/catalog").statusCode()).isEqualTo(429);
        } finally {
            LIMITER.answerAsAlways();
        }
    }

    private static HttpResponse<String> auth(String query, String uri) throws Exception {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        Servers.request(SERVER.port(), ForwardAuthService.PATH + query)
                                .header("X-Forwarded-Method", "GET")
                                .header("X-Forwarded-Uri", uri)
                                .header("X-Forwarded-For", "203.0.113.77")
                                .build(),
                        BodyHandlers.ofString());
        assertDescribed(ForwardAuthService.PATH, "get", response);
        return response;
    }

    @Test
    void answers_without_a_decision_are_described() throws Exception {
        try {
            for (Cause cause : EnumSet.complementOf(EnumSet.of(Cause.CONFLICT))) {
                answerWith(Unavailable.because(cause, "no answer came in time"));
                assertThat(check("{\"tenant\":\"a\"}").statusCode()).isEqualTo(503);
            }
            answerWith(new Unavailable(
                    Cause.SHARD,
                    Optional.of(Decision.undecided(Verdict.NOT_READY, new DecisionId(3, 1_042, 0), 0, "no policy")),
                    "NOT_READY: no policy",
                    OptionalLong.empty(),
                    List.of(Decision.undecided(Verdict.ALLOW, new DecisionId(2, 7, 1), 43, ""))));
            assertThat(check("{\"tenant\":\"a\"}").statusCode()).isEqualTo(503);
            for (Fallback.Mode mode : Fallback.Mode.values()) {
                answerWith(fallback(mode, true));
                assertThat(check("{\"tenant\":\"a\"}").statusCode()).isEqualTo(200);
                answerWith(fallback(mode, false));
                assertThat(check("{\"tenant\":\"a\"}").statusCode()).isEqualTo(429);
                assertThat(check("{\"checks\":[{\"tenant\":\"a\"}]}").statusCode())
                        .isEqualTo(200);
            }
            LIMITER.answerInstead(ask -> CompletableFuture.failedFuture(new IllegalStateException("a bug")));
            assertThat(check("{\"tenant\":\"a\"}").statusCode()).isEqualTo(500);
        } finally {
            LIMITER.answerAsAlways();
        }
    }

    private static void answerWith(Answer answer) {
        LIMITER.answerInstead(ask -> CompletableFuture.completedFuture(answer));
    }

    private static Fallback fallback(Fallback.Mode mode, boolean admitted) {
        return new Fallback(
                mode,
                admitted,
                "f-1",
                43,
                admitted ? Optional.empty() : Optional.of("P-EXPORT.rate"),
                admitted ? OptionalLong.empty() : OptionalLong.of(2_001),
                Optional.of(Unavailable.because(Cause.BREAKER, "")),
                List.of());
    }

    @Test
    void another_method_or_type_is_described() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        HttpResponse<String> get = http.send(
                Servers.request(SERVER.port(), CheckService.PATH).GET().build(), BodyHandlers.ofString());
        HttpResponse<String> text = http.send(
                Servers.request(SERVER.port(), CheckService.PATH)
                        .header("content-type", "text/plain")
                        .POST(BodyPublishers.ofString("{}"))
                        .build(),
                BodyHandlers.ofString());

        assertThat(List.of(get.statusCode(), text.statusCode())).containsExactly(405, 415);
        assertDescribed(CheckService.PATH, "post", get);
        assertDescribed(CheckService.PATH, "post", text);
    }

    /** What the gateway refuses for its shape, the document refuses. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"user\":\"u\"}",
                "{\"tenat\":\"atlas\"}",
                "{\"tenant\":7}",
                "{\"tenant\":null}",
                "{\"tenant\":\"a\",\"cost\":\"three\"}",
                "{\"tenant\":\"a\",\"cost\":1.5}",
                "{\"tenant\":\"a\",\"cost\":-1}",
                "{\"tenant\":\"a\",\"cost\":1000000000001}",
                "{\"tenant\":\"a\",\"attributes\":[]}",
                "{\"tenant\":\"a\",\"attributes\":{\"plan\":1}}",
                "{\"tenant\":\"a\",\"costs\":{\"tokens\":\"7\"}}",
                "{\"tenant\":\"a\",\"costs\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1}}",
                "{\"tenant\":\"a\",\"idempotencyKey\":\"\"}",
                "{\"tenant\":\"a\",\"explain\":\"yes\"}",
                "{\"tenant\":\"a\",\"stage\":\"user\"}",
                "{\"checks\":[]}",
                "{\"checks\":[{}]}",
                "{\"checks\":[{\"tenant\":\"a\"}],\"tenant\":\"a\"}",
                "[{\"tenant\":\"a\"}]"
            })
    void what_the_gateway_refuses_the_document_refuses(String body) throws Exception {
        assertThat(check(body).statusCode()).isEqualTo(400);

        assertThat(mistakesOf(body)).isNotEmpty();
    }
}
