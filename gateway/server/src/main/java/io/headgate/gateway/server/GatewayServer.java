package io.headgate.gateway.server;

import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.client.feedback.Jitter;
import io.headgate.gateway.server.identity.Identification;
import io.headgate.gateway.server.rls.EnvoyDoor;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway over HTTP/1.1, HTTP/2 and gRPC, on two ports. One is for whoever asks: {@code POST /v1/check}, {@code
 * /v1/auth}, {@code GET /version} and {@code /openapi.json}, and Envoy's rate limit service. The other, for whoever runs it:
 * {@code GET /healthz/live}, {@code /healthz/ready} and
 * {@code /metrics}. The limiter is the caller's to close, after the server.
 */
public final class GatewayServer implements AutoCloseable {

    static final String VERSION_PATH = "/version";
    static final String OPENAPI_PATH = "/openapi.json";
    static final String METRICS_PATH = "/metrics";

    private static final Logger LOG = LoggerFactory.getLogger(GatewayServer.class);

    /** Longer than any answer takes. */
    private static final long REQUEST_TIMEOUT_MILLIS = Ask.MAX_DEADLINE_MILLIS + 5_000;

    private static final long MILLIS_PER_SECOND = 1_000;
    private static final long QUIET_MILLIS = 50;
    private static final int MAX_ADMIN_CONNECTIONS = 256;

    private final Limiter limiter;
    private final long drainQuietMillis;
    private final Places places;
    private final Identification identification;
    private final Listener api;
    private final Listener admin;
    private volatile boolean closing;

    /**
     * Starts a server.
     *
     * @param settings where it listens, and how
     * @param limiter answers the questions
     * @param registry what {@code /metrics} shows
     * @throws ServerStartException if it cannot listen there
     */
    public static GatewayServer start(ServerSettings settings, Limiter limiter, PrometheusMeterRegistry registry) {
        GatewayServer gateway = new GatewayServer(settings, limiter, registry);
        LOG.atInfo()
                .addKeyValue("address", settings.bindAddress())
                .addKeyValue("port", gateway.port())
                .addKeyValue("adminAddress", settings.adminAddress())
                .addKeyValue("adminPort", gateway.adminPort())
                .log("the gateway is listening");
        if (!gateway.api.isForThisMachineOnly()) {
            LOG.warn("the gateway believes whoever reaches it; it listens on more than this machine");
        }
        return gateway;
    }

    private GatewayServer(ServerSettings settings, Limiter limiter, PrometheusMeterRegistry registry) {
        this.limiter = limiter;
        this.drainQuietMillis = settings.drainQuietMillis();
        this.places = new Places(settings.requestsInFlightMax(), settings.unavailableRetryAfterSeconds(), registry);
        this.identification = identification(settings, registry);
        try {
            this.api = Listener.start(
                    api(settings, registry),
                    settings.bindAddress(),
                    settings.port(),
                    ServerSettings.BIND_ADDRESS,
                    ServerSettings.PORT);
        } catch (ServerStartException failed) {
            identification.close();
            throw failed;
        }
        try {
            this.admin = Listener.start(
                    admin(registry),
                    settings.adminAddress(),
                    settings.adminPort(),
                    ServerSettings.ADMIN_ADDRESS,
                    ServerSettings.ADMIN_PORT);
        } catch (ServerStartException failed) {
            api.stop().join();
            identification.close();
            throw failed;
        }
    }

    private static Identification identification(ServerSettings settings, PrometheusMeterRegistry registry) {
        try {
            return Identification.start(settings.identity(), registry);
        } catch (IllegalArgumentException unreadable) {
            throw new ServerStartException(unreadable.getMessage(), unreadable);
        }
    }

    private ServerBuilder api(ServerSettings settings, PrometheusMeterRegistry registry) {
        Feedback feedback =
                new Feedback(limiter, settings.unavailableRetryAfterSeconds() * MILLIS_PER_SECOND, Jitter.random());
        ForwardAuthService forwardAuth =
                new ForwardAuthService(limiter, feedback, identification, settings.identity(), registry);
        BodyDeadline bodyDeadline = new BodyDeadline(settings.bodyTimeoutMillis());
        ServerBuilder builder = Server.builder()
                .maxNumConnections(settings.connectionsMax())
                .idleTimeoutMillis(settings.idleTimeoutMillis())
                .requestTimeoutMillis(REQUEST_TIMEOUT_MILLIS)
                .maxRequestLength(CheckService.MAX_BODY_LENGTH)
                .http1MaxHeaderSize(settings.headersMaxBytes())
                .http2MaxHeaderListSize(settings.headersMaxBytes())
                .http2MaxStreamsPerConnection(settings.http2StreamsMax())
                .gracefulShutdownTimeoutMillis(
                        Math.min(QUIET_MILLIS, settings.drainTimeoutMillis()), settings.drainTimeoutMillis())
                .decorator(places)
                .service(EnvoyDoor.open(limiter, feedback, settings.rls(), registry, this::ready, () -> closing))
                .service(
                        CheckService.PATH,
                        new CheckService(limiter, feedback, bodyDeadline, settings.trustedAttributes()))
                .service(ForwardAuthService.PATH, forwardAuth)
                .serviceUnder(ForwardAuthService.PATH + "/", forwardAuth)
                .service(
                        VERSION_PATH,
                        new TextService(VERSION_PATH, MediaType.JSON, () -> "{\"version\":\"" + About.VERSION + "\"}"))
                .service(OPENAPI_PATH, new TextService(OPENAPI_PATH, MediaType.JSON, () -> About.OPENAPI));
        // The last is the first to see a request.
        bodyDeadline.applyTo(builder);
        return builder;
    }

    private ServerBuilder admin(PrometheusMeterRegistry registry) {
        return Server.builder()
                .maxNumConnections(MAX_ADMIN_CONNECTIONS)
                .service(HealthService.LIVE, new HealthService("live", () -> true))
                .service(HealthService.READY, new HealthService("ready", this::ready))
                .service(METRICS_PATH, new TextService(METRICS_PATH, MediaType.PLAIN_TEXT_UTF_8, registry::scrape));
    }

    /** The port for whoever asks. */
    public int port() {
        return api.port();
    }

    /** The port for health and metrics. */
    public int adminPort() {
        return admin.port();
    }

    /** Whether it makes sense to send it requests. */
    public boolean ready() {
        return !closing && limiter.ready();
    }

    /** The paths of both ports. */
    Set<String> paths() {
        Set<String> paths = new TreeSet<>(api.paths());
        paths.addAll(admin.paths());
        return paths;
    }

    /**
     * Says that it is not ready any more, serves on until whoever sends it requests must have noticed, lets those under
     * way finish while it refuses new ones, and stops. Health and metrics are there until the last request has its answer.
     */
    @Override
    public void close() {
        if (!closing) {
            closing = true;
            awaitQuiet();
        }
        CompletableFuture<Void> empty = places.close();
        CompletableFuture<Void> stopped = api.stop();
        CompletableFuture.anyOf(stopped, empty).join();
        CompletableFuture.allOf(stopped, admin.stop()).join();
        identification.close();
    }

    private void awaitQuiet() {
        try {
            TimeUnit.MILLISECONDS.sleep(drainQuietMillis);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
