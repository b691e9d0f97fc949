package io.headgate.gateway.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.Responses.Audience;
import io.headgate.core.policy.Responses.Header;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.client.feedback.Jitter;
import io.headgate.gateway.client.testing.FoldingLimiter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeadgateFilterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final FoldingLimiter limiter = new FoldingLimiter(
            new Responses(EnumSet.of(Header.RETRY_AFTER, Header.RATELIMIT_DRAFT10), Audience.AUTHENTICATED, 0, 0));
    private final HttpClient http = HttpClient.newHttpClient();
    private Shop shop;

    @BeforeEach
    void open(@TempDir Path folder) throws Exception {
        shop = new Shop(folder, limiter, new Feedback(limiter, 2_000, Jitter.random()));
    }

    @AfterEach
    void close() throws Exception {
        shop.close();
    }

    private HttpRequest.Builder request(String path, String token) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + shop.port() + path))
                .timeout(PATIENCE)
                .header("Authorization", token);
    }

    private HttpResponse<String> get(String path, String token) throws Exception {
        return http.send(request(path, token).build(), BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> response) throws Exception {
        return new ObjectMapper().readTree(response.body());
    }

    private void spendTheTenantsBudget() throws Exception {
        for (String token : List.of("token-1", "token-1", "token-2", "token-2", "token-3")) {
            assertThat(get("/catalog", token).statusCode()).isEqualTo(200);
        }
    }

    private void answer(Answer answer) {
        limiter.answerInstead(ask -> CompletableFuture.completedFuture(answer));
    }

    @Test
    void within_policy_the_servlet_answers_and_the_header_says_what_is_left() throws Exception {
        HttpResponse<String> served = get("/catalog", "token-1");

        assertThat(served.statusCode()).isEqualTo(200);
        assertThat(served.body()).isEqualTo("served");
        assertThat(served.headers().firstValue("RateLimit").orElseThrow()).matches("\"P-USER\";r=2(;t=\\d+)?");
        assertThat(served.headers().firstValue("RateLimit-Policy").orElseThrow())
                .startsWith("\"P-USER\";q=3");
    }

    @Test
    void over_policy_it_is_429_with_the_wait_and_the_servlet_is_not_reached() throws Exception {
        spendTheTenantsBudget();

        HttpResponse<String> denied = get("/catalog", "token-3");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Retry-After")).hasValue("4");
        assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(denied.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"P-TENANT\";r=0");
        assertThat(json(denied).path("violated-policies").path(0).asText()).isEqualTo("P-TENANT");
        assertThat(shop.served).hasValue(5);
    }

    @Test
    void an_anonymous_caller_learns_when_to_come_back_and_nothing_else() throws Exception {
        spendTheTenantsBudget();

        HttpResponse<String> denied = get("/catalog", "no-token");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("Retry-After")).hasValue("4");
        assertThat(denied.headers().firstValue("RateLimit")).isEmpty();
        assertThat(denied.body()).doesNotContain("P-TENANT");
    }

    @Test
    void where_nobody_could_decide_it_is_503_and_never_429() throws Exception {
        answer(Unavailable.because(Cause.DEADLINE, "no answer within 1000 ms"));

        HttpResponse<String> undecided = get("/catalog", "token-1");

        assertThat(undecided.statusCode()).isEqualTo(503);
        assertThat(undecided.headers().firstValue("Retry-After")).hasValue("2");
        assertThat(undecided.headers().firstValue("RateLimit")).isEmpty();
        assertThat(json(undecided).path("type").asText()).isEqualTo("urn:headgate:problems:limiter-unavailable");
        assertThat(shop.served).hasValue(0);
    }

    @Test
    void a_limiter_that_fails_with_a_bug_is_one_that_could_not_decide() throws Exception {
        limiter.answerInstead(ask -> CompletableFuture.failedFuture(new IllegalStateException("bug")));

        assertThat(get("/catalog", "token-1").statusCode()).isEqualTo(503);
    }

    @Test
    void a_conflicting_idempotency_key_is_409() throws Exception {
        answer(Unavailable.because(Cause.CONFLICT, "CONFLICT"));

        assertThat(get("/catalog", "token-1").statusCode()).isEqualTo(409);
    }

    @Test
    void no_thread_waits_for_answers() throws Exception {
        int many = 10 * Shop.THREADS;
        List<CompletableFuture<Answer>> pending = new ArrayList<>();
        CountDownLatch asked = new CountDownLatch(many);
        limiter.answerInstead(ask -> {
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            synchronized (pending) {
                pending.add(answer);
            }
            asked.countDown();
            return answer;
        });

        List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            responses.add(http.sendAsync(request("/catalog", "token-1").build(), BodyHandlers.ofString()));
        }
        assertThat(asked.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(get("/open", "token-1").body()).isEqualTo("served");
        assertThat(responses).noneMatch(CompletableFuture::isDone);

        Answer allowed = new FoldingLimiter().admit(limiter.lastAsk()).join();
        synchronized (pending) {
            pending.forEach(answer -> answer.complete(allowed));
        }
        for (CompletableFuture<HttpResponse<String>> response : responses) {
            assertThat(response.get().statusCode()).isEqualTo(200);
            assertThat(response.get().body()).isEqualTo("served");
        }
    }

    @Test
    void a_denial_that_comes_later_is_a_429_too() throws Exception {
        spendTheTenantsBudget();
        FoldingLimiter elsewhere = new FoldingLimiter();
        limiter.answerInstead(ask -> CompletableFuture.supplyAsync(
                () -> elsewhere.admit(ask.withCost(6)).join(),
                CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS)));

        HttpResponse<String> denied = get("/catalog", "token-1");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(json(denied).path("status").asInt()).isEqualTo(429);
    }

    @Test
    void a_request_is_asked_about_once_whatever_it_is_dispatched_to() throws Exception {
        AtomicInteger asks = new AtomicInteger();
        FoldingLimiter elsewhere = new FoldingLimiter();
        for (Duration delay : List.of(Duration.ZERO, Duration.ofMillis(30))) {
            limiter.answerInstead(ask -> {
                asks.incrementAndGet();
                CompletableFuture<Answer> answer = elsewhere.admit(ask.withCost(0));
                return delay.isZero()
                        ? answer
                        : CompletableFuture.supplyAsync(
                                answer::join,
                                CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
            });

            asks.set(0);
            assertThat(get("/slow", "token-1").body()).isEqualTo("served at last");
            assertThat(asks).hasValue(1);
            asks.set(0);
            assertThat(get("/broken", "token-1").statusCode()).isEqualTo(500);
            assertThat(asks).hasValue(1);
        }
    }

    @Test
    void who_asks_is_what_the_container_knows_and_no_header() throws Exception {
        http.send(
                request("/catalog", "token-1")
                        .header("X-Forwarded-For", "203.0.113.9")
                        .header("Forwarded", "for=203.0.113.9")
                        .header("X-Tenant", "somebody-else")
                        .header("X-User", "root")
                        .build(),
                BodyHandlers.ofString());

        Ask ask = limiter.lastAsk();
        assertThat(ask.caller().tenant()).isEqualTo("shop");
        assertThat(ask.caller().user()).isEqualTo("erika");
        assertThat(ask.caller().ip()).isEqualTo("127.0.0.1");
        assertThat(ask.authenticated()).isTrue();
    }

    @Test
    void one_path_is_one_route_however_it_is_written() throws Exception {
        for (String path :
                List.of("/catalog", "/%63atalog", "/catalog;a=b", "/x/../catalog", "/./catalog", "/catalog?q=1")) {
            answer(Unavailable.because(Cause.DEADLINE, "not asked"));

            get(path, "token-1");

            assertThat(limiter.lastAsk().route()).as(path).isEqualTo("GET /catalog");
        }
    }

    @Test
    void addresses_are_counted_where_nobody_has_said_who_asks() throws Exception {
        assertThat(get("/login", "").statusCode()).isEqualTo(200);
        assertThat(get("/login", "").statusCode()).isEqualTo(200);
        assertThat(get("/login", "").statusCode()).isEqualTo(429);
    }

    @Test
    void what_cannot_be_counted_is_a_400_that_repeats_nothing() throws Exception {
        HttpResponse<String> refused = get("/" + "erika".repeat(900), "token-1");

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(json(refused).path("type").asText()).isEqualTo("about:blank");
        assertThat(refused.body()).doesNotContain("erika");
        assertThat(shop.served).hasValue(0);
    }
}
