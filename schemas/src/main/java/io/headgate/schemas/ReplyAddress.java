package io.headgate.schemas;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Where an answer is to be sent, as the headers of a request say; they are those of Spring Kafka's request/reply.
 *
 * @param topic {@value #REPLY_TOPIC}, UTF-8
 * @param partition {@value #REPLY_PARTITION}, four bytes, most significant first; empty to let the producer choose
 * @param correlationId {@value #CORRELATION_ID}, sent back byte for byte
 */
public record ReplyAddress(String topic, OptionalInt partition, byte[] correlationId) {

    public static final String REPLY_TOPIC = "kafka_replyTopic";
    public static final String REPLY_PARTITION = "kafka_replyPartition";
    public static final String CORRELATION_ID = "kafka_correlationId";

    /** The longest correlation id, in bytes. */
    public static final int MAX_CORRELATION_ID = 256;

    /** Writes the address into a request's headers. */
    public void writeTo(Headers headers) {
        headers.add(REPLY_TOPIC, topic.getBytes(StandardCharsets.UTF_8));
        partition.ifPresent(number -> headers.add(
                REPLY_PARTITION,
                ByteBuffer.allocate(Integer.BYTES).putInt(number).array()));
        headers.add(CORRELATION_ID, correlationId);
    }

    /**
     * Reads the address in a request's headers; the last header of a name counts. Empty if no answer is asked for.
     *
     * @throws UnreadableRecordException naming the header that makes no sense
     */
    public static Optional<ReplyAddress> readFrom(Headers headers) {
        Header topic = headers.lastHeader(REPLY_TOPIC);
        if (topic == null || topic.value() == null) {
            return Optional.empty();
        }
        Header correlation = headers.lastHeader(CORRELATION_ID);
        byte[] correlationId = correlation == null || correlation.value() == null ? new byte[0] : correlation.value();
        if (correlationId.length > MAX_CORRELATION_ID) {
            throw new UnreadableRecordException("header " + CORRELATION_ID + " has " + correlationId.length
                    + " bytes; at most " + MAX_CORRELATION_ID + " are allowed");
        }
        return Optional.of(new ReplyAddress(
                new String(topic.value(), StandardCharsets.UTF_8),
                partition(headers.lastHeader(REPLY_PARTITION)),
                correlationId));
    }

    private static OptionalInt partition(Header header) {
        if (header == null || header.value() == null) {
            return OptionalInt.empty();
        }
        if (header.value().length != Integer.BYTES) {
            throw new UnreadableRecordException("header " + REPLY_PARTITION + " has " + header.value().length
                    + " bytes; it must have 4, most significant first");
        }
        return OptionalInt.of(ByteBuffer.wrap(header.value()).getInt());
    }
}
