package io.headgate.gateway.server;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.Route;
import com.linecorp.armeria.server.RoutePathType;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.grpc.GrpcService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** One port of the gateway, and what is served there. Anything else there is a 404. */
final class Listener {

    private final Server server;
    private final InetSocketAddress address;
    private final int port;

    private Listener(Server server, InetSocketAddress address) {
        this.server = server;
        this.address = address;
        this.port = server.activeLocalPort();
    }

    /**
     * Starts to listen.
     *
     * @param builder knows the services
     * @param address where, on this machine
     * @param port 0 takes a free one
     * @param addressSetting names the setting that the address is from
     * @param portSetting names the setting that the port is from
     * @throws ServerStartException if it cannot, naming the setting
     */
    static Listener start(ServerBuilder builder, String address, int port, String addressSetting, String portSetting) {
        InetSocketAddress socket = resolved(address, port, addressSetting);
        Server server = builder.http(socket)
                .disableServerHeader()
                // What a service does not log itself is a client's mistake, answered and done with.
                .unloggedExceptionsReportIntervalMillis(0)
                .errorHandler(new ProblemHandler())
                .serviceUnder("/", Listener::nothingHere)
                .build();
        try {
            server.start().join();
        } catch (CompletionException failed) {
            server.close();
            throw cannotListen(address, port, portSetting, failed.getCause());
        }
        return new Listener(server, socket);
    }

    /** The port, also after it has stopped. */
    int port() {
        return port;
    }

    boolean isForThisMachineOnly() {
        return address.getAddress().isLoopbackAddress();
    }

    /** The paths at which something is served over plain HTTP. */
    Set<String> paths() {
        Set<String> paths = new TreeSet<>();
        server.serviceConfigs().forEach(service -> {
            Route route = service.route();
            boolean grpc = service.service().as(GrpcService.class) != null;
            if (route.pathType() != RoutePathType.PREFIX && !grpc) {
                paths.addAll(route.paths());
            }
        });
        return paths;
    }

    /** Lets requests under way finish, as long as it was built to, and stops; completes then. */
    CompletableFuture<Void> stop() {
        return server.stop();
    }

    private static HttpResponse nothingHere(ServiceRequestContext ctx, HttpRequest request) {
        return Problem.plain(HttpStatus.NOT_FOUND, "there is nothing here")
                .toResponse()
                .toHttpResponse();
    }

    private static InetSocketAddress resolved(String address, int port, String setting) {
        try {
            return new InetSocketAddress(InetAddress.getByName(address), port);
        } catch (UnknownHostException unknown) {
            throw new ServerStartException(
                    "setting '" + setting + "' is '" + address + "', which is no address of this machine", unknown);
        }
    }

    private static ServerStartException cannotListen(String address, int port, String setting, Throwable cause) {
        String reason = String.valueOf(cause.getMessage());
        return reason.contains("in use")
                ? new ServerStartException(
                        "port " + port + " on " + address
                                + " is taken by another process; stop that, or choose another with " + setting + "=…",
                        cause)
                : new ServerStartException("cannot listen on " + address + " port " + port + ": " + reason, cause);
    }
}
