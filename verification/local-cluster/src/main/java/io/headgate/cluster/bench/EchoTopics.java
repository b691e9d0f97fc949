package io.headgate.cluster.bench;

import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.TopicSpec;
import io.headgate.schemas.Topics;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** The two topics of one run's echo, set up like those of requests and replies, and deleted after the run. */
final class EchoTopics implements AutoCloseable {

    private final String bootstrapServers;
    private final int shards;
    private final String requests;
    private final String replies;

    private EchoTopics(String bootstrapServers, int shards, String run) {
        this.bootstrapServers = bootstrapServers;
        this.shards = shards;
        this.requests = "bench-echo-requests-" + run;
        this.replies = "bench-echo-replies-" + run;
    }

    static EchoTopics create(String bootstrapServers, int shards) throws ExecutionException, InterruptedException {
        EchoTopics topics =
                new EchoTopics(bootstrapServers, shards, UUID.randomUUID().toString());
        try (Admin admin = topics.admin()) {
            Topics.create(
                    admin,
                    List.of(
                            like(TopicCatalogue.ADMISSION_REQUESTS, topics.requests, shards),
                            like(TopicCatalogue.ADMISSION_REPLIES, topics.replies, 1)));
        }
        return topics;
    }

    private static TopicSpec like(String original, String name, int partitions) {
        return new TopicCatalogue(partitions, partitions)
                .topics().stream()
                        .filter(spec -> spec.name().equals(original))
                        .map(spec -> new TopicSpec(name, partitions, spec.config()))
                        .findFirst()
                        .orElseThrow();
    }

    /** As many partitions as there are shards. */
    String requests() {
        return requests;
    }

    /** One partition. */
    String replies() {
        return replies;
    }

    int shards() {
        return shards;
    }

    @Override
    public void close() {
        try (Admin admin = admin()) {
            admin.deleteTopics(List.of(requests, replies)).all().get();
        } catch (ExecutionException refused) {
            throw new IllegalStateException(
                    "topics " + requests + " and " + replies + " stay: " + refused.getCause(), refused);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("topics " + requests + " and " + replies + " stay", impatient);
        }
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }
}
