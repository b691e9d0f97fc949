package io.headgate.cluster.bench;

import io.headgate.cluster.LocalBroker;
import io.headgate.cluster.LocalShards;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.Topics;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.PolicyTopic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The cluster that is asked: one in this JVM, or one that is there already. */
final class BenchCluster implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(BenchCluster.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private String bootstrapServers;
    private int shards;
    private Optional<AdmissionProcessor> processor = Optional.empty();

    private BenchCluster() {}

    /**
     * Starts a broker, the topics, the policy and a processor in this JVM. What they keep is in a new folder in the working
     * directory, not among temporary files, which may be in memory; it is deleted at the end.
     *
     * @param processorSettings win over the usual ones
     */
    static BenchCluster inThisJvm(int shards, PolicyDocument policy, Map<String, String> processorSettings)
            throws IOException, ExecutionException, InterruptedException, CommandFailedException {
        BenchCluster cluster = new BenchCluster();
        boolean started = false;
        try {
            Path folder =
                    Files.createTempDirectory(Path.of(""), ".headgate-bench-").toAbsolutePath();
            cluster.parts.push(() -> delete(folder));
            LocalBroker broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
            cluster.parts.push(broker);
            cluster.bootstrapServers = broker.bootstrapServers();
            cluster.shards = shards;
            LocalShards.createTopics(cluster.bootstrapServers, shards);
            new PolicyTopic(cluster.bootstrapServers)
                    .publish(policy, "headgate bench", policy.metadata().reason());
            AdmissionProcessor processor =
                    LocalShards.startProcessor(cluster.bootstrapServers, folder, processorSettings);
            cluster.parts.push(processor);
            cluster.processor = Optional.of(processor);
            LocalShards.awaitReady(processor);
            started = true;
            return cluster;
        } finally {
            if (!started) {
                cluster.close();
            }
        }
    }

    /**
     * Takes the cluster at these brokers, with its topics, its policy and its processors.
     *
     * @throws BenchException if there is none, or it has no topic of requests
     */
    static BenchCluster at(String bootstrapServers) throws BenchException, InterruptedException {
        BenchCluster cluster = new BenchCluster();
        cluster.bootstrapServers = bootstrapServers;
        try (Admin admin = Admin.create(Map.of(
                "bootstrap.servers", bootstrapServers,
                "request.timeout.ms", 10_000,
                "default.api.timeout.ms", 10_000))) {
            cluster.shards = Topics.partitions(admin, TopicCatalogue.ADMISSION_REQUESTS)
                    .orElseThrow(() -> new BenchException(
                            "there is no topic " + TopicCatalogue.ADMISSION_REQUESTS + " at " + bootstrapServers
                                    + "; name the brokers of a Headgate cluster, or none",
                            null));
        } catch (KafkaException wrong) {
            throw unusable(bootstrapServers, wrong);
        } catch (ExecutionException refused) {
            throw unusable(bootstrapServers, refused);
        }
        return cluster;
    }

    private static BenchException unusable(String bootstrapServers, Exception failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return new BenchException(
                "the cluster at " + bootstrapServers + " cannot be used: " + root.getMessage(), failure);
    }

    String bootstrapServers() {
        return bootstrapServers;
    }

    int shards() {
        return shards;
    }

    /** Whether it is in this JVM. */
    boolean embedded() {
        return processor.isPresent();
    }

    /** Why the processor in this JVM has failed; empty if it has not, or is not here. */
    Optional<Throwable> failure() {
        return processor
                .filter(it -> it.failure().isDone())
                .map(it -> it.failure().join());
    }

    /** Stops what was started, the last part first. */
    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception failed) {
                // The others still have to stop.
                LOG.warn("a part of the cluster did not stop: {}", failed.toString());
            }
        }
    }

    private static void delete(Path root) throws IOException {
        try (Stream<Path> tree = Files.walk(root)) {
            List<Path> deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.delete(path);
            }
        }
    }
}
