package io.headgate.gateway.servlet;

import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Asks by what the container knows: the principal that it has authenticated, the address of the peer, the method and the
 * path. It reads no header, for a client may set any; behind a proxy the container has to be told whose word on the address
 * counts, as with Tomcat's {@code RemoteIpValve}.
 *
 * <p>The route is the method and the path as the container routes by it: decoded, without parameters, with the context path.
 * So {@code /catalog}, {@code /%63atalog} and {@code /catalog;a=b} are one.
 */
public final class WhoAsks implements RequestAsk {

    private final Function<HttpServletRequest, String> tenant;

    private WhoAsks(Function<HttpServletRequest, String> tenant) {
        this.tenant = tenant;
    }

    /** Everything is of one tenant: a service with users and no accounts. */
    public static WhoAsks ofTenant(String tenant) {
        if (tenant.isBlank()) {
            throw new IllegalArgumentException("tenant is blank; it names the account that requests are counted for");
        }
        return new WhoAsks(request -> tenant);
    }

    /** The tenant is what somebody has verified of the request; null or blank for none. */
    public static WhoAsks ofTenantIn(Function<HttpServletRequest, String> tenant) {
        return new WhoAsks(Objects.requireNonNull(tenant));
    }

    @Override
    public Optional<Ask> of(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        Caller caller = Caller.unknown()
                .withTenant(orEmpty(tenant.apply(request)))
                .withUser(principal == null ? "" : orEmpty(principal.getName()))
                .withIp(bare(orEmpty(request.getRemoteAddr())));
        return Optional.of(Ask.of(caller, principal != null, request.getMethod() + " " + path(request)));
    }

    private static String path(HttpServletRequest request) {
        return request.getContextPath() + request.getServletPath() + orEmpty(request.getPathInfo());
    }

    /** Some containers write an IPv6 address in brackets, or with its zone. */
    private static String bare(String address) {
        String inner =
                address.startsWith("[") && address.endsWith("]") ? address.substring(1, address.length() - 1) : address;
        int zone = inner.indexOf('%');
        return zone < 0 ? inner : inner.substring(0, zone);
    }

    private static String orEmpty(String text) {
        return text == null ? "" : text;
    }
}
