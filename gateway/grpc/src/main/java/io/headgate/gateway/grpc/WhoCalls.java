package io.headgate.gateway.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * Asks by what the connection knows: the name in the certificate of the peer, where TLS has verified one, and the peer's
 * address. It reads no metadata, for a client may set any. The route is {@code POST /package.Service/Method}, as in HTTP/2.
 */
public final class WhoCalls implements CallAsk {

    private final Function<ServerCall<?, ?>, String> tenant;

    private WhoCalls(Function<ServerCall<?, ?>, String> tenant) {
        this.tenant = tenant;
    }

    /** Everything is of one tenant: a service with users and no accounts. */
    public static WhoCalls ofTenant(String tenant) {
        if (tenant.isBlank()) {
            throw new IllegalArgumentException("tenant is blank; it names the account that calls are counted for");
        }
        return new WhoCalls(call -> tenant);
    }

    /** The tenant is what somebody has verified of the call; null or blank for none. */
    public static WhoCalls ofTenantIn(Function<ServerCall<?, ?>, String> tenant) {
        return new WhoCalls(Objects.requireNonNull(tenant));
    }

    @Override
    public Optional<Ask> of(ServerCall<?, ?> call, Metadata headers) {
        String user = peerName(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
        String account = tenant.apply(call);
        Caller caller = Caller.unknown()
                .withTenant(account == null ? "" : account)
                .withUser(user)
                .withIp(address(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)));
        return Optional.of(Ask.of(
                caller, !user.isEmpty(), "POST /" + call.getMethodDescriptor().getFullMethodName()));
    }

    private static String peerName(SSLSession session) {
        if (session == null) {
            return "";
        }
        try {
            return session.getPeerPrincipal().getName();
        } catch (SSLPeerUnverifiedException nobody) {
            return "";
        }
    }

    /** Nothing for what has no address, such as a channel in the process. */
    private static String address(Object peer) {
        if (!(peer instanceof InetSocketAddress socket)) {
            return "";
        }
        InetAddress address = socket.getAddress();
        String text = address == null ? "" : address.getHostAddress();
        int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone);
    }
}
