package io.headgate.cluster;

import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.ReplyRecords;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Asks one question at a time with nothing but Kafka's own client, as anybody could. */
final class PlainGateway implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TopicPartition mine = new TopicPartition(TopicCatalogue.ADMISSION_REPLIES, 3);
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private long asked;

    PlainGateway(String bootstrapServers) {
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "linger.ms", 0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers, "auto.offset.reset", "latest"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(List.of(mine));
        consumer.seekToEnd(List.of(mine));
        consumer.position(mine);
    }

    /** Sends a batch to the shard of its first command and waits for the answer. */
    Reply ask(Requests requests) throws ExecutionException, InterruptedException {
        String key = ((Command.Ask) requests.commands().get(0)).admission().partitionKey();
        return ask(Partitioning.shardOf(key, LocalShards.SHARDS), RequestRecords.encode(requests))
                .orElseThrow(() -> new AssertionError("no answer within " + PATIENCE));
    }

    /** Sends any bytes to a shard; the answer, or nothing if none comes. */
    Optional<Reply> ask(int shard, byte[] value) throws ExecutionException, InterruptedException {
        byte[] correlationId = ByteBuffer.allocate(Long.BYTES).putLong(++asked).array();
        send(shard, value, new ReplyAddress(mine.topic(), OptionalInt.of(mine.partition()), correlationId));
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < giveUpAt) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
                Header correlation = record.headers().lastHeader(ReplyAddress.CORRELATION_ID);
                if (Arrays.equals(correlation.value(), correlationId)) {
                    return Optional.of(ReplyRecords.decode(record.value()));
                }
            }
        }
        return Optional.empty();
    }

    /** Sends any bytes to a shard with any reply address, and waits until the broker has them. */
    long send(int shard, byte[] value, ReplyAddress address) throws ExecutionException, InterruptedException {
        RecordHeaders headers = new RecordHeaders();
        address.writeTo(headers);
        return send(shard, value, headers);
    }

    /** Sends any bytes to a shard with any headers; the offset that they got. */
    long send(int shard, byte[] value, Headers headers) throws ExecutionException, InterruptedException {
        return producer.send(new ProducerRecord<>(
                        TopicCatalogue.ADMISSION_REQUESTS, shard, null, new byte[0], value, headers))
                .get()
                .offset();
    }

    @Override
    public void close() {
        producer.close();
        consumer.close();
    }
}
