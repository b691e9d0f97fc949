package io.headgate.gateway.server;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.Server;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gateway over HTTP/1.1 and HTTP/2: {@code POST /v1/check}, {@code GET /healthz/live}, {@code /healthz/ready} and
 * {@code /metrics}. The limiter is the caller's to close, after the server.
 */
public final class GatewayServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(GatewayServer.class);

    /** Longer than any answer takes. */
    private static final long REQUEST_TIMEOUT_MILLIS = Ask.MAX_DEADLINE_MILLIS + 5_000;

    private static final long QUIET_MILLIS = 50;

    private final Server server;
    private final Limiter limiter;
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
        InetSocketAddress address = address(settings);
        GatewayServer gateway = new GatewayServer(settings, address, limiter, registry);
        try {
            gateway.server.start().join();
        } catch (CompletionException failed) {
            gateway.server.close();
            throw cannotListen(settings, failed.getCause());
        }
        LOG.atInfo()
                .addKeyValue("address", settings.bindAddress())
                .addKeyValue("port", gateway.port())
                .log("the gateway is listening");
        if (!address.getAddress().isLoopbackAddress()) {
            LOG.warn("the gateway believes whoever reaches it; it listens on more than this machine");
        }
        return gateway;
    }

    private GatewayServer(
            ServerSettings settings, InetSocketAddress address, Limiter limiter, PrometheusMeterRegistry registry) {
        this.limiter = limiter;
        this.server = Server.builder()
                .http(address)
                .maxNumConnections(settings.connectionsMax())
                .maxRequestLength(CheckService.MAX_BODY_LENGTH)
                .requestTimeoutMillis(REQUEST_TIMEOUT_MILLIS)
                .gracefulShutdownTimeoutMillis(
                        Math.min(QUIET_MILLIS, settings.drainTimeoutMillis()), settings.drainTimeoutMillis())
                .disableServerHeader()
                // What a service does not log itself is a client's mistake, answered and done with.
                .unloggedExceptionsReportIntervalMillis(0)
                .errorHandler(new ProblemHandler())
                .service(CheckService.PATH, new CheckService(limiter, settings))
                .service(HealthService.LIVE, new HealthService("live", () -> true))
                .service(HealthService.READY, new HealthService("ready", this::ready))
                .service(
                        "/metrics",
                        (ctx, request) -> HttpResponse.of(
                                HttpStatus.OK,
                                MediaType.PLAIN_TEXT_UTF_8,
                                HttpData.wrap(registry.scrape().getBytes(StandardCharsets.UTF_8))))
                .serviceUnder(
                        "/",
                        (ctx, request) -> Problem.plain(HttpStatus.NOT_FOUND, "there is nothing here")
                                .toResponse()
                                .toHttpResponse())
                .build();
    }

    /** The port that it listens on. */
    public int port() {
        return server.activeLocalPort();
    }

    /** Whether it makes sense to send it requests. */
    public boolean ready() {
        return !closing && limiter.ready();
    }

    /** Says that it is not ready any more, lets requests under way finish, and stops. */
    @Override
    public void close() {
        closing = true;
        server.close();
    }

    private static InetSocketAddress address(ServerSettings settings) {
        try {
            return new InetSocketAddress(InetAddress.getByName(settings.bindAddress()), settings.port());
        } catch (UnknownHostException unknown) {
            throw new ServerStartException(
                    "setting '" + ServerSettings.BIND_ADDRESS + "' is '" + settings.bindAddress()
                            + "', which is no address of this machine",
                    unknown);
        }
    }

    private static ServerStartException cannotListen(ServerSettings settings, Throwable cause) {
        String reason = String.valueOf(cause.getMessage());
        return reason.contains("in use")
                ? new ServerStartException(
                        "port " + settings.port() + " on " + settings.bindAddress()
                                + " is taken by another process; stop that, or choose another with "
                                + ServerSettings.PORT + "=…",
                        cause)
                : new ServerStartException(
                        "cannot listen on " + settings.bindAddress() + " port " + settings.port() + ": " + reason,
                        cause);
    }
}
