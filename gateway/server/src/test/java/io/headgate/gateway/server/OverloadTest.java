package io.headgate.gateway.server;

import static io.headgate.gateway.server.RawConnection.headersOfCheck;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpRequestWriter;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Too many, too slow, too large: over real connections. */
@Timeout(120)
class OverloadTest {

    private static final String ASK = "{\"tenant\":\"a\"}";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final FoldingLimiter limiter = new FoldingLimiter();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final CompletableFuture<Answer> held = new CompletableFuture<>();
    private GatewayServer server;

    @BeforeEach
    void listenToTheLog() {
        logged.start();
        root().addAppender(logged);
    }

    @AfterEach
    void close() {
        held.complete(Unavailable.because(Cause.DEADLINE, "no answer came in time"));
        if (server != null) {
            server.close();
        }
        root().detachAppender(logged);
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    private void start(Map<String, String> settings) {
        server = Servers.start(settings, limiter, registry);
    }

    /** Lets every question wait until {@link #held} is answered. */
    private CountDownLatch holdQuestions(int awaited) {
        CountDownLatch asked = new CountDownLatch(awaited);
        limiter.answerInstead(ask -> {
            asked.countDown();
            return held;
        });
        return asked;
    }

    private double meter(String name) {
        return registry.get(name).meter().measure().iterator().next().getValue();
    }

    // ---- too many

    @Test
    void one_request_more_than_may_be_under_way_gets_503_before_its_body_has_come() throws Exception {
        start(Map.of(ServerSettings.REQUESTS_IN_FLIGHT_MAX, "2"));
        CountDownLatch asked = holdQuestions(2);
        List<CompletableFuture<HttpResponse<String>>> underWay = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            underWay.add(Servers.checkAsync(server.port(), ASK));
        }
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

        try (RawConnection third = new RawConnection(server.port())) {
            String shed = third.send(headersOfCheck(60_000)).read("HTTP/1.1 503".length());

            assertThat(shed).isEqualTo("HTTP/1.1 503");
        }
        HttpResponse<String> fourth = Servers.check(server.port(), "not even JSON");
        assertThat(fourth.statusCode()).isEqualTo(503);
        assertThat(fourth.headers().firstValue("retry-after")).hasValue("1");
        assertThat(fourth.body()).contains("limiter-unavailable", "OVERLOADED");
        assertThat(Servers.get(server.adminPort(), HealthService.READY).statusCode())
                .as("whoever runs it can still ask")
                .isEqualTo(200);
        assertThat(meter("ratelimit.gateway.requests.shed")).isEqualTo(2);
        assertThat(meter("ratelimit.gateway.requests.under.way")).isEqualTo(2);

        held.complete(Unavailable.because(Cause.DEADLINE, "no answer came in time"));
        underWay.forEach(CompletableFuture::join);
        limiter.answerAsAlways();
        await().atMost(PATIENCE).until(() -> meter("ratelimit.gateway.requests.under.way") == 0);
        assertThat(Servers.check(server.port(), ASK).statusCode()).isEqualTo(200);
    }

    @Test
    void places_of_callers_who_went_away_are_free_again() throws Exception {
        start(Map.of(ServerSettings.REQUESTS_IN_FLIGHT_MAX, "1"));
        for (int i = 0; i < 3; i++) {
            try (RawConnection gone = new RawConnection(server.port())) {
                gone.send(headersOfCheck(100)).send("{");
                await().atMost(PATIENCE).until(() -> meter("ratelimit.gateway.requests.under.way") == 1);
            }
            await().atMost(PATIENCE).until(() -> meter("ratelimit.gateway.requests.under.way") == 0);
        }

        assertThat(Servers.check(server.port(), ASK).statusCode()).isEqualTo(200);
    }

    @Test
    void an_http_2_connection_has_no_more_streams_than_it_may() throws Exception {
        start(Map.of(ServerSettings.HTTP2_STREAMS_MAX, "3"));

        try (RawConnection connection = new RawConnection(server.port())) {
            connection.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").send("\0\0\0\4\0\0\0\0\0");

            assertThat(Http2Settings.read(connection).maxConcurrentStreams()).isEqualTo(3);
        }
    }

    // ---- too slow

    @Test
    void a_client_that_dribbles_its_body_gets_408_and_is_closed_in_time() throws Exception {
        start(Map.of(ServerSettings.BODY_TIMEOUT_MS, "700"));
        try (RawConnection slow = new RawConnection(server.port())) {
            slow.send(headersOfCheck(10_000)).send("{");
            Thread dribbling = dribble(slow);

            String answer = slow.readToTheEnd();

            assertThat(answer).startsWith("HTTP/1.1 408").contains("application/problem+json");
            dribbling.interrupt();
            dribbling.join();
        }
        await().atMost(PATIENCE).until(() -> meter("ratelimit.gateway.requests.under.way") == 0);
        assertThat(logged.list).isEmpty();
    }

