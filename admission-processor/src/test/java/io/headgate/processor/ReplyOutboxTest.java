package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.schemas.ContentType;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.TopicCatalogue;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Where replies go, and where they do not. */
class ReplyOutboxTest {

    private static final byte[] CORRELATION = {7, 0, -1};
    private static final byte[] REPLY = {1, 2, 3};
    private static final int PARTITIONS = 3;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final SlowToTell producer = new SlowToTell();
    private final ReplyOutbox outbox = new ReplyOutbox(producer, new ProcessorMetrics(registry, new OwnedShards()));

    /** A producer that does not know its topics when it is first asked, as a new one does not. */
    private static final class SlowToTell extends MockProducer<byte[], byte[]> {

        private int refusals;

        SlowToTell() {
            super(cluster(), true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public List<PartitionInfo> partitionsFor(String topic) {
            if (refusals > 0) {
                refusals--;
                throw new TimeoutException("topic " + topic + " is not known yet");
            }
            return super.partitionsFor(topic);
        }

        private static Cluster cluster() {
            Node node = new Node(1, "localhost", 9092);
            List<PartitionInfo> partitions = IntStream.range(0, PARTITIONS)
                    .mapToObj(partition -> new PartitionInfo(
                            TopicCatalogue.ADMISSION_REPLIES, partition, node, new Node[] {node}, new Node[] {node}))
                    .toList();
            return new Cluster("cluster", List.of(node), partitions, Set.of(), Set.of());
        }
    }

    private void learn(Duration patience) {
        outbox.learnPartitions(List.of(TopicCatalogue.ADMISSION_REPLIES), patience);
    }

    private void send(String topic, OptionalInt partition) {
        outbox.send(new ReplyAddress(topic, partition, CORRELATION), ContentType.AVRO, REPLY);
    }

    private double dropped(String cause) {
        return registry.counter("ratelimit.replies.dropped", "cause", cause).count();
    }

    @Test
    void goes_to_the_partition_that_was_named_with_the_correlation_id_as_it_came() {
        learn(Duration.ZERO);

        send(TopicCatalogue.ADMISSION_REPLIES, OptionalInt.of(2));

        ProducerRecord<byte[], byte[]> sent = producer.history().get(0);
        assertThat(sent.partition()).isEqualTo(2);
        assertThat(sent.value()).isEqualTo(REPLY);
        assertThat(sent.headers().lastHeader(ReplyAddress.CORRELATION_ID).value())
                .isEqualTo(CORRELATION);
    }

    @Test
    void lets_the_producer_choose_where_no_partition_is_named() {
        learn(Duration.ZERO);

        send(TopicCatalogue.ADMISSION_REPLIES, OptionalInt.empty());

        assertThat(producer.history()).hasSize(1);
        assertThat(producer.history().get(0).partition()).isNull();
    }

    @Test
    void drops_and_counts_what_is_for_another_topic_or_a_partition_that_is_not_there() {
        learn(Duration.ZERO);

        send("somewhere-else", OptionalInt.of(0));
        send(TopicCatalogue.ADMISSION_REPLIES, OptionalInt.of(PARTITIONS));
        send(TopicCatalogue.ADMISSION_REPLIES, OptionalInt.of(-1));
        send(TopicCatalogue.ADMISSION_REPLIES, OptionalInt.of(Integer.MAX_VALUE));

        assertThat(producer.history()).isEmpty();
        assertThat(dropped("topic")).isEqualTo(1);
        assertThat(dropped("partition")).isEqualTo(3);
    }

    @Test
    void asks_about_a_topic_until_it_is_told_so_that_the_first_reply_is_not_lost() {
        producer.refusals = 5;

        learn(Duration.ofSeconds(30));
        send(TopicCatalogue.ADMISSION_REPLIES, OptionalInt.of(0));

        assertThat(producer.history()).hasSize(1);
    }

    @Test
    void keeps_what_it_knew_when_nobody_tells_later() {
        learn(Duration.ZERO);
        producer.refusals = Integer.MAX_VALUE;

        learn(Duration.ZERO);
        send(TopicCatalogue.ADMISSION_REPLIES, OptionalInt.of(1));

        assertThat(producer.history()).hasSize(1);
    }

    @Test
    void a_producer_that_fails_costs_the_reply_and_nothing_else() {
        learn(Duration.ZERO);
        producer.sendException = new TimeoutException("no room");

        send(TopicCatalogue.ADMISSION_REPLIES, OptionalInt.of(1));

        assertThat(dropped("send")).isEqualTo(1);
    }
}
