package io.headgate.gateway.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdentitySettingsTest {

    @Test
    void nobody_is_believed_unless_somebody_is_named() {
        IdentitySettings settings = Settings.of(Map.of());

        assertThat(settings.proxies().isEmpty()).isTrue();
        assertThat(settings.from()).isEqualTo(IdentitySettings.NOBODY);
        assertThat(settings.requestIdHeader()).isEmpty();
        assertThat(settings.vouchingHeaders()).isEmpty();
    }

    @Test
    void what_is_missing_is_named_with_what_would_do() {
        assertThatThrownBy(() -> Settings.of(Map.of("identity.from", "headers")))
                .hasMessage("setting 'identity.header.tenant' is missing; with 'identity.from=headers' it must name the"
                        + " header in which proxies give the tenant");
        assertThatThrownBy(() -> Settings.of(Settings.jwt(Map.of("jwt.keys.file", ""))))
                .hasMessage("settings 'jwt.keys.file' and 'jwt.keys.url' are both missing; with 'identity.from=jwt'"
                        + " there must be one");
        assertThatThrownBy(() -> Settings.of(Settings.jwt(Map.of("jwt.keys.url", "https://a.example"))))
                .hasMessageContaining("are both there");
        assertThatThrownBy(() -> Settings.of(Settings.jwt(Map.of("jwt.issuer", ""))))
                .hasMessage("setting 'jwt.issuer' is missing; with 'identity.from=jwt' it must name the issuer of the"
                        + " tokens");
        assertThatThrownBy(() -> Settings.of(Settings.jwt(Map.of("jwt.audience", ""))))
                .hasMessageContaining("setting 'jwt.audience' is missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "HS256", "RS256,none", "", "rs256"})
    void an_algorithm_without_a_public_key_cannot_be_set(String algorithms) {
        assertThatThrownBy(() -> Settings.of(Settings.jwt(Map.of("jwt.algorithms", algorithms))))
                .hasMessageContaining("jwt.algorithms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://keys.example/", "http://127.0.0.1.evil.example/", "file:///etc/keys", "keys", "::"})
    void keys_do_not_come_over_the_network_unprotected(String url) {
        assertThatThrownBy(() -> Settings.of(Settings.jwt(Map.of("jwt.keys.file", "", "jwt.keys.url", url))))
                .hasMessageContaining("setting 'jwt.keys.url' must be a URL with https");
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://keys.example/a", "http://127.0.0.1:8080/", "http://[::1]/", "http://localhost/"})
    void keys_may_come_by_https_or_from_this_machine(String url) {
        assertThatCode(() -> Settings.of(Settings.jwt(Map.of("jwt.keys.file", "", "jwt.keys.url", url))))
                .doesNotThrowAnyException();
    }

    @Test
    void what_is_no_header_cannot_be_the_name_of_one() {
        assertThatThrownBy(() -> Settings.of(Map.of("proxy.address.header", "")))
                .hasMessageContaining("proxy.address.header");
        assertThatThrownBy(() -> Settings.of(Map.of("identity.header.target", "X Login")))
                .hasMessageContaining("letters, digits and hyphens");
    }

    @Test
    void a_gateway_does_not_start_without_keys(@TempDir Path folder) {
        String file = folder.resolve("missing.json").toString();

        assertThatThrownBy(() -> Identification.start(
                        Settings.of(Settings.jwt(Map.of("jwt.keys.file", file))), new SimpleMeterRegistry()))
                .hasMessage("what setting 'jwt.keys.file' names cannot be read: NoSuchFileException; it must be a JSON"
                        + " Web Key Set");
    }
}
