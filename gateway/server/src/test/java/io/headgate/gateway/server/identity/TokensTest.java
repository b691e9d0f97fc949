package io.headgate.gateway.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.server.identity.RefusedException.Reason;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {

    private static final Instant NOW = Instant.parse("2026-08-01T12:00:00Z");
    private static final Instant LATER = NOW.plusSeconds(300);
    private static final Issuer ISSUER = new Issuer();
    private static final TokenKeys KEYS = keys();

    private static TokenKeys keys() {
        try {
            return TokenKeys.start(
                    ISSUER::keys, TimeUnit.HOURS.toMillis(1), TimeUnit.HOURS.toMillis(1), new SimpleMeterRegistry());
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @AfterAll
    static void close() {
        KEYS.close();
    }

    private static Caller verified(String token, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(Map.of(JwtSettings.ALGORITHMS, "RS256,ES256,EdDSA"));
        all.putAll(settings);
        JwtSettings jwt = new JwtSettings(Settings.config(Settings.jwt(all)));
        return new Tokens(KEYS, jwt, () -> NOW).verify(token).join();
    }

    private static Caller verified(JWTClaimsSet.Builder claims) {
        return verified(ISSUER.token(claims.build()), Map.of());
    }

    private static void assertRefused(Reason reason, String token) {
        assertThatThrownBy(() -> verified(token, Map.of()))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.reason())
                                .as(refused.getMessage())
                                .isEqualTo(reason));
    }

    private static void assertRefused(Reason reason, JWTClaimsSet.Builder claims) {
        assertRefused(reason, ISSUER.token(claims.build()));
    }

    @Test
    void a_genuine_token_says_who_asks() {
        Caller caller = verified(Issuer.claims(LATER));

        assertThat(caller).isEqualTo(Caller.unknown().withTenant("atlas").withUser("U-17"));
    }

    @Test
    void claims_have_the_names_that_are_set() {
        String token = ISSUER.token(
                Issuer.claims(LATER).claim("org", "birch").claim("key", "K-1").build());

        Caller caller = verified(
                token,
                Map.of(
                        JwtSettings.TENANT_CLAIM, "org",
                        JwtSettings.USER_CLAIM, "",
                        JwtSettings.API_KEY_CLAIM, "key"));

        assertThat(caller).isEqualTo(Caller.unknown().withTenant("birch").withApiKey("K-1"));
    }

    @Test
    void it_may_be_signed_with_an_elliptic_curve_and_need_not_name_its_key() throws Exception {
        JWTClaimsSet claims = Issuer.claims(LATER).build();

        assertThat(verified(ISSUER.signedByCurve(claims), Map.of()).tenant()).isEqualTo("atlas");
        assertThat(verified(ISSUER.signedByEdwards(claims), Map.of()).tenant()).isEqualTo("atlas");
    }

    @Test
    void an_algorithm_that_is_not_set_is_refused_though_the_key_is_there() {
        String token = ISSUER.token(Issuer.claims(LATER).build());

        assertThatThrownBy(() -> verified(token, Map.of(JwtSettings.ALGORITHMS, "ES256")))
                .hasMessageContaining("the token is signed with an algorithm that is not allowed");
    }

    @Test
    void a_token_without_a_signature_is_refused() {
        JWTClaimsSet claims = Issuer.claims(LATER).build();
        String none = new PlainJWT(claims).serialize();
        String genuine = ISSUER.token(claims);

        assertRefused(Reason.TOKEN_FORGED, none);
        assertRefused(Reason.TOKEN_FORGED, none + genuine.substring(genuine.lastIndexOf('.') + 1));
        assertRefused(Reason.TOKEN_FORGED, genuine.substring(0, genuine.lastIndexOf('.') + 1));
        assertRefused(Reason.TOKEN_FORGED, genuine.substring(0, genuine.lastIndexOf('.')));
    }

    @Test
    void a_public_key_is_no_secret_to_sign_with() throws Exception {
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("rsa").build(),
                Issuer.claims(LATER).build());
        token.sign(new MACSigner(ISSUER.rsa().toRSAPublicKey().getEncoded()));

        assertRefused(Reason.TOKEN_FORGED, token.serialize());
        assertThatThrownBy(() -> verified(token.serialize(), Map.of(JwtSettings.ALGORITHMS, "HS256")))
                .hasMessageContaining("HS256");
    }

    @Test
    void a_token_that_somebody_else_has_signed_is_refused_under_whatever_key_id() throws Exception {
        RSAKey strange = new RSAKeyGenerator(2048).keyID("rsa").generate();
        RSAKey unknown = new RSAKeyGenerator(2048).keyID("another").generate();
        JWTClaimsSet claims = Issuer.claims(LATER).build();

        assertRefused(Reason.TOKEN_FORGED, Issuer.signedWith(strange, claims));
        assertRefused(Reason.TOKEN_FORGED, Issuer.signedWith(unknown, claims));
        SignedJWT withOwnKey = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256)
                        .jwk(unknown.toPublicJWK())
                        .build(),
                claims);
        withOwnKey.sign(new RSASSASigner(unknown));
        assertRefused(Reason.TOKEN_FORGED, withOwnKey.serialize());
    }

    @Test
    void a_token_of_a_key_that_came_since_is_accepted_and_the_issuer_is_not_asked_for_the_next() throws Exception {
        Issuer next = new Issuer("next");
        AtomicInteger reads = new AtomicInteger();
        try (TokenKeys keys = TokenKeys.start(
                () -> reads.getAndIncrement() == 0 ? ISSUER.keys() : next.keys(),
                TimeUnit.HOURS.toMillis(1),
                0,
                new SimpleMeterRegistry())) {
            Tokens tokens = new Tokens(keys, new JwtSettings(Settings.config(Settings.jwt(Map.of()))), () -> NOW);
            String token = next.token(Issuer.claims(LATER).build());

            assertThat(tokens.verify(token).join().tenant()).isEqualTo("atlas");
            assertThat(tokens.verify(token).join().tenant()).isEqualTo("atlas");
            assertThat(reads).hasValue(2);
            assertThatThrownBy(() -> tokens.verify(
                                    ISSUER.token(Issuer.claims(LATER).build()))
                            .join())
                    .as("by a key that is gone")
                    .hasMessageContaining("not signed by a key that is trusted");
        }
    }

    @Test
    void a_token_that_was_changed_after_it_was_signed_is_refused() {
        String genuine = ISSUER.token(Issuer.claims(LATER).build());
        String other =
                ISSUER.token(Issuer.claims(LATER).claim("tenant", "birch").build());
        String[] parts = genuine.split("\\.", -1);
        String[] others = other.split("\\.", -1);

        assertRefused(Reason.TOKEN_FORGED, parts[0] + "." + others[1] + "." + parts[2]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a.b.c", "eyJhbGciOiJSUzI1NiJ9", "eyJhbGciOiJSUzI1NiJ9.e30.AA", "\u0000"})
    void what_is_no_token_is_refused(String text) {
        assertRefused(Reason.TOKEN_FORGED, text);
    }

    @Test
    void a_token_of_another_type_is_refused() throws Exception {
        for (String type : List.of("logout+jwt", "at+jwt")) {
            SignedJWT token = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.RS256)
                            .type(new JOSEObjectType(type))
                            .build(),
                    Issuer.claims(LATER).build());
            token.sign(new RSASSASigner(ISSUER.rsa()));

            if (type.startsWith("at")) {
                assertThat(verified(token.serialize(), Map.of()).tenant()).isEqualTo("atlas");
            } else {
                assertRefused(Reason.TOKEN_FORGED, token.serialize());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, true", "-29, true", "-30, false"})
    void an_expiry_may_lie_back_less_than_the_leeway(long seconds, boolean accepted) {
        JWTClaimsSet.Builder claims = Issuer.claims(NOW.plusSeconds(seconds));

        if (accepted) {
            assertThat(verified(claims).tenant()).isEqualTo("atlas");
        } else {
            assertRefused(Reason.TOKEN_EXPIRED, claims);
        }
    }

    @ParameterizedTest
    @CsvSource({"29, true", "31, false"})
    void a_beginning_may_lie_ahead_as_far_as_the_leeway(long seconds, boolean accepted) {
        JWTClaimsSet.Builder claims = Issuer.claims(LATER).notBeforeTime(Date.from(NOW.plusSeconds(seconds)));

        if (accepted) {
            assertThat(verified(claims).tenant()).isEqualTo("atlas");
        } else {
            assertRefused(Reason.TOKEN_UNACCEPTABLE, claims);
        }
    }

    @Test
    void one_audience_of_several_does_and_another_does_not() {
        assertThat(verified(Issuer.claims(LATER).audience(List.of("web", "admin")))
                        .tenant())
                .isEqualTo("atlas");
        assertRefused(Reason.TOKEN_UNACCEPTABLE, Issuer.claims(LATER).audience("web"));
        assertRefused(Reason.TOKEN_UNACCEPTABLE, Issuer.claims(LATER).audience((String) null));
    }

    @Test
    void another_issuer_is_refused_and_so_is_a_token_that_never_expires() {
        assertRefused(Reason.TOKEN_UNACCEPTABLE, Issuer.claims(LATER).issuer("https://evil.example"));
        assertRefused(Reason.TOKEN_UNACCEPTABLE, Issuer.claims(LATER).issuer(null));
        assertRefused(Reason.TOKEN_UNACCEPTABLE, Issuer.claims(LATER).expirationTime(null));
    }

    @Test
    void a_token_that_does_not_name_the_tenant_is_refused() {
        assertRefused(Reason.TOKEN_INCOMPLETE, Issuer.claims(LATER).claim("tenant", null));
        assertRefused(Reason.TOKEN_INCOMPLETE, Issuer.claims(LATER).claim("tenant", " "));
        assertRefused(Reason.TOKEN_INCOMPLETE, Issuer.claims(LATER).claim("tenant", 7));
        assertRefused(Reason.TOKEN_INCOMPLETE, Issuer.claims(LATER).claim("tenant", List.of("atlas")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"atlas\r\nX-Admin: yes", "at\u0000las", "atlas\u2028", "\u007f"})
    void a_tenant_with_a_control_character_is_refused_and_not_repeated(String tenant) {
        JWTClaimsSet.Builder claims = Issuer.claims(LATER).claim("tenant", tenant);

        assertRefused(Reason.MALFORMED, claims);
        assertThatThrownBy(() -> verified(claims)).message().doesNotContain("atlas", "Admin");
    }

    @Test
    void a_tenant_may_have_256_characters_and_not_one_more() {
        assertThat(verified(Issuer.claims(LATER).claim("tenant", "a".repeat(256)))
                        .tenant())
                .hasSize(256);
        assertRefused(Reason.MALFORMED, Issuer.claims(LATER).claim("tenant", "a".repeat(257)));
    }

    @Test
    void a_token_may_have_8192_characters_and_not_one_more() {
        String genuine = ISSUER.token(Issuer.claims(LATER).build());

        assertThatThrownBy(() -> verified(genuine + "A".repeat(8_193 - genuine.length()), Map.of()))
                .hasMessageContaining("the token has 8193 characters; at most 8192 are allowed");
        assertThatThrownBy(() -> verified(genuine + "A".repeat(8_192 - genuine.length()), Map.of()))
                .hasMessageContaining("not signed by a key that is trusted");
    }

    @Test
    void no_refusal_repeats_the_token() {
        String text = "S3CRET";

        assertThatThrownBy(() -> verified(text, Map.of())).message().doesNotContain("S3CRET");
        assertThatThrownBy(() -> verified(Issuer.claims(LATER).issuer("S3CRET")))
                .message()
                .doesNotContain("S3CRET");
    }
}
