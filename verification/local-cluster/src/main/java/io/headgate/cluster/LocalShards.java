package io.headgate.cluster;

import io.headgate.processor.AdmissionProcessor;
import io.headgate.processor.ProcessorSettings;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.Topics;
import io.headgate.schemas.trust.TrustSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;

/** The topics and the processor of a local cluster. */
public final class LocalShards {

    public static final int SHARDS = 8;
    static final int REPLY_PARTITIONS = 16;

    private static final Duration READY_TIMEOUT = Duration.ofSeconds(60);

    private LocalShards() {}

    /** Creates the topics that are missing. */
    static void createTopics(String bootstrapServers) throws ExecutionException, InterruptedException {
        createTopics(bootstrapServers, SHARDS);
    }

    /** Creates the topics that are missing, for so many shards. */
    public static void createTopics(String bootstrapServers, int shards)
            throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            Topics.create(admin, new TopicCatalogue(shards, REPLY_PARTITIONS).topics());
        }
    }

    /** The settings of a processor whose state and keys are in {@code folder}, and who believes everybody; others may be added. */
    static Map<String, String> processorSettings(String bootstrapServers, Path folder) throws IOException {
        Map<String, String> settings = new TreeMap<>();
        settings.put("bootstrap.servers", bootstrapServers);
        settings.put("state.dir", folder.resolve("state").toString());
        settings.put("control.keys.file", Secrets.controlKeys(folder).toString());
        settings.put(TrustSettings.UNSIGNED, TrustSettings.ALLOW);
        settings.put("session.timeout.ms", "3000");
        settings.put("admin.port", "0");
        return settings;
    }

    static AdmissionProcessor startProcessor(String bootstrapServers, Path folder)
            throws IOException, InterruptedException {
        return startProcessor(bootstrapServers, folder, Map.of());
    }

    /** Starts a processor whose state and keys are in {@code folder}; {@code more} settings win over the usual ones. */
    public static AdmissionProcessor startProcessor(String bootstrapServers, Path folder, Map<String, String> more)
            throws IOException, InterruptedException {
        Map<String, String> settings = processorSettings(bootstrapServers, folder);
        settings.putAll(more);
        return AdmissionProcessor.start(ProcessorSettings.of(settings));
    }

    /**
     * Waits until every shard decides.
     *
     * @throws IllegalStateException if the processor fails or takes too long
     */
    public static void awaitReady(AdmissionProcessor processor) throws InterruptedException {
        long giveUpAt = System.nanoTime() + READY_TIMEOUT.toNanos();
        while (processor.readyShards() < processor.shardCount()) {
            if (processor.failure().isDone()) {
                throw new IllegalStateException(
                        "the processor failed: " + processor.failure().join().getMessage());
            }
            if (System.nanoTime() > giveUpAt) {
                throw new IllegalStateException("only " + processor.readyShards() + " of " + processor.shardCount()
                        + " shards decide after " + READY_TIMEOUT.toSeconds() + " s");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }
}
