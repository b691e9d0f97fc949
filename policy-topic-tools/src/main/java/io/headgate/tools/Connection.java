package io.headgate.tools;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where Kafka is, and how to get in. */
public final class Connection {

    private static final String SERVERS = "bootstrap.servers";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--bootstrap-servers",
            paramLabel = "HOST:PORT[,…]",
            description = "where Kafka is; may stand in the --config file instead")
    private String servers = "";

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "settings of Kafka's clients, such as TLS and SASL, as a properties file")
    private Path config;

    /** Whether it was said where Kafka is. */
    public boolean isNamed() {
        return !servers.isBlank() || config != null;
    }

    /** Nothing is asked of the cluster yet. */
    public Cluster open(Surroundings surroundings) {
        Map<String, String> settings = new TreeMap<>();
        if (config != null) {
            Properties lines = read();
            lines.stringPropertyNames().forEach(name -> settings.put(name, lines.getProperty(name)));
        }
        if (!servers.isBlank()) {
            settings.put(SERVERS, servers);
        }
        if (settings.getOrDefault(SERVERS, "").isBlank()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Missing required option: '--bootstrap-servers=HOST:PORT', unless the --config file has "
                            + SERVERS);
        }
        return surroundings.clusters().apply(settings);
    }

    private Properties read() {
        Properties lines = new Properties();
        try (Reader reader = Files.newBufferedReader(config, StandardCharsets.UTF_8)) {
            lines.load(reader);
            return lines;
        } catch (IOException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for --config: " + config + " cannot be read: " + FileProblem.of(e));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for --config: " + config + " is not a properties file: " + e.getMessage());
        }
    }
}
