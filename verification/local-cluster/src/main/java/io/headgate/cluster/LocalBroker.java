package io.headgate.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kafka.server.BrokerServer;
import kafka.server.ControllerServer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.server.Server;
import kafka.server.SharedServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.metadata.bootstrap.BootstrapMetadata;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.raft.QuorumConfig;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.apache.kafka.server.fault.LoggingFaultHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Kafka node, broker and controller at once, in this JVM. It listens on 127.0.0.1 only and keeps everything in one
 * folder: stop it, start it on the same folder, and topics, records and committed offsets are there again. The ports
 * may differ from run to run; nothing in the folder depends on them.
 *
 * <p>Close it before deleting its folder: Kafka halts the JVM when it has lost the last folder it could write to.
 */
public final class LocalBroker implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LocalBroker.class);

    private static final Duration READY_TIMEOUT = Duration.ofSeconds(15);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

    /** A part of STOP_TIMEOUT, the rest being for closing the logs. */
    private static final Duration CONTROLLED_SHUTDOWN_TIMEOUT = Duration.ofSeconds(3);

    /**
     * Where a broker keeps its data, where clients find it, and what differs from the usual node.
     *
     * @param folder created if need be
     * @param clientPort 0 picks a free one
     * @param overrides Kafka node settings that win over this class's, by their Kafka names
     */
    public record Settings(Path folder, int clientPort, Map<String, String> overrides) {

        private static final int HIGHEST_PORT = 65_535;

        public Settings {
            Objects.requireNonNull(folder, "folder");
            if (folder.toString().contains(",")) {
                throw new IllegalArgumentException(
                        "folder: " + folder + " has a comma, which separates folders in Kafka");
            }
            if (clientPort < 0 || clientPort > HIGHEST_PORT) {
                throw new IllegalArgumentException("clientPort: " + clientPort + " is not between 0 and 65535");
            }
            overrides = Map.copyOf(overrides);
            for (String name : overrides.keySet()) {
                if (NodeSettings.FIXED.contains(name)) {
                    throw new IllegalArgumentException("overrides: " + name + " follows from the folder and the port");
                }
                if (!AbstractKafkaConfig.CONFIG_DEF.names().contains(name)) {
                    throw new IllegalArgumentException("overrides: Kafka has no node setting " + name);
                }
            }
        }

        /** The usual node, on a free port. */
        public static Settings in(Path folder) {
            return new Settings(folder, 0, Map.of());
        }

        public Settings onPort(int port) {
            return new Settings(folder, port, overrides);
        }

        public Settings with(String name, String value) {
            Map<String, String> more = new HashMap<>(overrides);
            more.put(name, value);
            return new Settings(folder, clientPort, more);
        }
    }

    private final DataFolder folder;
    private final ReservedPorts ports;
    private final int clientPort;
    private final String clusterId;
    private final Metrics metrics;
    private final ControllerServer controller;
    private final BrokerServer broker;
    private boolean stopped;

    private LocalBroker(DataFolder folder, ReservedPorts ports, Map<String, String> overrides) throws Exception {
        this.folder = folder;
        this.ports = ports;
        clientPort = ports.clientPort();
        KafkaConfig config = new KafkaConfig(NodeSettings.of(folder, ports, overrides), false);
        folder.format();
        var formatted = KafkaRaftServer.initializeLogDirs(config, LOG, "");
        MetaPropertiesEnsemble identity = formatted._1();
        BootstrapMetadata bootstrap = formatted._2();
        clusterId = identity.clusterId().orElseThrow();
        metrics = Server.initializeMetrics(config, Time.SYSTEM, clusterId);
        SharedServer shared = new SharedServer(
                config,
                identity,
                Time.SYSTEM,
                metrics,
                CompletableFuture.completedFuture(
                        QuorumConfig.parseVoterConnections(config.quorumConfig().voters())),
                List.of(),
                // Kafka's own would end the JVM; here the caller gets an exception and other brokers live on.
                (name, fatal, action) -> new LoggingFaultHandler(name, action),
                ports);
        controller = new ControllerServer(shared, KafkaRaftServer.configSchema(), bootstrap);
        broker = new BrokerServer(shared);
    }

    /**
     * Returns when the broker serves clients: it has said so through its own port, and under our cluster id.
     *
     * @throws PortTakenException if something else listens on the client port
     * @throws FolderInUseException if another live broker has the folder
     * @throws BrokerStartException if the folder cannot be written, a setting is wrong, or Kafka fails to start
     */
    public static LocalBroker start(Settings settings) {
        long startedNanos = System.nanoTime();
        DataFolder folder = DataFolder.take(settings.folder());
        ReservedPorts ports;
        try {
            ports = ReservedPorts.reserve(settings.clientPort());
        } catch (RuntimeException e) {
            folder.close();
            throw e;
        }
        LocalBroker node;
        try {
            node = new LocalBroker(folder, ports, settings.overrides());
        } catch (Exception e) {
            ports.close();
            folder.close();
            throw notStarted(settings, e);
        }
        try {
            node.controller.startup();
            node.broker.startup();
            node.requireReachable();
        } catch (Exception e) {
            BrokerStartException failure = notStarted(settings, e);
            try {
                node.close();
            } catch (IllegalStateException notStopped) {
                failure.addSuppressed(notStopped);
            }
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw failure;
        }
        LOG.atInfo()
                .addKeyValue("bootstrap", node.bootstrapServers())
                .addKeyValue("folder", folder.path())
                .addKeyValue("clusterId", node.clusterId)
                .addKeyValue("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos))
                .log("broker ready");
        return node;
    }

    private void requireReachable() throws ExecutionException, InterruptedException {
        int timeoutMillis = Math.toIntExact(READY_TIMEOUT.toMillis());
        Map<String, Object> client = Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers(),
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, timeoutMillis,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeoutMillis);
        try (Admin admin = Admin.create(client)) {
            String answering = admin.describeCluster().clusterId().get();
            if (!clusterId.equals(answering)) {
                throw new IllegalStateException(
                        "cluster " + answering + " answers on " + bootstrapServers() + " instead of " + clusterId);
            }
        }
    }

    private static BrokerStartException notStarted(Settings settings, Exception e) {
        String why = Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName())
                .lines()
                .findFirst()
                .orElse("");
        return new BrokerStartException("the broker in " + settings.folder() + " did not start: " + why, e);
    }

    public String bootstrapServers() {
        return ReservedPorts.HOST + ":" + clientPort();
    }

    public int clientPort() {
        return clientPort;
    }

    /** Stays the same for as long as the folder lives. */
    public String clusterId() {
        return clusterId;
    }

    public Path folder() {
        return folder.path();
    }

    /**
     * Stops the node and then lets go of the ports and the folder. A second call does nothing.
     *
     * @throws IllegalStateException if Kafka has not stopped after ten seconds, in which case the folder stays locked
     *     because something may still write to it, or if it failed while stopping
     */
    @Override
    public synchronized void close() {
        if (stopped) {
            return;
        }
        stopped = true;
        long beganNanos = System.nanoTime();
        FutureTask<Void> stop = new FutureTask<>(() -> {
            Utils.closeAll(
                    () -> broker.shutdown(CONTROLLED_SHUTDOWN_TIMEOUT),
                    controller::shutdown,
                    metrics,
                    ports::close,
                    folder::close);
            return null;
        });
        Thread stopping = new Thread(stop, "headgate-broker-stop");
        stopping.setDaemon(true);
        stopping.start();
        try {
            stop.get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException("the broker in " + folder() + " did not stop within " + STOP_TIMEOUT, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the broker in " + folder() + " failed while it stopped", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the broker in " + folder() + " was stopping", e);
        }
        LOG.atInfo()
                .addKeyValue("folder", folder())
                .addKeyValue("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos))
                .log("broker stopped");
    }
}
