package io.headgate.tools.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.tools.Desk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionTest {

    private final Desk desk = Shop.desk();

    @TempDir
    Path folder;

    @Test
    void reaches_the_cluster_by_a_file_of_settings() throws Exception {
        Path config = Files.writeString(folder.resolve("client.properties"), """
                bootstrap.servers=kafka:9093
                security.protocol=SSL
                """);

        assertThat(desk.run("tenant", "list", "--config", config.toString())).isZero();

        assertThat(desk.settings()).isEqualTo(Map.of("bootstrap.servers", "kafka:9093", "security.protocol", "SSL"));
    }

    @Test
    void takes_the_option_before_the_file() throws Exception {
        Path config = Files.writeString(folder.resolve("client.properties"), "bootstrap.servers=kafka:9093\n");

        desk.run("tenant", "list", "--config", config.toString(), "--bootstrap-servers", "other:9092");

        assertThat(desk.settings()).isEqualTo(Map.of("bootstrap.servers", "other:9092"));
    }

    @Test
    void needs_to_know_where_kafka_is() {
        assertThat(desk.run("tenant", "list")).isEqualTo(2);

        assertThat(desk.err())
                .isEqualTo("headgate tenant list: Missing required option: '--bootstrap-servers=HOST:PORT', unless the"
                        + " --config file has bootstrap.servers (see headgate tenant list --help)\n");
    }

    @Test
    void says_what_is_wrong_with_the_file() throws Exception {
        Path config = folder.resolve("client.properties");
        assertThat(desk.run("tenant", "list", "--config", config.toString())).isEqualTo(2);
        assertThat(desk.err()).contains("Invalid value for --config: " + config + " cannot be read: does not exist");

        Files.writeString(config, "a=\\u00zz\n");
        assertThat(desk.run("tenant", "list", "--config", config.toString())).isEqualTo(2);
        assertThat(desk.err()).contains("Invalid value for --config: " + config + " is not a properties file: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"set", "remove", "list", "show", "override", "ban", "lift", "reset", "credit"})
    void every_command_explains_itself_and_its_exit_codes(String command) {
        assertThat(desk.run("tenant", command, "--help")).isZero();

        assertThat(desk.out())
                .startsWith("Usage: headgate tenant " + command + " [-h]")
                .contains("--bootstrap-servers=HOST:PORT", "--config=FILE", "--output=FORMAT", "\n  2   wrong usage\n");
        assertThat(desk.out().lines()).allMatch(line -> line.length() <= 100);
        assertThat(desk.err()).isEmpty();
    }

    @Test
    void lists_the_commands_when_none_is_given() {
        assertThat(desk.run("tenant")).isEqualTo(2);

        assertThat(desk.err())
                .contains(
                        "set  ",
                        "remove  ",
                        "list  ",
                        "show  ",
                        "override  ",
                        "ban  ",
                        "lift  ",
                        "reset  ",
                        "credit  ");
    }
}
