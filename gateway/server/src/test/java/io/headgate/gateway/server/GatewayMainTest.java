package io.headgate.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the process says when it cannot start. That it starts is shown where there is a broker. */
@Timeout(60)
class GatewayMainTest {

    private static final String SECRET = "5ec7e7".repeat(11);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final GatewayMain gateway = new GatewayMain(print(out), print(err));

    @Test
    void a_misspelt_setting_is_refused_with_the_closest_of_server_and_client() {
        assertThat(gateway.start("--set", "prot=1")).isEqualTo(2);

        assertThat(text(err)).isEqualTo("headgate gateway: there is no setting 'prot'; the closest is 'port'\n");
    }

    @Test
    void an_option_that_does_not_exist_shows_the_usage() {
        assertThat(gateway.start("--prot", "1")).isEqualTo(2);

        assertThat(text(err)).contains("there is no option '--prot'", "--config FILE");
    }

    @Test
    void a_settings_file_that_is_missing_is_named() {
        assertThat(gateway.start("--config", "/no/such/file")).isEqualTo(2);

        assertThat(text(err)).contains("/no/such/file");
    }

    @Test
    void settings_are_printed_once_without_secrets_and_a_broker_that_is_not_there_is_named(@TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(
                folder.resolve("gateway.properties"),
                "bootstrap.servers=localhost:1\npseudonym.secret=" + SECRET + "\nport=1\npolicies.unsigned=allow\n");

        int code = gateway.start("--config", file.toString(), "--set", "start.timeout.ms=200", "--set", "port=0");

        assertThat(code).isEqualTo(1);
        assertThat(text(err)).contains("localhost:1");
        assertThat(text(out)).contains("port=0\n", "start.timeout.ms=200\n", "pseudonym.secret=[hidden]\n");
        assertThat(text(out) + text(err)).doesNotContain(SECRET);
    }

    @Test
    void every_setting_can_be_listed() {
        assertThat(gateway.start("--settings")).isZero();

        assertThat(text(out)).contains("bind.address", "deadline.ms");
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    private static String text(ByteArrayOutputStream from) {
        return from.toString(StandardCharsets.UTF_8);
    }
}
