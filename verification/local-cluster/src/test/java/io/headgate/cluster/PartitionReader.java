package io.headgate.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads what is committed of a partition, from its beginning to its present end. */
final class PartitionReader {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private PartitionReader() {}

    /** The end is that of a reader of everything: an open transaction is waited for. */
    static void read(String bootstrapServers, TopicPartition partition, Consumer<ConsumerRecord<byte[], byte[]>> reader)
            throws ExecutionException, InterruptedException {
        long end;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            end = admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        }
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(100)).forEach(reader);
                if (System.nanoTime() > giveUpAt) {
                    throw new AssertionError("read " + partition + " up to " + consumer.position(partition)
                            + ", its end being " + end + ": is a transaction open?");
                }
            }
        }
    }
}
