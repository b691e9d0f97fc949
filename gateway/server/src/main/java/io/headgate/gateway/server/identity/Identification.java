package io.headgate.gateway.server.identity;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpHeaders;
import io.headgate.core.decision.Identity;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.server.identity.RefusedException.Reason;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Who asks: from the headers of a request and the other end of its connection. A header that a client can set never decides
 * it: a token must be signed, and what a proxy says is believed only if the connection comes from one that is configured.
 */
public final class Identification implements AutoCloseable {

    private static final String BEARER = "bearer ";

    private final IdentitySettings settings;
    private final ClientAddress address;
    private final Optional<Tokens> tokens;
    private final String tokenHeader;

    private Identification(IdentitySettings settings, Optional<Tokens> tokens) {
        this.settings = settings;
        this.address = new ClientAddress(settings.proxies(), settings.addressHeader());
        this.tokens = tokens;
        this.tokenHeader = settings.jwt().tokenHeader();
    }

    /**
     * Makes one; reads the keys for tokens first, if tokens count.
     *
     * @throws IllegalArgumentException if they cannot be read, naming the setting
     */
    public static Identification start(IdentitySettings settings, MeterRegistry registry) {
        return start(settings, registry, InstantSource.system());
    }

    static Identification start(IdentitySettings settings, MeterRegistry registry, InstantSource clock) {
        if (!settings.from().equals(IdentitySettings.JWT)) {
            return new Identification(settings, Optional.empty());
        }
        JwtSettings jwt = settings.jwt();
        try {
            TokenKeys keys = TokenKeys.start(
                    KeySource.of(jwt),
                    TimeUnit.SECONDS.toMillis(jwt.keysRefreshSeconds()),
                    TimeUnit.SECONDS.toMillis(jwt.keysRefreshLeastSeconds()),
                    registry);
            return new Identification(settings, Optional.of(new Tokens(keys, jwt, clock)));
        } catch (IOException unreadable) {
            String setting = jwt.keysFile().isPresent() ? JwtSettings.KEYS_FILE : JwtSettings.KEYS_URL;
            throw new IllegalArgumentException(
                    "what setting '" + setting + "' names cannot be read: "
                            + (unreadable instanceof TokenKeys.KeySetException
                                    ? unreadable.getMessage()
                                    : unreadable.getClass().getSimpleName())
                            + "; it must be a JSON Web Key Set",
                    unreadable);
        }
    }

    /** Whether a proxy that may speak for others is at the other end of a connection. */
    public boolean isPeer(InetAddress other) {
        return settings.peers().contains(other);
    }

    /**
     * Tells who asks.
     *
     * @param headers of the request
     * @param peer the other end of its connection
     * @return fails with a {@link RefusedException}
     */
    public CompletableFuture<Requester> of(HttpHeaders headers, InetAddress peer) {
        try {
            boolean believed = isPeer(peer);
            if (!believed) {
                refuseVouching(headers);
            }
            Caller nobody = Caller.unknown()
                    .withIp(address.of(headers, peer))
                    .withTarget(text(headers, settings.targetHeader(), Caller.MAX_RAW_LENGTH));
            if (tokens.isEmpty()) {
                return CompletableFuture.completedFuture(requester(vouched(headers, nobody)));
            }
            Optional<String> token = token(headers);
            return token.isEmpty()
                    ? CompletableFuture.completedFuture(requester(nobody))
                    : tokens.get().verify(token.get()).thenApply(known -> authenticated(known, nobody));
        } catch (RefusedException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private void refuseVouching(HttpHeaders headers) {
        for (String header : settings.vouchingHeaders()) {
            if (headers.contains(header)) {
                throw RefusedException.stranger("header " + header + " may be sent by a configured proxy alone");
            }
        }
    }

    /** The same caller with what the proxy says of who it is. */
    private Caller vouched(HttpHeaders headers, Caller nobody) {
        return settings.from().equals(IdentitySettings.HEADERS)
                ? nobody.withTenant(text(headers, settings.tenantHeader(), Identity.MAX_LENGTH))
                        .withUser(text(headers, settings.userHeader(), Caller.MAX_RAW_LENGTH))
                        .withApiKey(text(headers, settings.apiKeyHeader(), Caller.MAX_RAW_LENGTH))
                : nobody;
    }

    private Requester requester(Caller caller) {
        boolean known = !caller.tenant().isEmpty();
        if (!known && settings.required()) {
            throw new RefusedException(Reason.ANONYMOUS, "nobody vouches for who asks");
        }
        return new Requester(caller, known);
    }

    private static Requester authenticated(Caller known, Caller nobody) {
        return new Requester(known.withIp(nobody.ip()).withTarget(nobody.target()), true);
    }

    private static String text(HttpHeaders headers, String name, int most) {
        return name.isEmpty() ? "" : HeaderText.of(headers, name, most).orElse("");
    }

    /** The token; none if there is no such header, or one with another kind of credentials. */
    private Optional<String> token(HttpHeaders headers) {
        Optional<String> text = HeaderText.of(headers, tokenHeader, Tokens.MAX_LENGTH);
        if (!tokenHeader.equalsIgnoreCase(HttpHeaderNames.AUTHORIZATION.toString())) {
            return text;
        }
        return text.filter(value -> value.toLowerCase(Locale.ROOT).startsWith(BEARER))
                .map(value -> value.substring(BEARER.length()).strip());
    }

    @Override
    public void close() {
        tokens.ifPresent(Tokens::close);
    }
}
