package io.headgate.gateway.client;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Names a batch in a reply: 16 bytes, most significant first. The client's epoch, 8 bytes; the shard, 2; the batch's
 * sequence in its session, 6.
 */
record CorrelationId(long epoch, int shard, long sequence) {

    static final int LENGTH = 16;

    private static final int SEQUENCE_BITS = 48;
    private static final long SEQUENCE_MASK = (1L << SEQUENCE_BITS) - 1;

    byte[] toBytes() {
        return ByteBuffer.allocate(LENGTH)
                .putLong(epoch)
                .putLong((long) shard << SEQUENCE_BITS | sequence)
                .array();
    }

    /** What the bytes name; empty if they cannot be ours. */
    static Optional<CorrelationId> fromBytes(byte[] bytes) {
        if (bytes == null || bytes.length != LENGTH) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        long epoch = in.getLong();
        long number = in.getLong();
        return Optional.of(new CorrelationId(epoch, (int) (number >>> SEQUENCE_BITS), number & SEQUENCE_MASK));
    }
}
