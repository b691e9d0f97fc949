package io.headgate.gateway.server.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.jwt.proc.BadJWTException;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.ExpiredJWTException;
import io.headgate.core.decision.Identity;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.server.identity.RefusedException.Reason;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Verifies tokens (RFC 7519): signed by a key that counts, with an algorithm that is allowed, by the issuer, for this
 * audience, and now. A refusal repeats nothing of the token.
 */
final class Tokens implements AutoCloseable {

    /** The longest token, in characters. */
    static final int MAX_LENGTH = 8 * 1024;

    private static final Set<JOSEObjectType> TYPES = Set.of(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"));

    private final TokenKeys keys;
    private final JwtSettings settings;
    private final Set<JWSAlgorithm> algorithms;
    private final DefaultJWTClaimsVerifier<SecurityContext> claimsVerifier;

    Tokens(TokenKeys keys, JwtSettings settings, InstantSource clock) {
        this.keys = keys;
        this.settings = settings;
        this.algorithms = settings.algorithms();
        JWTClaimsSet exactly =
                new JWTClaimsSet.Builder().issuer(settings.issuer()).build();
        this.claimsVerifier = new DefaultJWTClaimsVerifier<>(settings.audience(), exactly, Set.of("exp"), Set.of()) {
            @Override
            protected Date currentTime() {
                return Date.from(clock.instant());
            }
        };
        claimsVerifier.setMaxClockSkew(settings.leewaySeconds());
    }

    /**
     * Verifies one, perhaps after the keys have been read again.
     *
     * @return a caller with what the token says; fails with a {@link RefusedException}
     */
    CompletableFuture<Caller> verify(String compact) {
        try {
            SignedJWT token = parsed(compact);
            List<JWK> candidates = keys.matching(token.getHeader());
            return candidates.isEmpty()
                    ? keys.refreshed().thenApply(done -> caller(token, keys.matching(token.getHeader())))
                    : CompletableFuture.completedFuture(caller(token, candidates));
        } catch (RefusedException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    private SignedJWT parsed(String compact) {
        if (compact.length() > MAX_LENGTH) {
            throw forged("the token has " + compact.length() + " characters; at most " + MAX_LENGTH + " are allowed");
        }
        SignedJWT token;
        try {
            token = SignedJWT.parse(compact);
        } catch (ParseException | IllegalArgumentException broken) {
            throw forged("the token is not a signed JWT (RFC 7519)");
        }
        JWSHeader header = token.getHeader();
        if (!algorithms.contains(header.getAlgorithm())) {
            throw forged("the token is signed with an algorithm that is not allowed");
        }
        if (header.getType() != null && !TYPES.contains(header.getType())) {
            throw forged("the token is of another type than JWT");
        }
        return token;
    }

    private Caller caller(SignedJWT token, List<JWK> candidates) {
        if (candidates.stream().noneMatch(key -> isSignedBy(key, token))) {
            throw forged("the token is not signed by a key that is trusted");
        }
        try {
            JWTClaimsSet claims = token.getJWTClaimsSet();
            claimsVerifier.verify(claims, null);
            Caller caller = Caller.unknown()
                    .withTenant(claim(claims, settings.tenantClaim(), Identity.MAX_LENGTH))
                    .withUser(claim(claims, settings.userClaim(), Caller.MAX_RAW_LENGTH))
                    .withApiKey(claim(claims, settings.apiKeyClaim(), Caller.MAX_RAW_LENGTH));
            if (caller.tenant().isEmpty() && !settings.tenantClaim().isEmpty()) {
                throw new RefusedException(
                        Reason.TOKEN_INCOMPLETE, "the token names no tenant in " + settings.tenantClaim());
            }
            return caller;
        } catch (ExpiredJWTException expired) {
            throw new RefusedException(Reason.TOKEN_EXPIRED, "the token has expired");
        } catch (BadJWTException unacceptable) {
            throw new RefusedException(
                    Reason.TOKEN_UNACCEPTABLE,
                    "the token is of another issuer, for another audience, not yet valid, or without an expiry");
        } catch (ParseException broken) {
            throw forged("the token's claims cannot be read");
        }
    }

    private static boolean isSignedBy(JWK key, SignedJWT token) {
        try {
            return token.verify(verifier(key));
        } catch (JOSEException | IllegalArgumentException unfit) {
            return false;
        }
    }

    private static JWSVerifier verifier(JWK key) throws JOSEException {
        if (key instanceof RSAKey rsa) {
            return new RSASSAVerifier(rsa);
        }
        if (key instanceof ECKey curve) {
            return new ECDSAVerifier(curve);
        }
        return new Ed25519Verifier((OctetKeyPair) key);
    }

    private static String claim(JWTClaimsSet claims, String name, int most) {
        Object value = name.isEmpty() ? null : claims.getClaim(name);
        if (value == null) {
            return "";
        }
        if (!(value instanceof String text)) {
            throw new RefusedException(Reason.TOKEN_INCOMPLETE, "the token's claim " + name + " is no string");
        }
        return HeaderText.checked("the token's claim " + name, text, most);
    }

    private static RefusedException forged(String detail) {
        return new RefusedException(Reason.TOKEN_FORGED, detail);
    }

    @Override
    public void close() {
        keys.close();
    }
}
