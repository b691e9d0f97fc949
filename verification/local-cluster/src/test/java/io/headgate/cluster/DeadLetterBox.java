package io.headgate.cluster;

import io.headgate.schemas.DeadLetterRecord;
import io.headgate.schemas.TopicCatalogue;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The dead letters that are committed, by where the dead record stood. */
final class DeadLetterBox implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PARTITIONS = 4;

    private final Map<String, DeadLetterRecord> letters = new HashMap<>();
    private final KafkaConsumer<byte[], byte[]> consumer;

    DeadLetterBox(String bootstrapServers) {
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(number -> new TopicPartition(TopicCatalogue.DEAD_LETTERS, number))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Waits for the letter about a record. */
    DeadLetterRecord await(int shard, long offset) {
        String where = where(shard, offset);
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (!letters.containsKey(where)) {
            poll();
            if (System.nanoTime() > giveUpAt) {
                throw new AssertionError(
                        "no dead letter for shard " + shard + ", offset " + offset + "; there are " + letters.keySet());
            }
        }
        return letters.get(where);
    }

    /** Waits for the letter about one of the records from {@code from} on and below {@code to}; the first there is. */
    DeadLetterRecord awaitFirst(int shard, long from, long to) {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < giveUpAt) {
            for (long at = from; at < to; at++) {
                if (has(shard, at)) {
                    return letters.get(where(shard, at));
                }
            }
        }
        throw new AssertionError("no dead letter for shard " + shard + ", offsets " + from + " to " + to
                + "; there are " + letters.keySet());
    }

    /** Whether there is a letter about a record, among those that have come by now. */
    boolean has(int shard, long offset) {
        poll();
        return letters.containsKey(where(shard, offset));
    }

    private void poll() {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> {
            DeadLetterRecord letter = DeadLetterRecord.fromBytes(record.value());
            letters.put(where(letter.partition(), letter.offset()), letter);
        });
    }

    private static String where(int shard, long offset) {
        return shard + "@" + offset;
    }

    @Override
    public void close() {
        consumer.close();
    }
}
