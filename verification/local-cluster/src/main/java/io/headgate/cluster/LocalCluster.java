package io.headgate.cluster;

import io.headgate.gateway.client.ClientStartException;
import io.headgate.gateway.server.ServerStartException;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.processor.StartException;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.PolicyConflictException;
import io.headgate.tools.PolicyTopic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A whole deployment in this process: broker, topics, a policy, a processor that owns all shards, and a gateway. What it
 * keeps is in one folder, and the next start goes on from there.
 */
final class LocalCluster implements AutoCloseable {

    /** Tells a folder of ours from one that somebody named by mistake. */
    private static final String MARKER = "headgate-data";

    /** What is ours in a data folder. */
    private static final List<String> OWN = List.of(
            "broker",
            "state",
            "control.keys",
            "pseudonym.secret",
            SigningPair.KEY_FILE,
            SigningPair.TRUST_FILE,
            "headgate.log");

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private LocalBroker broker;
    private AdmissionProcessor processor;
    private LocalGateway gateway;

    /**
     * What to start.
     *
     * @param data folder for everything that is kept
     * @param fresh whether to empty it first
     * @param gatewayPort 0 picks a free one
     * @param kafkaPort 0 picks a free one
     * @param policy published unless it is there already
     * @param keepNewer whether a higher version on the topic is kept in force instead of refusing to start
     */
    record Options(
            Path data, boolean fresh, int gatewayPort, int kafkaPort, PolicyDocument policy, boolean keepNewer) {}

    private LocalCluster() {}

    /**
     * Starts everything, and reports each step in a line.
     *
     * @throws ClusterStartException if something is in the way; nothing is left running
     */
    static LocalCluster start(Options options, Consumer<String> progress) throws InterruptedException {
        LocalCluster cluster = new LocalCluster();
        try {
            cluster.startParts(options, progress);
            return cluster;
        } catch (ExecutionException failed) {
            cluster.close();
            throw new ClusterStartException(oneLine(failed.getCause()), failed);
        } catch (IOException
                | CommandFailedException
                | BrokerStartException
                | StartException
                | ClientStartException
                | ServerStartException
                | PolicyConflictException
                | IllegalArgumentException
                | IllegalStateException failed) {
            cluster.close();
            throw new ClusterStartException(oneLine(failed), failed);
        }
    }

    private void startParts(Options options, Consumer<String> progress)
            throws IOException, ExecutionException, InterruptedException, CommandFailedException {
        Path data = prepareFolder(options);
        System.setProperty("headgate.log", data.resolve("headgate.log").toString());
        progress.accept("data        " + data.toAbsolutePath().normalize() + ", details in headgate.log");

        broker = started(
                LocalBroker.start(LocalBroker.Settings.in(brokerFolder(data)).onPort(options.kafkaPort())));
        progress.accept("broker      " + broker.bootstrapServers());

        LocalShards.createTopics(broker.bootstrapServers());
        progress.accept("topics      " + LocalShards.SHARDS + " shards");

        SigningPair signing = SigningPair.in(data);
        progress.accept("policy      " + publish(options, signing));

        processor = started(LocalShards.startProcessor(broker.bootstrapServers(), data, signing.settings()));
        LocalShards.awaitReady(processor);
        progress.accept("processor   all shards decide; admin port " + processor.adminPort());

        gateway = started(LocalGateway.start(
                broker.bootstrapServers(), data, "local", options.gatewayPort(), signing.settings()));
        progress.accept("gateway     http://127.0.0.1:" + gateway.port() + "; admin port " + gateway.adminPort());
    }

    private String publish(Options options, SigningPair signing) throws CommandFailedException {
        PolicyTopic topic = new PolicyTopic(broker.bootstrapServers(), signing.trust(), signing.key());
        PolicyDocument.Metadata metadata = options.policy().metadata();
        Optional<PolicyRecord> newest = topic.newest();
        if (options.keepNewer() && newest.isPresent() && newest.get().version() > metadata.version()) {
            return newest.get().domain() + " version " + newest.get().version() + ", published before";
        }
        PolicyTopic.Published published = topic.publish(options.policy(), "headgate up", metadata.reason());
        return metadata.name() + " version " + metadata.version()
                + (published == PolicyTopic.Published.BEFORE ? ", published before" : ", published");
    }

    String bootstrapServers() {
        return broker.bootstrapServers();
    }

    int gatewayPort() {
        return gateway.port();
    }

    int adminPort() {
        return processor.adminPort();
    }

    /** Completes when the processor has failed for good. */
    CompletableFuture<Throwable> failure() {
        return processor.failure();
    }

    /** Stops the last part first, so that nobody talks to one that has gone. */
    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception ignored) {
                // The others still have to stop; what matters is in the broker's log by now.
            }
        }
    }

    private <T extends AutoCloseable> T started(T part) {
        parts.push(part);
        return part;
    }

    private static Path prepareFolder(Options options) throws IOException {
        Path data = options.data();
        try {
            if (Files.exists(data)) {
                refuseForeign(data);
                if (options.fresh()) {
                    empty(data);
                }
            }
            Files.createDirectories(data);
            Files.writeString(
                    data.resolve(MARKER), "Data of a local Headgate cluster. 'headgate up --fresh' forgets it.\n");
        } catch (IOException failed) {
            throw new ClusterStartException("data folder " + data + " cannot be used: " + reason(failed), failed);
        }
        return data;
    }

    /** A folder is ours if it has our marker or nothing at all. */
    private static void refuseForeign(Path data) throws IOException {
        try (Stream<Path> entries = Files.list(data)) {
            if (!Files.exists(data.resolve(MARKER)) && entries.findAny().isPresent()) {
                throw new ClusterStartException(
                        "folder " + data + " holds something else; name one that is empty or not there", null);
            }
        }
    }

    /** Deletes what 'headgate up' makes, and nothing that somebody else has put beside it. */
    private static void empty(Path data) throws IOException {
        // Held while it is emptied: a broker that lost its folder under way would take its JVM down.
        DataFolder held = DataFolder.take(brokerFolder(data));
        try {
            for (String own : OWN) {
                delete(data.resolve(own));
            }
        } finally {
            held.close();
        }
    }

    private static void delete(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        try (Stream<Path> tree = Files.walk(root)) {
            List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.delete(path);
            }
        }
    }

    private static Path brokerFolder(Path data) {
        return data.resolve("broker");
    }

    private static String reason(IOException failed) {
        return failed.getClass().getSimpleName().replace("Exception", "") + " " + failed.getMessage();
    }

    private static String oneLine(Throwable failed) {
        String message = failed.getMessage() == null ? failed.toString() : failed.getMessage();
        return message.lines().findFirst().orElse(failed.toString());
    }
}
