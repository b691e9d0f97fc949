package io.headgate.tools;

import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The topic of policies, as an operator sees it. */
public final class PolicyTopic {

    private static final TopicPartition PARTITION = new TopicPartition(TopicCatalogue.POLICIES, 0);

    private final String bootstrapServers;

    public PolicyTopic(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    /** What publishing came to. */
    public enum Published {
        /** The version is on the topic now. */
        NOW,
        /** It was there already, with the same content. */
        BEFORE
    }

    /**
     * Publishes a version above all that are there. Two that publish at the same moment are told apart by the shards:
     * of two records with one version the one with the lower offset counts.
     *
     * @throws PolicyConflictException if the version is not above the newest
     * @throws ExecutionException if the cluster refuses the record
     */
    public Published publish(PolicyDocument draft, String author, String reason)
            throws ExecutionException, InterruptedException {
        long version = draft.metadata().version();
        PolicyDocument document = draft.as(version, author, reason);
        Optional<PolicyRecord> newest = newest();
        if (newest.map(PolicyRecord::contentHash).equals(Optional.of(document.contentHash()))) {
            return Published.BEFORE;
        }
        if (newest.isPresent() && newest.get().version() >= version) {
            throw new PolicyConflictException("policy version " + version + " cannot be published: version "
                    + newest.get().version() + " is on the topic, with other content; set metadata.version to "
                    + (newest.get().version() + 1));
        }
        PolicyRecord record = PolicyRecord.of(document, List.of());
        Map<String, Object> config =
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers, ProducerConfig.ACKS_CONFIG, "all");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(TopicCatalogue.POLICIES, 0, record.key(), record.toBytes()))
                    .get();
        }
        return Published.NOW;
    }

    /** The policy of the highest version on the topic; of several with that version the first. */
    public Optional<PolicyRecord> newest() {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
            NewestPolicy newest = new NewestPolicy();
            while (consumer.position(PARTITION) < end) {
                consumer.poll(Duration.ofMillis(100)).forEach(newest::see);
            }
            return newest.record();
        }
    }
}
