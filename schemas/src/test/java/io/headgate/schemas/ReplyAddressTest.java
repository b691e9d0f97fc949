package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class ReplyAddressTest {

    private final RecordHeaders headers = new RecordHeaders();

    private static ReplyAddress address(OptionalInt partition, int correlationLength) {
        return new ReplyAddress("admission-replies", partition, new byte[correlationLength]);
    }

    private Optional<ReplyAddress> read() {
        return ReplyAddress.readFrom(headers);
    }

    @Test
    void an_address_is_read_as_it_was_written() {
        byte[] correlationId = {0, -1, 127, -128};
        new ReplyAddress("réplies", OptionalInt.of(Integer.MIN_VALUE), correlationId).writeTo(headers);

        ReplyAddress read = read().orElseThrow();

        assertThat(read.topic()).isEqualTo("réplies");
        assertThat(read.partition()).isEqualTo(OptionalInt.of(Integer.MIN_VALUE));
        assertThat(read.correlationId()).isEqualTo(correlationId);
    }

    @Test
    void the_names_and_the_byte_order_are_those_of_spring_kafka() {
        address(OptionalInt.of(258), 1).writeTo(headers);

        assertThat(headers.lastHeader("kafka_replyTopic").value())
                .isEqualTo("admission-replies".getBytes(StandardCharsets.UTF_8));
        assertThat(headers.lastHeader("kafka_replyPartition").value()).containsExactly(0, 0, 1, 2);
        assertThat(headers.lastHeader("kafka_correlationId").value()).containsExactly(0);
    }

    @Test
    void without_a_topic_no_answer_is_asked_for() {
        assertThat(read()).isEmpty();
        headers.add(ReplyAddress.CORRELATION_ID, new byte[8]);
        headers.add(ReplyAddress.REPLY_TOPIC, null);

        assertThat(read()).isEmpty();
    }

    @Test
    void without_a_partition_the_producer_chooses() {
        address(OptionalInt.empty(), 0).writeTo(headers);

        assertThat(read().orElseThrow().partition()).isEmpty();
    }

    @Test
    void without_a_correlation_id_an_empty_one_comes_back() {
        headers.add(ReplyAddress.REPLY_TOPIC, new byte[] {'t'});

        assertThat(read().orElseThrow().correlationId()).isEmpty();
    }

    @Test
    void the_last_header_of_a_name_counts() {
        address(OptionalInt.of(1), 0).writeTo(headers);
        address(OptionalInt.of(2), 0).writeTo(headers);

        assertThat(read().orElseThrow().partition()).isEqualTo(OptionalInt.of(2));
    }

    @Test
    void a_correlation_id_has_at_most_256_bytes() {
        address(OptionalInt.empty(), 256).writeTo(headers);
        assertThat(read()).isPresent();
        address(OptionalInt.empty(), 257).writeTo(headers);

        assertThatThrownBy(this::read)
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessage("header kafka_correlationId has 257 bytes; at most 256 are allowed");
    }

    @Test
    void a_partition_has_four_bytes() {
        for (int length : new int[] {0, 3, 5, 8}) {
            headers.add(ReplyAddress.REPLY_TOPIC, new byte[] {'t'});
            headers.add(ReplyAddress.REPLY_PARTITION, new byte[length]);

            assertThatThrownBy(this::read)
                    .isInstanceOf(UnreadableRecordException.class)
                    .hasMessageStartingWith("header kafka_replyPartition has " + length + " bytes");
        }
    }
}
