package io.headgate.schemas;

import io.headgate.schemas.wire.DeadLetter;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A record that could not be read, was not genuine or could not be answered, as it stands on {@code dead-letters}.
 *
 * @param topic where it stood
 * @param partition and in which partition
 * @param offset and at which offset
 * @param reason what is wrong with it
 * @param size bytes of its whole value
 * @param value its value, or the first {@value #MAX_VALUE} bytes of it
 */
public record DeadLetterRecord(String topic, int partition, long offset, String reason, int size, byte[] value) {

    /** How much of a value is kept. */
    public static final int MAX_VALUE = 65_536;

    private static final int MAX_REASON = 2_000;

    private static final WireFormat<DeadLetter> FORMAT = new WireFormat<>(DeadLetter.class);

    /** Takes what is to be kept of a record. */
    public static DeadLetterRecord of(String topic, int partition, long offset, String reason, byte[] value) {
        byte[] whole = value == null ? new byte[0] : value;
        return new DeadLetterRecord(
                topic,
                partition,
                offset,
                reason.substring(0, Math.min(reason.length(), MAX_REASON)),
                whole.length,
                whole.length > MAX_VALUE ? Arrays.copyOf(whole, MAX_VALUE) : whole);
    }

    public byte[] toBytes() {
        return FORMAT.encode(new DeadLetter(topic, partition, offset, reason, size, ByteBuffer.wrap(value)));
    }

    /**
     * Reads a dead letter.
     *
     * @throws UnreadableRecordException if there is none in the bytes
     */
    public static DeadLetterRecord fromBytes(byte[] bytes) {
        DeadLetter letter = FORMAT.decode(bytes);
        byte[] value = new byte[letter.getValue().remaining()];
        letter.getValue().duplicate().get(value);
        return new DeadLetterRecord(
                letter.getTopic(),
                letter.getPartition(),
                letter.getOffset(),
                letter.getReason(),
                letter.getSize(),
                value);
    }
}