    @Test
    void a_stream_whose_body_does_not_come_gets_408_and_the_others_of_its_connection_go_on() throws Exception {
        start(Map.of(ServerSettings.BODY_TIMEOUT_MS, "700"));
        RequestHeaders headers =
                RequestHeaders.of(HttpMethod.POST, CheckService.PATH, HttpHeaderNames.CONTENT_TYPE, MediaType.JSON);
        CountDownLatch asked = holdQuestions(1);
        try (ClientFactory connections = ClientFactory.builder().build()) {
            WebClient client = WebClient.builder("h2c://127.0.0.1:" + server.port())
                    .factory(connections)
                    .build();
            CompletableFuture<AggregatedHttpResponse> other =
                    client.execute(headers, HttpData.ofUtf8(ASK)).aggregate();
            assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

            HttpRequestWriter slow = HttpRequest.streaming(headers);
            AggregatedHttpResponse cutOff = client.execute(slow).aggregate().get(30, TimeUnit.SECONDS);

            assertThat(cutOff.status().code()).isEqualTo(408);
            held.complete(Unavailable.because(Cause.DEADLINE, "no answer came in time"));
            assertThat(other.get(30, TimeUnit.SECONDS).contentUtf8()).contains("DEADLINE");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST /nowhere", "GET /v1/check", "POST /version"})
    void a_client_that_dribbles_a_body_after_its_answer_is_closed_in_time(String what) throws Exception {
        start(Map.of(ServerSettings.BODY_TIMEOUT_MS, "700"));

        assertClosedAfterAnAnswer(what, "HTTP/1.1 4");
    }

    @Test
    void a_client_that_dribbles_the_body_of_a_request_that_was_too_many_is_closed_in_time() throws Exception {
        start(Map.of(ServerSettings.BODY_TIMEOUT_MS, "700", ServerSettings.REQUESTS_IN_FLIGHT_MAX, "1"));
        CountDownLatch asked = holdQuestions(1);
        CompletableFuture<HttpResponse<String>> underWay = Servers.checkAsync(server.port(), ASK);
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

        assertClosedAfterAnAnswer("POST /v1/check", "HTTP/1.1 503");

        held.complete(Unavailable.because(Cause.DEADLINE, "no answer came in time"));
        underWay.join();
    }

    private void assertClosedAfterAnAnswer(String what, String status) throws Exception {
        try (RawConnection slow = new RawConnection(server.port())) {
            slow.send(what + " HTTP/1.1\r\nHost: gateway\r\nContent-Length: 10000\r\n\r\n{");
            Thread dribbling = dribble(slow);

            assertThat(slow.readToTheEnd()).startsWith(status);

            dribbling.interrupt();
            dribbling.join();
        }
    }

    @Test
    void a_connection_is_good_for_more_after_a_503_whose_body_was_not_looked_at() throws Exception {
        start(Map.of(ServerSettings.REQUESTS_IN_FLIGHT_MAX, "1"));
        CountDownLatch asked = holdQuestions(1);
        CompletableFuture<HttpResponse<String>> underWay = Servers.checkAsync(server.port(), ASK);
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        try (RawConnection connection = new RawConnection(server.port())) {
            connection.send(headersOfCheck(50_000));
            assertThat(connection.read("HTTP/1.1 503".length())).isEqualTo("HTTP/1.1 503");
            held.complete(Unavailable.because(Cause.DEADLINE, "no answer came in time"));
            underWay.join();
            await().atMost(PATIENCE).until(() -> meter("ratelimit.gateway.requests.under.way") == 0);

            connection.send("a".repeat(50_000)).send("GET /version HTTP/1.1\r\nHost: gateway\r\n\r\n");

            assertThat(connection.readUntil(About.VERSION)).contains("HTTP/1.1 200");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "POST /v1/che", "POST /v1/check HTTP/1.1\r\nHost: gateway\r\nX-A: "})
    void a_client_that_dribbles_its_headers_or_says_nothing_is_closed_in_time(String begun) throws Exception {
        start(Map.of(ServerSettings.IDLE_TIMEOUT_MS, "1000"));
        try (RawConnection slow = new RawConnection(server.port())) {
            slow.send(begun);
            Thread dribbling = begun.isEmpty() ? new Thread(() -> {}) : dribble(slow);

            slow.readToTheEnd();

            dribbling.interrupt();
            dribbling.join();
        }
    }

    /** A byte every 50 ms until it is interrupted or the other side has closed. */
    private static Thread dribble(RawConnection connection) {
        Thread dribbling = new Thread(() -> {
            try {
                while (true) {
                    TimeUnit.MILLISECONDS.sleep(50);
                    connection.send("a");
                }
            } catch (IOException | InterruptedException over) {
                // That is what was waited for.
            }
        });
        dribbling.start();
        return dribbling;
    }

    // ---- too large

    @Test
    void headers_of_a_megabyte_are_refused_without_a_stack_trace() throws Exception {
        start(Map.of());
        try (RawConnection large = new RawConnection(server.port())) {
            Thread sending = new Thread(() -> {
                try {
                    large.send("POST /v1/check HTTP/1.1\r\nHost: gateway\r\nX-Large: ")
                            .send("a".repeat(1_000_000))
                            .send("\r\n\r\n");
                } catch (IOException closed) {
                    // It need not be read to the end.
                }
            });
            sending.start();

            assertThat(large.read("HTTP/1.1 431".length())).isEqualTo("HTTP/1.1 431");
            large.readToTheEnd();
            sending.join();
        }
        assertThat(logged.list).isEmpty();
        assertThat(Servers.check(server.port(), ASK).statusCode()).isEqualTo(200);
    }

    @Test
    void headers_of_a_megabyte_over_http_2_are_refused_and_the_gateway_goes_on() throws Exception {
        start(Map.of());
        HttpClient http2 =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        assertThat(http2.send(Servers.checkRequest(server.port(), ASK), BodyHandlers.ofString())
                        .version())
                .isEqualTo(HttpClient.Version.HTTP_2);

        String refused;
        try {
            refused = Integer.toString(http2.send(
                            Servers.request(server.port(), CheckService.PATH)
                                    .header("x-large", "a".repeat(1_000_000))
                                    .GET()
                                    .build(),
                            BodyHandlers.ofString())
                    .statusCode());
        } catch (IOException closed) {
            refused = "closed";
        }

        assertThat(refused).isIn("431", "closed");
        assertThat(logged.list).isEmpty();
        assertThat(Servers.check(server.port(), ASK).statusCode()).isEqualTo(200);
    }

    @Test
    void headers_within_the_setting_are_read() throws Exception {
        start(Map.of(ServerSettings.HEADERS_MAX_BYTES, "65536"));
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        Servers.request(server.port(), GatewayServer.VERSION_PATH)
                                .header("x-large", "a".repeat(60_000))
                                .GET()
                                .build(),
                        BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(200);
    }

    // ---- drain

    @Test
    void a_gateway_that_stops_says_so_first_then_serves_on_then_lets_the_last_request_finish() throws Exception {
        start(Map.of(ServerSettings.DRAIN_QUIET_MS, "1500", ServerSettings.DRAIN_TIMEOUT_MS, "30000"));
        Thread closing = new Thread(server::close);
        closing.start();
        await().atMost(PATIENCE)
                .until(() ->
                        Servers.get(server.adminPort(), HealthService.READY).statusCode() == 503);

        assertThat(Servers.check(server.port(), ASK).statusCode())
                .as("in the quiet time")
                .isEqualTo(200);
        CountDownLatch asked = holdQuestions(1);
        CompletableFuture<HttpResponse<String>> last = Servers.checkAsync(server.port(), ASK);
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();
        awaitRefusal();
        assertThat(Servers.get(server.adminPort(), HealthService.READY).statusCode())
                .as("health is told to the end")
                .isEqualTo(503);
        assertThat(last).isNotDone();
        held.complete(Unavailable.because(Cause.DEADLINE, "no answer came in time"));

        assertThat(last.get(30, TimeUnit.SECONDS).body()).contains("DEADLINE");
        closing.join();
    }

    /** Waits until a new request is refused, or nobody listens any more. */
    private void awaitRefusal() {
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            try (RawConnection late = new RawConnection(server.port())) {
                late.send("GET /version HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n");
                return late.readToTheEnd().contains("\"CLOSED\"");
            } catch (IOException refused) {
                return true;
            }
        });
    }

    @Test
    void a_request_that_does_not_end_is_given_up_after_the_drain_timeout() throws Exception {
        start(Map.of(ServerSettings.DRAIN_TIMEOUT_MS, "500"));
        CountDownLatch asked = holdQuestions(1);
        CompletableFuture<HttpResponse<String>> endless = Servers.checkAsync(server.port(), ASK);
        assertThat(asked.await(30, TimeUnit.SECONDS)).isTrue();

        server.close();

        assertThat(endless.handle((answer, lost) -> lost != null || answer.statusCode() == 503)
                        .get(30, TimeUnit.SECONDS))
                .isTrue();
    }
}
