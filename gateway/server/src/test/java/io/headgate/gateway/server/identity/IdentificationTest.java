package io.headgate.gateway.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linecorp.armeria.common.HttpHeaders;
import io.headgate.gateway.client.Caller;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdentificationTest {

    private static final InetAddress PROXY = Networks.address("10.0.0.2");
    private static final InetAddress FAR_PROXY = Networks.address("192.0.2.1");
    private static final InetAddress STRANGER = Networks.address("198.51.100.66");
    private static final Instant NOW = Instant.parse("2026-08-01T12:00:00Z");
    private static final Map<String, String> BY_HEADERS = Map.of(
            "identity.from", "headers",
            "identity.header.tenant", "X-Tenant",
            "identity.header.user", "X-User",
            "identity.header.api.key", "X-Key",
            "identity.header.target", "X-Login");

    private static Requester who(Map<String, String> settings, InetAddress peer, String... headers) {
        Map<String, String> all = new HashMap<>(Map.of("proxy.peers", "10.0.0.0/8", "proxy.chain", "192.0.2.1"));
        all.putAll(settings);
        try (Identification identification =
                Identification.start(Settings.of(all), new SimpleMeterRegistry(), () -> NOW)) {
            return identification
                    .of(HttpHeaders.of().toBuilder().add(fields(headers)).build(), peer)
                    .join();
        }
    }

    private static HttpHeaders fields(String... namesAndValues) {
        var headers = HttpHeaders.builder();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return headers.build();
    }

    private static void assertRefused(
            int status, String message, Map<String, String> settings, InetAddress peer, String... headers) {
        assertThatThrownBy(() -> who(settings, peer, headers))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.status()).isEqualTo(status))
                .hasMessage(message);
    }

    @Test
    void what_a_configured_proxy_says_of_who_asks_is_believed() {
        Requester requester = who(
                BY_HEADERS,
                PROXY,
                "X-Tenant",
                "atlas",
                "X-User",
                "U-17",
                "X-Key",
                "K-1",
                "X-Login",
                "ann",
                "X-Forwarded-For",
                "203.0.113.7");

        assertThat(requester.caller()).isEqualTo(new Caller("atlas", "U-17", "K-1", "203.0.113.7", "ann"));
        assertThat(requester.authenticated()).isTrue();
    }

    @Test
    void without_a_tenant_whoever_asks_is_anonymous_or_refused() {
        Requester requester = who(BY_HEADERS, PROXY, "X-Tenant", " ", "X-Forwarded-For", "203.0.113.7");

        assertThat(requester).isEqualTo(new Requester(Caller.unknown().withIp("203.0.113.7"), false));
        Map<String, String> required = new HashMap<>(BY_HEADERS);
        required.put("identity.required", "true");
        assertRefused(401, "nobody vouches for who asks", required, PROXY, "X-Forwarded-For", "203.0.113.7");
    }

    @Test
    void a_stranger_who_says_who_it_is_is_refused() {
        for (String header : new String[] {"X-Tenant", "x-user", "X-Key", "X-Login"}) {
            assertThatThrownBy(() -> who(BY_HEADERS, STRANGER, header, "atlas"))
                    .cause()
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.status()).isEqualTo(403))
                    .message()
                    .endsWith(" may be sent by a configured proxy alone")
                    .doesNotContain("atlas");
        }
        assertThat(who(BY_HEADERS, STRANGER, "X-Forwarded-For", "203.0.113.7"))
                .isEqualTo(new Requester(Caller.unknown().withIp("198.51.100.66"), false));
    }

    @Test
    void a_proxy_of_the_chain_is_believed_about_addresses_alone() {
        assertRefused(
                403,
                "header X-Tenant may be sent by a configured proxy alone",
                BY_HEADERS,
                FAR_PROXY,
                "X-Tenant",
                "atlas",
                "X-Forwarded-For",
                "203.0.113.7");
        assertThat(who(BY_HEADERS, FAR_PROXY, "X-Forwarded-For", "203.0.113.7")
                        .caller()
                        .ip())
                .isEqualTo("203.0.113.7");
        assertThat(who(BY_HEADERS, PROXY, "X-Forwarded-For", "1.2.3.4, 203.0.113.7, 192.0.2.1")
                        .caller()
                        .ip())
                .isEqualTo("203.0.113.7");
    }

    @Test
    void a_header_that_is_there_twice_is_refused() {
        assertRefused(
                400,
                "header X-Tenant is there 2 times; it may be there once",
                BY_HEADERS,
                PROXY,
                "X-Tenant",
                "atlas",
                "X-Tenant",
                "birch",
                "X-Forwarded-For",
                "203.0.113.7");
    }

    @Test
    void a_header_is_read_as_utf_8_and_refused_if_it_is_not() {
        String bytes = new String("Caf\u00e9 \u20ac".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);

        assertThat(who(BY_HEADERS, PROXY, "X-Tenant", bytes, "X-Forwarded-For", "203.0.113.7")
                        .caller()
                        .tenant())
                .isEqualTo("Caf\u00e9 \u20ac");
        assertRefused(
                400,
                "header X-Tenant is not in UTF-8",
                BY_HEADERS,
                PROXY,
                "X-Tenant",
                "Caf\u00e9",
                "X-Forwarded-For",
                "203.0.113.7");
    }

    @Test
    void a_control_character_or_too_much_is_refused() {
        assertRefused(
                400,
                "header X-Tenant has a control character at 2; it must have none",
                BY_HEADERS,
                PROXY,
                "X-Tenant",
                "at\tlas",
                "X-Forwarded-For",
                "203.0.113.7");
        assertRefused(
                400,
                "header X-Tenant has 257 characters; at most 256 are allowed",
                BY_HEADERS,
                PROXY,
                "X-Tenant",
                "a".repeat(257),
                "X-Forwarded-For",
                "203.0.113.7");
    }

    @Test
    void a_token_names_the_tenant_and_a_header_does_not(@TempDir Path folder) throws Exception {
        Issuer issuer = new Issuer();
        Path keys = Files.writeString(folder.resolve("keys.json"), issuer.keys());
        Map<String, String> byToken = Settings.jwt(Map.of("jwt.keys.file", keys.toString()));
        String token = issuer.token(Issuer.claims(NOW.plusSeconds(60)).build());

        Requester requester = who(
                byToken,
                PROXY,
                "authorization",
                "bearer  " + token,
                "X-Tenant",
                "birch",
                "X-Forwarded-For",
                "203.0.113.7");
        Requester direct = who(byToken, STRANGER, "authorization", "Bearer " + token);
        Requester basic = who(byToken, STRANGER, "authorization", "Basic YTpi");
        Requester none = who(byToken, STRANGER);

        assertThat(requester).isEqualTo(new Requester(new Caller("atlas", "U-17", "", "203.0.113.7", ""), true));
        assertThat(direct.caller()).isEqualTo(new Caller("atlas", "U-17", "", "198.51.100.66", ""));
        assertThat(basic).isEqualTo(none);
        assertThat(none.authenticated()).isFalse();
        assertRefused(401, "the token is not a signed JWT (RFC 7519)", byToken, STRANGER, "authorization", "Bearer x");
        assertRefused(
                400,
                "header Authorization is there 2 times; it may be there once",
                byToken,
                STRANGER,
                "authorization",
                "Bearer " + token,
                "authorization",
                "Basic YTpi");
    }

    @Test
    void a_token_may_be_in_another_header_without_a_word_before_it(@TempDir Path folder) throws Exception {
        Issuer issuer = new Issuer();
        Path keys = Files.writeString(folder.resolve("keys.json"), issuer.keys());
        Map<String, String> byToken = Settings.jwt(Map.of("jwt.keys.file", keys.toString(), "jwt.header", "X-Token"));
        String token = issuer.token(Issuer.claims(NOW.plusSeconds(60)).build());

        assertThat(who(byToken, STRANGER, "X-Token", token).caller().tenant()).isEqualTo("atlas");
        assertThat(who(byToken, STRANGER, "Authorization", "Bearer " + token).authenticated())
                .isFalse();
    }
}
