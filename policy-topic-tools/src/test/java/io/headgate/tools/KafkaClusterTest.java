package io.headgate.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class KafkaClusterTest {

    private static final String TOPIC = "tenant-plans";
    private static final TopicPartition PLACE = new TopicPartition(TOPIC, 3);

    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name());
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final KafkaCluster cluster =
            new KafkaCluster("kafka:9092", Duration.ofMillis(200), () -> consumer, () -> producer, name -> producer);

    @Test
    void reads_a_partition_up_to_where_it_ends_now() throws CommandFailedException {
        holding(0, 5);
        consumer.schedulePollTask(() -> add(0, 2));
        consumer.schedulePollTask(() -> {
            add(2, 6);
            consumer.updateEndOffsets(Map.of(PLACE, 6L));
        });
        List<Long> seen = new ArrayList<>();

        assertThat(cluster.read(TOPIC, 3, 0, record -> seen.add(record.offset())))
                .isEqualTo(5);

        assertThat(seen).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void reads_what_is_left_from_an_offset_on() throws CommandFailedException {
        holding(0, 5);
        consumer.schedulePollTask(() -> add(0, 5));
        List<Long> seen = new ArrayList<>();

        cluster.read(TOPIC, 3, 3, record -> seen.add(record.offset()));

        assertThat(seen).containsExactly(3L, 4L);
    }

    @Test
    void an_empty_partition_is_read_at_once() throws CommandFailedException {
        holding(7, 7);

        assertThat(cluster.read(TOPIC, 3, 0, record -> {
                    throw new AssertionError("nothing is there");
                }))
                .isEqualTo(7);
    }

    @Test
    void does_not_wait_for_ever_for_records_that_do_not_come() {
        holding(0, 5);
        consumer.schedulePollTask(() -> add(0, 2));

        assertThat(failure(() -> cluster.read(TOPIC, 3, 0, record -> {})))
                .isEqualTo(
                        "nothing more came of tenant-plans-3 at kafka:9092 for 0 s; it was read up to offset 2 of 5");
    }

    @Test
    void says_why_a_topic_cannot_be_read() {
        holding(0, 5);
        consumer.setPollException(new TopicAuthorizationException("Not authorized to access topics: [tenant-plans]"));

        assertThat(failure(() -> cluster.read(TOPIC, 3, 0, record -> {})))
                .isEqualTo("topic tenant-plans cannot be read at kafka:9092: Not authorized to access topics:"
                        + " [tenant-plans]");
    }

    @Test
    void counts_partitions_and_says_that_there_is_no_such_topic() throws CommandFailedException {
        Node node = new Node(1, "kafka", 9092);
        consumer.updatePartitions(
                TOPIC,
                List.of(
                        new PartitionInfo(TOPIC, 0, node, new Node[0], new Node[0]),
                        new PartitionInfo(TOPIC, 1, node, new Node[0], new Node[0])));

        assertThat(cluster.partitions(TOPIC)).isEqualTo(2);
        assertThat(failure(() -> cluster.partitions("gone")))
                .isEqualTo("there is no topic gone at kafka:9092; a processor needs it, too: create it first");
    }

    @Test
    void appends_and_says_where() throws CommandFailedException {
        ProducerRecord<byte[], byte[]> one = record(3, "a");
        ProducerRecord<byte[], byte[]> two = record(1, "b");
        ProducerRecord<byte[], byte[]> three = record(3, "c");

        // Offsets of the mock go on over all partitions, because it knows none.
        assertThat(cluster.append(List.of(one, two, three))).containsExactly(0L, 1L, 2L);
        assertThat(producer.history()).containsExactly(one, two, three);
        assertThat(cluster.append(List.of())).isEmpty();
    }

    @Test
    void says_why_a_record_was_refused() {
        producer.sendException = new RecordTooLargeException("too large");

        assertThat(failure(() -> cluster.append(List.of(record(0, "a")))))
                .isEqualTo("topic tenant-plans cannot be written at kafka:9092: too large");
    }

    @Test
    void says_that_nobody_answers() {
        producer.sendException = new TimeoutException("Topic tenant-plans not present in metadata after 30000 ms.");

        assertThat(failure(() -> cluster.append(List.of(record(0, "a")))))
                .isEqualTo("topic tenant-plans cannot be written: no broker at kafka:9092 answered in time");
    }

    @Test
    void closes_what_it_has_opened() throws CommandFailedException {
        cluster.append(List.of(record(0, "a")));

        cluster.close();

        assertThat(producer.closed()).isTrue();
        assertThat(consumer.closed()).isFalse();
    }

    @Test
    void a_setting_that_kafka_refuses_is_named() {
        KafkaCluster wrong = KafkaCluster.of(Map.of("bootstrap.servers", "nowhere"));

        assertThat(failure(() -> wrong.partitions(TOPIC)))
                .isEqualTo("topic tenant-plans cannot be read at nowhere: Invalid url in bootstrap.servers: nowhere");
    }

    @Test
    void settings_of_others_may_change_patience_but_not_safety() {
        Map<String, String> given = Map.of(
                "bootstrap.servers", "kafka:9092",
                "acks", "0",
                "enable.auto.commit", "true",
                "request.timeout.ms", "5000",
                "isolation.level", "read_uncommitted");

        assertThat(KafkaCluster.producerSettings(given))
                .containsEntry("acks", "all")
                .containsEntry("request.timeout.ms", "5000");
        assertThat(KafkaCluster.consumerSettings(given))
                .containsEntry("enable.auto.commit", false)
                .containsEntry("isolation.level", "read_committed")
                .containsEntry("request.timeout.ms", "5000")
                .containsEntry("allow.auto.create.topics", false);
    }

    private void holding(long begin, long end) {
        consumer.updateBeginningOffsets(Map.of(PLACE, begin));
        consumer.updateEndOffsets(Map.of(PLACE, end));
    }

    private void add(long from, long to) {
        for (long offset = from; offset < to; offset++) {
            consumer.addRecord(new ConsumerRecord<>(TOPIC, 3, offset, new byte[0], new byte[0]));
        }
    }

    private static ProducerRecord<byte[], byte[]> record(int partition, String key) {
        return new ProducerRecord<>(TOPIC, partition, key.getBytes(StandardCharsets.UTF_8), new byte[0]);
    }

    private static String failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable command) {
        return catchThrowableOfType(CommandFailedException.class, command).getMessage();
    }
}
