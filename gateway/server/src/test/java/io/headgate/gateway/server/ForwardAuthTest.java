package io.headgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.server.identity.Issuer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Proxies ask over real HTTP, honestly and not; behind the gateway a shard that really folds. */
@Timeout(60)
class ForwardAuthTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Issuer ISSUER = new Issuer();
    private static final FoldingLimiter LIMITER = new FoldingLimiter();
    private static final PrometheusMeterRegistry REGISTRY = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static GatewayServer byToken;
    private static GatewayServer byHeaders;
    private static GatewayServer withoutPeers;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        Path keys = Files.writeString(folder.resolve("keys.json"), ISSUER.keys());
        byToken = Servers.start(
                Map.of(
                        "proxy.peers",
                        "127.0.0.1",
                        "proxy.chain",
                        "10.0.0.0/8",
                        "identity.from",
                        "jwt",
                        "jwt.keys.file",
                        keys.toString(),
                        "jwt.issuer",
                        Issuer.NAME,
                        "jwt.audience",
                        Issuer.AUDIENCE),
                LIMITER,
                REGISTRY);
        byHeaders = Servers.start(
                Map.of(
                        "proxy.peers", "127.0.0.1",
                        "proxy.request.id.header", "X-Request-Id",
                        "identity.from", "headers",
                        "identity.header.tenant", "X-Tenant",
                        "identity.header.user", "X-User",
                        "identity.header.target", "X-Login"),
                LIMITER);
        withoutPeers = Servers.start(Map.of(), LIMITER);
    }

    @AfterAll
    static void close() {
        CompletableFuture.allOf(
                        CompletableFuture.runAsync(byToken::close),
                        CompletableFuture.runAsync(byHeaders::close),
                        CompletableFuture.runAsync(withoutPeers::close))
                .join();
    }

    @AfterEach
    void answerAsAlways() {
        LIMITER.answerAsAlways();
    }

    private static HttpResponse<String> ask(GatewayServer gateway, String query, String... headers) throws Exception {
        return send(gateway, "GET", ForwardAuthService.PATH + query, headers);
    }

    private static HttpResponse<String> send(GatewayServer gateway, String method, String path, String... headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path));
        request.method(method, method.equals("POST") ? BodyPublishers.ofString("a body") : BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    private static String[] from(String ip, String... more) {
        String[] basic = {"X-Forwarded-Method", "GET", "X-Forwarded-Uri", "/catalog?page=2", "X-Forwarded-For", ip};
        String[] all = Arrays.copyOf(basic, basic.length + more.length);
        System.arraycopy(more, 0, all, basic.length, more.length);
        return all;
    }

    private static String bearer(String tenant) {
        return "Bearer "
                + ISSUER.token(Issuer.claims(Instant.now().plusSeconds(600))
                        .claim("tenant", tenant)
                        .build());
    }

    private static Optional<String> header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name);
    }

    // ---- what is asked, and what comes back

    @Test
    void a_request_that_may_pass_gets_200_with_the_decision_and_no_body() throws Exception {
        HttpResponse<String> response =
                ask(byToken, "", from("203.0.113.1, 10.1.1.1", "Authorization", bearer("may-pass")));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
        assertThat(header(response, "headgate-decision-id").orElseThrow()).matches("0-\\d+-0");
        assertThat(header(response, "headgate-policy-version")).hasValue("43");
        assertThat(LIMITER.lastAsk())
                .isEqualTo(Ask.of(new Caller("may-pass", "U-17", "", "203.0.113.1", ""), true, "GET /catalog"));
    }

    @Test
    void a_request_over_policy_gets_429_for_its_client_to_read() throws Exception {
        ask(byToken, "", from("203.0.113.2"));
        ask(byToken, "", from("203.0.113.2"));

        HttpResponse<String> response = ask(byToken, "", from("203.0.113.2"));

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(header(response, "content-type")).hasValue("application/problem+json");
        assertThat(Long.parseLong(header(response, "retry-after").orElseThrow()))
                .isPositive();
        assertThat(header(response, "headgate-decision-id")).isEmpty();
        JsonNode problem = JSON.readTree(response.body());
        assertThat(problem.get("status").intValue()).isEqualTo(429);
        assertThat(problem.has("decisionId"))
                .as("told to nobody who is anonymous")
                .isFalse();
    }

    @Test
    void nginx_gets_403_with_the_status_in_a_header() throws Exception {
        ask(byToken, "?deny=403", from("203.0.113.3"));
        HttpResponse<String> second = ask(byToken, "?deny=403", from("203.0.113.3"));
        HttpResponse<String> third = ask(byToken, "?deny=403", from("203.0.113.3"));
        HttpResponse<String> forged = ask(byToken, "?deny=403", from("203.0.113.3", "Authorization", "Bearer x"));
        HttpResponse<String> broken = ask(byToken, "?deny=403", from("nobody"));

        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(header(second, "x-ratelimit-status")).isEmpty();
        assertThat(third.statusCode()).isEqualTo(403);
        assertThat(header(third, "x-ratelimit-status")).hasValue("429");
        assertThat(header(third, "retry-after")).isPresent();
        assertThat(JSON.readTree(third.body()).get("status").intValue()).isEqualTo(429);
        assertThat(forged.statusCode()).isEqualTo(401);
        assertThat(broken.statusCode()).isEqualTo(403);
        assertThat(header(broken, "x-ratelimit-status")).hasValue("400");
    }

    @Test
    void nobody_who_decides_is_503_and_never_429() throws Exception {
        LIMITER.answerInstead(
                ask -> CompletableFuture.completedFuture(Unavailable.because(Cause.DEADLINE, "no answer came")));

        HttpResponse<String> plain = ask(byToken, "", from("203.0.113.4"));
        HttpResponse<String> nginx = ask(byToken, "?deny=403", from("203.0.113.4"));

        assertThat(plain.statusCode()).isEqualTo(503);
        assertThat(header(plain, "retry-after")).hasValue("1");
        assertThat(nginx.statusCode()).isEqualTo(403);
        assertThat(header(nginx, "x-ratelimit-status")).hasValue("503");
    }

    @Test
    void a_request_that_passes_under_a_fail_mode_says_so() throws Exception {
        LIMITER.answerInstead(ask -> CompletableFuture.completedFuture(new Fallback(
                Fallback.Mode.OPEN,
                true,
                "f-1",
                43,
                Optional.empty(),
                OptionalLong.empty(),
                Optional.of(Unavailable.because(Cause.BREAKER, "")),
                List.of())));

        HttpResponse<String> response = ask(byToken, "", from("203.0.113.5"));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "headgate-fallback")).hasValue("OPEN");
        assertThat(header(response, "headgate-decision-id")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH"})
    void any_method_asks(String method) throws Exception {
        HttpResponse<String> response = send(
                byHeaders,
                method,
                ForwardAuthService.PATH,
                from(
                        "2001:db8::" + method.length() + ":" + (int) method.charAt(1),
                        "X-Tenant",
                        "any-method-" + method));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(LIMITER.lastAsk().route()).isEqualTo("GET /catalog");
    }

    @Test
    void a_denial_to_head_has_headers_and_no_body() throws Exception {
        LIMITER.answerInstead(
                ask -> CompletableFuture.completedFuture(Unavailable.because(Cause.DEADLINE, "no answer came")));

        String answer = raw(byToken, "HEAD", "");

        assertThat(answer).startsWith("HTTP/1.1 503 ").endsWith("\r\n\r\n");
    }

    @Test
    void a_proxy_may_pass_method_and_path_on_behind_a_prefix() throws Exception {
        HttpResponse<String> response = send(
                byHeaders,
                "DELETE",
                "/v1/auth//cart/%37?deny=418",
                "X-Tenant",
                "prefix",
                "X-Forwarded-For",
                "203.0.113.8",
                "X-Forwarded-Uri",
                "/free",
                "X-Forwarded-Method",
                "GET");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(LIMITER.lastAsk().route()).isEqualTo("DELETE /cart/7");
    }

    @Test
    void the_status_of_a_denial_is_the_proxys_to_choose_and_not_the_clients() throws Exception {
        LIMITER.answerInstead(
                ask -> CompletableFuture.completedFuture(Unavailable.because(Cause.DEADLINE, "no answer came")));

        assertThat(send(byToken, "GET", "/v1/auth/cart?deny=403", "X-Forwarded-For", "203.0.113.9")
                        .statusCode())
                .isEqualTo(503);
        assertThat(ask(byToken, "?deny=200", from("203.0.113.9")).statusCode()).isEqualTo(400);
    }

    @Test
    void a_login_name_that_the_proxy_names_is_asked_about() throws Exception {
        ask(byHeaders, "", from("203.0.113.10", "X-Login", "ann"));

        assertThat(LIMITER.lastAsk().caller()).isEqualTo(new Caller("", "", "", "203.0.113.10", "ann"));
        assertThat(LIMITER.lastAsk().authenticated()).isFalse();
    }

    @Test
    void a_request_that_the_proxy_names_is_debited_once_however_often_it_is_asked_about() throws Exception {
        for (int i = 0; i < 20; i++) {
            assertThat(ask(byHeaders, "", from("203.0.113.11", "X-Tenant", "named", "X-Request-Id", "r-1"))
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(LIMITER.lastAsk().idempotencyKey()).isEqualTo("r-1");
        assertThat(ask(byHeaders, "", from("203.0.113.11", "X-Tenant", "named", "X-Request-Id", "r-2"))
                        .statusCode())
                .as("the second of two for this address")
                .isEqualTo(200);
        assertThat(ask(byHeaders, "", from("203.0.113.11", "X-Tenant", "named", "X-Request-Id", "r-3"))
                        .statusCode())
                .isEqualTo(429);
    }

    // ---- attacks

    @Test
    void a_client_cannot_make_its_requests_count_once_with_a_key_of_its_own() throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(ask(byToken, "", from("203.0.113.20", "Idempotency-Key", "k", "X-Request-Id", "k"))
                            .statusCode())
                    .isEqualTo(200);
        }

        assertThat(ask(byToken, "", from("203.0.113.20", "Idempotency-Key", "k", "X-Request-Id", "k"))
                        .statusCode())
                .isEqualTo(429);
        assertThat(LIMITER.lastAsk().idempotencyKey()).isEmpty();
    }

    @Test
    void a_client_does_not_get_a_fresh_budget_for_every_address_that_it_makes_up() throws Exception {
        assertThat(ask(byToken, "", from("1.1.1.1, 203.0.113.21")).statusCode()).isEqualTo(200);
        assertThat(ask(byToken, "", from("2.2.2.2, 203.0.113.21")).statusCode()).isEqualTo(200);
        assertThat(ask(byToken, "", from("10.0.0.1, 203.0.113.21", "X-Real-Ip", "4.4.4.4", "Forwarded", "for=5.5.5.5"))
                        .statusCode())
                .isEqualTo(429);
    }

    @Test
    void nobody_may_ask_but_configured_proxies() throws Exception {
        HttpResponse<String> response = ask(withoutPeers, "", from("203.0.113.22"));

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(JSON.readTree(response.body()).get("detail").textValue())
                .isEqualTo("only proxies in the setting proxy.peers may ask here");
        assertThat(send(withoutPeers, "GET", "/v1/auth/cart").statusCode()).isEqualTo(403);
    }

    @Test
    void a_tenant_in_a_header_is_nobodys_word_where_tokens_count() throws Exception {
        ask(byToken, "", from("203.0.113.23", "X-Tenant", "forged"));

        assertThat(LIMITER.lastAsk().caller().tenant()).isEmpty();
        assertThat(LIMITER.lastAsk().authenticated()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "eyJhbGciOiJub25lIn0.eyJ0ZW5hbnQiOiJzM2NyZXQifQ.",
                "eyJhbGciOiJIUzI1NiJ9.eyJ0ZW5hbnQiOiJzM2NyZXQifQ.AAAA",
                "eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJ0ZW5hbnQiOiJzM2NyZXQifQ.AAAA",
                "s3cret",
                ""
            })
    void a_token_that_is_not_genuine_gets_401_and_leaves_no_trace(String token) throws Exception {
        List<ILoggingEvent> logged = logging(() -> {
            HttpResponse<String> response = ask(byToken, "", from("203.0.113.24", "Authorization", "Bearer " + token));

            assertThat(response.statusCode()).isEqualTo(token.isEmpty() ? 200 : 401);
            if (!token.isEmpty()) {
                assertThat(header(response, "www-authenticate")).hasValue("Bearer error=\"invalid_token\"");
                assertThat(response.body()).doesNotContain("s3cret", token);
            }
        });

        assertThat(logged).noneMatch(event -> event.getFormattedMessage().contains("s3cret"));
        assertThat(REGISTRY.scrape()).doesNotContain("s3cret", "203.0.113.24");
    }

    @Test
    void an_expired_token_and_one_for_somebody_else_get_401_and_are_counted() throws Exception {
        String expired =
                ISSUER.token(Issuer.claims(Instant.now().minusSeconds(600)).build());
        String elsewhere = ISSUER.token(
                Issuer.claims(Instant.now().plusSeconds(600)).audience("web").build());
        double before = expired();

        HttpResponse<String> first = ask(byToken, "", from("203.0.113.25", "Authorization", "Bearer " + expired));
        HttpResponse<String> second = ask(byToken, "", from("203.0.113.25", "Authorization", "Bearer " + elsewhere));

        assertThat(List.of(first.statusCode(), second.statusCode())).containsExactly(401, 401);
        assertThat(JSON.readTree(first.body()).get("detail").textValue()).isEqualTo("the token has expired");
        assertThat(expired()).isEqualTo(before + 1);
    }

    private static double expired() {
        return REGISTRY.counter("ratelimit.gateway.identity.refusals", "reason", "token-expired")
                .count();
    }

    @Test
    void a_tenant_that_would_become_two_headers_is_refused() throws Exception {
        HttpResponse<String> byClaim =
                ask(byToken, "", from("203.0.113.26", "Authorization", bearer("atlas\r\nX-Admin: yes")));

        assertThat(byClaim.statusCode()).isEqualTo(400);
        assertThat(byClaim.body()).doesNotContain("Admin");
        for (String value : List.of("at\rlas", "at\u0000las", "at\u000blas", "atlas\u00e9", "at\u0085las")) {
            String answer = raw(byHeaders, "GET", "X-Tenant: " + value + "\r\n");
            assertThat(answer).as(value).startsWith("HTTP/1.1 400 ").doesNotContain("atlas");
        }
        raw(byHeaders, "GET", "X-Tenant: birch\r\nX-User: U-1\r\n");
        assertThat(LIMITER.lastAsk().caller().tenant()).isEqualTo("birch");
    }

    @Test
    void a_header_of_a_megabyte_is_refused() throws Exception {
        try (RawConnection connection = new RawConnection(byHeaders.port())) {
            Thread sending = new Thread(() -> {
                try {
                    connection
                            .send("GET /v1/auth HTTP/1.1\r\nHost: gateway\r\nX-Tenant: ")
                            .send("a".repeat(1 << 20))
                            .send("\r\n\r\n");
                } catch (IOException closed) {
                    // It need not be read to the end.
                }
            });
            sending.start();

            assertThat(connection.readToTheEnd()).startsWith("HTTP/1.1 431 ").hasSizeLessThan(2_000);
            sending.join();
        }
    }

    private static String raw(GatewayServer gateway, String method, String headers) throws IOException {
        List<String> lines = List.of(
                method + " /v1/auth HTTP/1.1",
                "Host: gateway",
                "Connection: close",
                "X-Forwarded-Method: GET",
                "X-Forwarded-Uri: /catalog",
                "X-Forwarded-For: 203.0.113.27",
                headers);
        try (RawConnection connection = new RawConnection(gateway.port())) {
            return connection.send(String.join("\r\n", lines) + "\r\n").readToTheEnd();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "GET           | /a/..%2fcheckout | 203.0.113.28 | header X-Forwarded-Uri has '.' or '..' beside an escaped slash or a backslash",
                "GET           | checkout         | 203.0.113.28 | header X-Forwarded-Uri does not begin with '/'",
                "G ET          | /                | 203.0.113.28 | header X-Forwarded-Method is no method: letters would do",
                "              | /                | 203.0.113.28 | header X-Forwarded-Method is missing; a proxy must say what it asks about",
                "GET           |                  | 203.0.113.28 | header X-Forwarded-Uri is missing; a proxy must say what it asks about",
                "GET           | /                |              | header X-Forwarded-For is missing; a proxy must say who its client is",
                "GET           | /                | nobody       | header X-Forwarded-For: entry 1 from the right is not an IPv4 or IPv6 address",
            })
    void what_makes_no_sense_gets_400_that_says_what_and_repeats_nothing(
            String method, String uri, String address, String detail) throws Exception {
        List<String> headers = new ArrayList<>();
        add(headers, "X-Forwarded-Method", method);
        add(headers, "X-Forwarded-Uri", uri);
        add(headers, "X-Forwarded-For", address);

        HttpResponse<String> response = ask(byToken, "", headers.toArray(String[]::new));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(JSON.readTree(response.body()).get("detail").textValue()).isEqualTo(detail);
    }

    private static void add(List<String> headers, String name, String value) {
        if (value != null) {
            headers.add(name);
            headers.add(value);
        }
    }

    @FunctionalInterface
    private interface Act {
        void run() throws Exception;
    }

    private static List<ILoggingEvent> logging(Act act) throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        Level before = root.getLevel();
        root.addAppender(appender);
        root.setLevel(Level.INFO);
        try {
            act.run();
        } finally {
            root.setLevel(before);
            root.detachAppender(appender);
        }
        return List.copyOf(appender.list);
    }
}
