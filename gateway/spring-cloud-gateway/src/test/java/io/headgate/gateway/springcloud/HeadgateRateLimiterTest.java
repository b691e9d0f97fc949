package io.headgate.gateway.springcloud;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.Responses.Audience;
import io.headgate.core.policy.Responses.Header;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.testing.FoldingLimiter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** A real gateway before a backend that counts what reaches it. */
class HeadgateRateLimiterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final FoldingLimiter limiter = new FoldingLimiter(
            new Responses(EnumSet.of(Header.RETRY_AFTER, Header.RATELIMIT_DRAFT10), Audience.AUTHENTICATED, 0, 0));
    private final AtomicInteger reached = new AtomicInteger();
    private final HttpClient http = HttpClient.newHttpClient();
    private HttpServer backend;
    private ConfigurableApplicationContext edge;

    @BeforeEach
    void start() throws Exception {
        backend = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        backend.createContext("/", exchange -> {
            reached.incrementAndGet();
            byte[] body = "served".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        backend.start();
        Map<String, Object> properties = new HashMap<>();
        properties.put("server.port", "0");
        properties.put("server.address", "127.0.0.1");
        route(properties, 0, "catalog", Map.of());
        route(properties, 1, "reports", Map.of("cost", "3", "route", "report-export"));
        edge = new SpringApplicationBuilder(EdgeApplication.class)
                .initializers(
                        context -> ((GenericApplicationContext) context).registerBean(Limiter.class, () -> limiter))
                .properties(properties)
                .run();
    }

    private void route(Map<String, Object> properties, int index, String id, Map<String, String> arguments) {
        String route = "spring.cloud.gateway.server.webflux.routes[" + index + "].";
        properties.put(route + "id", id);
        properties.put(route + "uri", "http://127.0.0.1:" + backend.getAddress().getPort());
        properties.put(route + "predicates[0]", "Path=/" + id + "/**");
        properties.put(route + "filters[0].name", "RequestRateLimiter");
        properties.put(route + "filters[0].args.key-resolver", "#{@tenant}");
        arguments.forEach(
                (name, value) -> properties.put(route + "filters[0].args.headgate-rate-limiter." + name, value));
    }

    @AfterEach
    void stop() {
        edge.close();
        backend.stop(0);
    }

    private HttpResponse<String> get(String path, String token) throws Exception {
        String port = edge.getEnvironment().getProperty("local.server.port");
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(PATIENCE)
                        .header("Authorization", token)
                        .build(),
                BodyHandlers.ofString());
    }

    private void answer(Answer answer) {
        limiter.answerInstead(ask -> CompletableFuture.supplyAsync(
                () -> answer, CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS)));
    }

    @Test
    void each_tenant_has_a_budget_and_429_says_when_there_is_more() throws Exception {
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> served = get("/catalog/1", "token-of-atlas");
            assertThat(served.statusCode()).isEqualTo(200);
            assertThat(served.body()).isEqualTo("served");
            assertThat(served.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"P-TENANT\";r=" + (4 - i));
        }

        HttpResponse<String> denied = get("/catalog/1", "token-of-atlas");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Retry-After")).hasValue("4");
        assertThat(denied.headers().firstValue("RateLimit-Policy").orElseThrow())
                .startsWith("\"P-TENANT\";q=5");
        assertThat(get("/catalog/1", "token-of-birch").statusCode()).isEqualTo(200);
        assertThat(reached).hasValue(6);
    }

    @Test
    void a_route_says_what_it_costs_and_which_group_it_is() throws Exception {
        assertThat(get("/reports/1", "token-of-cedar").statusCode()).isEqualTo(200);

        assertThat(limiter.lastAsk().costs()).containsEntry(Meter.REQUESTS, 3L);
        assertThat(limiter.lastAsk().route()).isEqualTo("report-export");
        assertThat(get("/reports/1", "token-of-cedar").statusCode()).isEqualTo(429);
        assertThat(get("/catalog/1", "token-of-cedar").statusCode()).isEqualTo(200);
        assertThat(limiter.lastAsk().route()).isEqualTo("catalog");
    }

    @Test
    void where_nobody_could_decide_it_is_closed_with_503() throws Exception {
        answer(Unavailable.because(Cause.DEADLINE, "no answer within 1000 ms"));

        HttpResponse<String> undecided = get("/catalog/1", "token-of-atlas");

        assertThat(undecided.statusCode()).isEqualTo(503);
        assertThat(undecided.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(undecided.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(undecided.body()).contains("urn:headgate:problems:limiter-unavailable");
        assertThat(reached).hasValue(0);
    }

    @Test
    void a_limiter_that_fails_with_a_bug_is_one_that_could_not_decide() throws Exception {
        limiter.answerInstead(ask -> CompletableFuture.failedFuture(new IllegalStateException("bug")));

        assertThat(get("/catalog/1", "token-of-atlas").statusCode()).isEqualTo(503);
        assertThat(reached).hasValue(0);
    }

    @Test
    void where_the_policy_says_open_or_bounded_it_is_as_the_policy_says() throws Exception {
        Unavailable because = Unavailable.because(Cause.BREAKER, "nobody is asked for a moment");
        answer(new Fallback(
                Fallback.Mode.OPEN,
                true,
                "f-1",
                43,
                Optional.empty(),
                OptionalLong.empty(),
                Optional.of(because),
                List.of()));
        assertThat(get("/catalog/1", "token-of-atlas").statusCode()).isEqualTo(200);

        answer(new Fallback(
                Fallback.Mode.LOCAL_BOUNDED,
                false,
                "f-2",
                43,
                Optional.of("P-TENANT"),
                OptionalLong.of(1_500),
                Optional.of(because),
                List.of()));
        HttpResponse<String> bounded = get("/catalog/1", "token-of-atlas");

        assertThat(bounded.statusCode()).isEqualTo(429);
        assertThat(bounded.headers().firstValue("Retry-After")).hasValue("2");
        assertThat(reached).hasValue(1);
    }

    @Test
    void a_request_without_a_key_is_refused_and_not_asked_about() throws Exception {
        limiter.answerInstead(ask -> CompletableFuture.failedFuture(new AssertionError("asked")));

        assertThat(get("/catalog/1", "nothing").statusCode()).isEqualTo(403);
        assertThat(reached).hasValue(0);
    }

    @Test
    void a_key_that_cannot_be_counted_is_a_400_that_does_not_repeat_it() throws Exception {
        HttpResponse<String> refused = get("/catalog/1", "token-of-" + "erika".repeat(100));

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).doesNotContain("erika");
        assertThat(reached).hasValue(0);
    }
}
