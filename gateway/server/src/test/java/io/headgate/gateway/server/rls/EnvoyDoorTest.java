package io.headgate.gateway.server.rls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import io.headgate.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.headgate.gateway.server.GatewayServer;
import io.headgate.gateway.server.ServerSettings;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands beside the rate limit service on the gateway's port. */
@Timeout(120)
class EnvoyDoorTest {

    private static final AtomicReference<ShardLimiter> LIMITER = new AtomicReference<>();
    private static final GatewayServer SHARED = start(Map.of());
    private static final Envoy ENVOY = new Envoy(SHARED.port());

    private final ShardLimiter limiter = ShardLimiter.under(ShopPolicy.SPEC);

    @BeforeEach
    void useOwnLimiter() {
        LIMITER.set(limiter);
    }

    @AfterAll
    static void close() {
        ENVOY.close();
        SHARED.close();
    }

    private static GatewayServer start(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(
                Map.of(ServerSettings.PORT, "0", ServerSettings.ADMIN_PORT, "0", ServerSettings.DRAIN_QUIET_MS, "0"));
        all.putAll(settings);
        return GatewayServer.start(
                new ServerSettings(all),
                new Delegate(LIMITER::get),
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }

    private static ServingStatus check(String service) {
        return HealthGrpc.newBlockingStub(ENVOY.channel())
                .check(HealthCheckRequest.newBuilder().setService(service).build())
                .getStatus();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", RateLimitServiceGrpc.SERVICE_NAME})
    void health_follows_whether_it_makes_sense_to_ask(String service) {
        assertThat(check(service)).isEqualTo(ServingStatus.SERVING);

        limiter.ready = false;

        assertThat(check(service)).isEqualTo(ServingStatus.NOT_SERVING);
    }

    @Test
    void there_is_no_health_of_a_service_that_is_not_there() {
        StatusRuntimeException refused =
                catchThrowableOfType(StatusRuntimeException.class, () -> check("elsewhere.Service"));

        assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(watch(ENVOY, "elsewhere.Service").next()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
    }

    @Test
    void who_watches_health_is_told_of_changes_and_sent_away_when_the_server_closes() {
        GatewayServer server = start(Map.of(ServerSettings.DRAIN_QUIET_MS, "1000"));
        Envoy envoy = new Envoy(server.port());
        Watch watch = watch(envoy, "");
        assertThat(watch.next()).isEqualTo(ServingStatus.SERVING);

        limiter.ready = false;
        assertThat(watch.next()).isEqualTo(ServingStatus.NOT_SERVING);
        limiter.ready = true;
        assertThat(watch.next()).isEqualTo(ServingStatus.SERVING);
        server.close();

        assertThat(watch.next()).isEqualTo(ServingStatus.NOT_SERVING);
        await().atMost(Duration.ofSeconds(30)).untilTrue(watch.completed);
        envoy.close();
    }

    private static Watch watch(Envoy envoy, String service) {
        Watch watch = new Watch();
        HealthGrpc.newStub(envoy.channel())
                .watch(HealthCheckRequest.newBuilder().setService(service).build(), watch);
        return watch;
    }

    private static final class Watch implements StreamObserver<HealthCheckResponse> {

        private final BlockingQueue<ServingStatus> seen = new LinkedBlockingQueue<>();
        private final AtomicBoolean completed = new AtomicBoolean();
        private final AtomicReference<String> ended = new AtomicReference<>("it did not");

        ServingStatus next() {
            try {
                ServingStatus status = seen.poll(30, TimeUnit.SECONDS);
                if (status == null) {
                    throw new AssertionError("no status came; how the watch ended: " + ended.get());
                }
                return status;
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }

        @Override
        public void onNext(HealthCheckResponse response) {
            seen.add(response.getStatus());
        }

        @Override
        public void onError(Throwable failed) {
            ended.set(failed.toString());
        }

        @Override
        public void onCompleted() {
            completed.set(true);
            ended.set("it was completed");
        }
    }

    @Test
    void reflection_lists_the_services_and_describes_envoys_as_envoy_does() throws Exception {
        ServerReflectionResponse listed =
                reflect(ServerReflectionRequest.newBuilder().setListServices("").build());
        ServerReflectionResponse file = reflect(ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol(RateLimitServiceGrpc.SERVICE_NAME)
                .build());

        assertThat(listed.getListServicesResponse().getServiceList())
                .extracting(ServiceResponse::getName)
                .contains(RateLimitServiceGrpc.SERVICE_NAME, "grpc.health.v1.Health");
        FileDescriptorProto described =
                FileDescriptorProto.parseFrom(file.getFileDescriptorResponse().getFileDescriptorProto(0));
        assertThat(described.getPackage()).isEqualTo("envoy.service.ratelimit.v3");
        assertThat(described.getService(0).getMethod(0).getName()).isEqualTo("ShouldRateLimit");
    }

    private static ServerReflectionResponse reflect(ServerReflectionRequest request) throws InterruptedException {
        BlockingQueue<ServerReflectionResponse> answers = new LinkedBlockingQueue<>();
        StreamObserver<ServerReflectionRequest> asking = ServerReflectionGrpc.newStub(ENVOY.channel())
                .serverReflectionInfo(new StreamObserver<>() {
                    @Override
                    public void onNext(ServerReflectionResponse response) {
                        answers.add(response);
                    }

                    @Override
                    public void onError(Throwable failed) {}

                    @Override
                    public void onCompleted() {}
                });
        asking.onNext(request);
        ServerReflectionResponse answer = answers.poll(30, TimeUnit.SECONDS);
        asking.onCompleted();
        assertThat(answer).isNotNull();
        return answer;
    }

    @Test
    void http_is_answered_on_the_same_port() throws Exception {
        HttpResponse<String> version = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + SHARED.port() + "/version"))
                                .build(),
                        BodyHandlers.ofString());

        assertThat(version.statusCode()).isEqualTo(200);
    }

    /** The other doors of envoyproxy/ratelimit are not here: {@code /v1/check} is what plain HTTP has. */
    @ParameterizedTest
    @ValueSource(strings = {"/json", "/healthcheck", "/rlconfig"})
    void the_reference_s_own_http_is_not_here(String path) throws Exception {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + SHARED.port() + path))
                                .build(),
                        BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(404);
    }

    @Test
    void a_request_too_many_is_unavailable() throws Exception {
        try (GatewayServer full = start(Map.of(ServerSettings.REQUESTS_IN_FLIGHT_MAX, "1"));
                Envoy toFull = new Envoy(full.port())) {
            assertThat(watch(toFull, "").next()).isEqualTo(ServingStatus.SERVING);

            Status status = toFull.refused(Envoy.request("shop", Envoy.descriptor("path", "/a")));

            assertThat(status.getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(limiter.asked()).isEmpty();
        }
    }

    @Test
    void a_key_that_would_be_two_things_is_a_mistake_in_the_settings() {
        IllegalArgumentException wrong = catchThrowableOfType(
                IllegalArgumentException.class,
                () -> new ServerSettings(Map.of("rls.keys.user", "who", "rls.keys.api.key", "who,key")));

        assertThat(wrong)
                .hasMessage(
                        "key 'who' stands in the settings 'rls.keys.user' and 'rls.keys.api.key'; it must stand in one");
    }

    @Test
    void settings_name_what_a_key_stands_for() {
        RlsSettings settings = RlsSettings.of(new AbstractConfig(
                RlsSettings.define(new ConfigDef()), Map.of("rls.keys.user", "who,whom", "rls.keys.ip", "")));

        assertThat(settings.fields()).isEqualTo(Map.of("who", CallerField.USER, "whom", CallerField.USER));
        assertThat(settings.deadlineMillis()).isEqualTo(1_000);
        assertThat(List.copyOf(settings.fields().keySet())).doesNotContain("remote_address");
    }
}
