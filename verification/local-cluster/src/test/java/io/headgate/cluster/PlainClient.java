package io.headgate.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Kafka's own clients against one broker, strings only, every call with a deadline. */
final class PlainClient {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration POLL_TIMEOUT = Duration.ofMillis(100);

    private final String bootstrapServers;

    PlainClient(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    void createTopic(String name, int partitions, Map<String, String> configs) {
        try (Admin admin = admin()) {
            NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(configs);
            await(admin.createTopics(List.of(topic)).all());
        }
    }

    Set<String> topics() {
        try (Admin admin = admin()) {
            return await(admin.listTopics().names());
        }
    }

    /** Whether the broker says which cluster it is in that time. */
    boolean answersWithin(Duration timeout) {
        int millis = Math.toIntExact(timeout.toMillis());
        Map<String, Object> deadlines = Map.of("request.timeout.ms", millis, "default.api.timeout.ms", millis);
        try (Admin admin = Admin.create(withAddress(deadlines))) {
            var unused = admin.describeCluster().clusterId().get();
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof org.apache.kafka.common.errors.TimeoutException) {
                return false;
            }
            throw new AssertionError("a call to the broker failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The group's committed offset in the partition. */
    long committedOffset(String group, TopicPartition partition) {
        try (Admin admin = admin()) {
            var offsets = await(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
            return offsets.get(partition).offset();
        }
    }

    /** Returns when every record is acknowledged. */
    void produce(List<ProducerRecord<String, String>> records) {
        try (Producer<String, String> producer = producer(Map.of())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            records.forEach(record -> sent.add(producer.send(record)));
            sent.forEach(PlainClient::await);
        }
    }

    /**
     * Every committed record of the partition up to its present end. That is the end an uncommitted reader sees: a commit
     * returns before its marker is in the partition, so the committed end may lag behind what was committed.
     */
    List<ConsumerRecord<String, String>> readAll(TopicPartition partition) {
        try (Consumer<String, String> consumer = consumer(Map.of("isolation.level", "read_committed"))) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = endOffset(partition);
            List<ConsumerRecord<String, String>> records = new ArrayList<>();
            long deadlineNanos = System.nanoTime() + CALL_TIMEOUT.toNanos();
            while (consumer.position(partition) < end) {
                consumer.poll(POLL_TIMEOUT).forEach(records::add);
                if (System.nanoTime() - deadlineNanos > 0) {
                    throw new AssertionError(
                            "read " + records.size() + " records of " + partition + ", its end being " + end);
                }
            }
            return records;
        }
    }

    private long endOffset(TopicPartition partition) {
        try (Admin admin = admin()) {
            return await(admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                            .partitionResult(partition))
                    .offset();
        }
    }

    Producer<String, String> producer(Map<String, Object> configs) {
        return new KafkaProducer<>(withAddress(configs), new StringSerializer(), new StringSerializer());
    }

    Consumer<String, String> consumer(Map<String, Object> configs) {
        return new KafkaConsumer<>(withAddress(configs), new StringDeserializer(), new StringDeserializer());
    }

    Admin admin() {
        return Admin.create(withAddress(Map.of()));
    }

    private Map<String, Object> withAddress(Map<String, Object> configs) {
        Map<String, Object> all = new HashMap<>(configs);
        all.put("bootstrap.servers", bootstrapServers);
        return all;
    }

    private static <T> T await(KafkaFuture<T> call) {
        return await(call.toCompletionStage().toCompletableFuture());
    }

    private static <T> T await(Future<T> call) {
        try {
            return call.get(CALL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("a call to the broker failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
