package io.headgate.processor;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigException;

/**
 * Runs a processor until it is told to stop: {@code --config FILE}, and {@code --set NAME=VALUE} any number of times.
 * Exit codes: 0 stopped, 1 failed while running, 2 could not start.
 */
public final class ProcessorMain {

    private static final String LOG_CONFIGURATION = "logback.configurationFile";
    private static final int FAILED = 1;
    private static final int NOT_STARTED = 2;

    private ProcessorMain() {}

    public static void main(String[] args) throws InterruptedException {
        if (System.getProperty(LOG_CONFIGURATION) == null) {
            System.setProperty(LOG_CONFIGURATION, "io/headgate/processor/logback.xml");
        }
        AdmissionProcessor processor = start(args);
        Runtime.getRuntime().addShutdownHook(new Thread(processor::close, "headgate-stop"));
        System.err.println("processor ready to take shards; admin port " + processor.adminPort());
        processor.failure().join();
        System.exit(FAILED);
    }

    private static AdmissionProcessor start(String[] args) throws InterruptedException {
        try {
            return AdmissionProcessor.start(ProcessorSettings.of(settings(args)));
        } catch (ConfigException | StartException | IllegalArgumentException wrong) {
            System.err.println("headgate processor: " + wrong.getMessage());
            System.exit(NOT_STARTED);
            throw wrong;
        }
    }

    private static Map<String, String> settings(String[] args) {
        Map<String, String> settings = new TreeMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (i + 1 == args.length || !(args[i].equals("--config") || args[i].equals("--set"))) {
                throw new IllegalArgumentException(
                        "'" + args[i] + "' is not understood; give --config FILE or --set NAME=VALUE");
            }
            if (args[i].equals("--config")) {
                settings.putAll(file(Path.of(args[i + 1])));
            } else {
                int equals = args[i + 1].indexOf('=');
                if (equals < 1) {
                    throw new IllegalArgumentException("--set " + args[i + 1] + " is not NAME=VALUE");
                }
                settings.put(args[i + 1].substring(0, equals), args[i + 1].substring(equals + 1));
            }
        }
        return settings;
    }

    private static Map<String, String> file(Path path) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException("settings file " + path + " cannot be read: " + unreadable.getMessage());
        }
        Map<String, String> settings = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        return settings;
    }
}
