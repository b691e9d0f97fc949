package io.headgate.gateway.server;

import io.headgate.gateway.client.ClientSettings;
import io.headgate.gateway.client.ClientStartException;
import io.headgate.gateway.client.HeadgateClient;
import io.headgate.gateway.client.SettingNames;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** The gateway as a process. Exits with 0 after a stop, 1 if it cannot start, 2 if it was called wrongly. */
public final class GatewayMain {

    private static final String USAGE = """
            usage: gateway [--config FILE] [--set NAME=VALUE]...

              --config FILE      settings, one NAME=VALUE a line
              --set NAME=VALUE   a setting, instead of what the file says
              --settings         lists every setting
            """;

    private static final int STARTED = -1;
    private static final int CANNOT_START = 1;
    private static final int WRONG_USE = 2;

    private final PrintStream out;
    private final PrintStream err;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final CountDownLatch end = new CountDownLatch(1);
    private Runnable stop = () -> {};
    private int port;

    GatewayMain(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Runs until the process is told to stop. */
    public static void main(String[] args) throws InterruptedException {
        quietLogs();
        GatewayMain gateway = new GatewayMain(System.out, System.err);
        int code = gateway.start(args);
        if (code != STARTED) {
            System.exit(code);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(gateway::stop, "headgate-stop"));
        gateway.end.await();
    }

    /** Starts, or says in one line why not; gives the exit code, or a negative number if it runs. */
    int start(String... args) {
        try {
            if (List.of(args).contains("--settings")) {
                out.print(settingsList());
                return 0;
            }
            Map<String, String> given = read(args);
            Map<String, String> forClient = new TreeMap<>(given);
            Set<String> serverNames = ServerSettings.definition().names();
            forClient.keySet().removeAll(serverNames);
            given.keySet().retainAll(serverNames);
            run(new ServerSettings(given), new ClientSettings(forClient));
            return STARTED;
        } catch (IllegalArgumentException wrong) {
            err.println("headgate gateway: " + wrong.getMessage());
            return WRONG_USE;
        } catch (ClientStartException | ServerStartException failed) {
            err.println("headgate gateway: " + failed.getMessage());
            return CANNOT_START;
        }
    }

    int port() {
        return port;
    }

    /** Stops the server, then the client; a second time does nothing. */
    void stop() {
        if (stopped.compareAndSet(false, true)) {
            stop.run();
            end.countDown();
        }
    }

    private void run(ServerSettings serverSettings, ClientSettings clientSettings) {
        Map<String, String> effective = new TreeMap<>(clientSettings.effective());
        effective.putAll(serverSettings.effective());
        effective.forEach((name, value) -> out.println(name + "=" + value));
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        HeadgateClient client = HeadgateClient.start(clientSettings, registry);
        try {
            GatewayServer server = GatewayServer.start(serverSettings, client, registry);
            port = server.port();
            stop = () -> {
                server.close();
                client.close();
            };
            out.println("health and metrics on " + serverSettings.adminAddress() + " port " + server.adminPort());
            out.println("listening on " + serverSettings.bindAddress() + " port " + port);
        } catch (ServerStartException failed) {
            client.close();
            throw failed;
        }
    }

    private static Map<String, String> read(String... args) {
        Map<String, String> fromFile = new TreeMap<>();
        Map<String, String> set = new TreeMap<>();
        for (int i = 0; i < args.length; i++) {
            boolean takesValue = args[i].equals("--config") || args[i].equals("--set");
            if (!takesValue || i + 1 == args.length) {
                throw new IllegalArgumentException(
                        (takesValue ? args[i] + " needs a value" : "there is no option '" + args[i] + "'") + "\n"
                                + USAGE);
            }
            String option = args[i++];
            if (option.equals("--config")) {
                fromFile.putAll(readFile(Path.of(args[i])));
            } else {
                int equals = args[i].indexOf('=');
                if (equals < 1) {
                    throw new IllegalArgumentException("--set takes NAME=VALUE");
                }
                set.put(args[i].substring(0, equals).strip(), args[i].substring(equals + 1));
            }
        }
        fromFile.putAll(set);
        refuseUnknown(fromFile);
        return fromFile;
    }

    private static void refuseUnknown(Map<String, String> given) {
        Set<String> known = new TreeSet<>(ServerSettings.definition().names());
        known.addAll(ClientSettings.definition().names());
        SettingNames.refuseUnknown(
                given.keySet().stream()
                        .filter(name -> !name.startsWith(ClientSettings.KAFKA_PREFIX))
                        .toList(),
                known);
    }

    private static Map<String, String> readFile(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    "settings file " + file + " cannot be read: "
                            + unreadable.getClass().getSimpleName(),
                    unreadable);
        }
        Map<String, String> settings = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        return settings;
    }

    private static String settingsList() {
        return ServerSettings.definition().toEnrichedRst()
                + ClientSettings.definition().toEnrichedRst();
    }

    /** Without this, a process that brings no logging set-up of its own would log every step. */
    private static void quietLogs() {
        boolean chosen = System.getProperty("logback.configurationFile") != null
                || GatewayMain.class.getResource("/logback.xml") != null;
        if (!chosen) {
            System.setProperty("logback.configurationFile", "io/headgate/gateway/server/gateway-logback.xml");
        }
    }
}
