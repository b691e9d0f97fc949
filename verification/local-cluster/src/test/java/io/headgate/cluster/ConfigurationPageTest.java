package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.gateway.client.ClientSettings;
import io.headgate.gateway.server.ServerSettings;
import io.headgate.processor.ProcessorSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.ConfigKey;
import org.junit.jupiter.api.Test;

/** {@code docs/configuration.md} is made from the code. {@code -Dheadgate.docs=write} writes it anew. */
class ConfigurationPageTest {

    private static final Path PAGE = Path.of("../../docs/configuration.md");

    @Test
    void the_configuration_page_is_what_the_code_says() throws IOException {
        String page = page();

        if ("write".equals(System.getProperty("headgate.docs"))) {
            Files.writeString(PAGE, page);
        }

        assertThat(Files.readString(PAGE))
                .as("docs/configuration.md; write it anew with: mvn -pl verification/local-cluster -am test"
                        + " -Dtest=ConfigurationPageTest -Dsurefire.failIfNoSpecifiedTests=false -Dheadgate.docs=write")
                .isEqualTo(page);
    }

    private static String page() {
        return """
                # Settings

                Every setting of every program, made from the code. A program takes them from a properties file (`--config FILE`)
                and from its command line (`--set NAME=VALUE`, any number of times; it wins over the file), refuses a name that it
                does not know, and prints what is in force once, at start. None is picked up while a program runs. Whatever begins
                with `kafka.` goes to Kafka's own clients without that prefix, except settings on whose value a promise depends:
                those are refused.

                No setting can change a decision. Those that begin with `shard.initial.` are written into the log of a shard that
                has no settings yet, and are never looked at again.

                """
                + section("Processor", "`io.headgate.processor.ProcessorMain`", ProcessorSettings.DEFINITION)
                + section(
                        "Gateway: the client",
                        "The library, and part of the gateway process.",
                        ClientSettings.definition())
                + section(
                        "Gateway: the server", "`io.headgate.gateway.server.GatewayMain`", ServerSettings.definition());
    }

    private static String section(String title, String about, ConfigDef definition) {
        StringBuilder out = new StringBuilder("## " + title + "\n\n" + about + "\n\n");
        out.append("| setting | type | default | range | what it does |\n|---|---|---|---|---|\n");
        definition.configKeys().values().stream()
                .sorted(Comparator.comparing((ConfigKey key) -> key.hasDefault())
                        .thenComparing(key -> key.name))
                .forEach(key -> out.append("| `%s` | %s | %s | %s | %s |%n"
                        .formatted(
                                key.name,
                                key.type.name().toLowerCase(Locale.ROOT),
                                defaultOf(key),
                                rangeOf(key),
                                key.documentation)));
        return out.append('\n').toString();
    }

    private static String defaultOf(ConfigKey key) {
        if (!key.hasDefault()) {
            return "must be set";
        }
        String value = ConfigDef.convertToString(key.defaultValue, key.type);
        return value == null || value.isEmpty() ? "none" : "`" + value + "`";
    }

    private static String rangeOf(ConfigKey key) {
        return key.validator == null ? "" : key.validator.toString().replace("|", "\\|");
    }
}
