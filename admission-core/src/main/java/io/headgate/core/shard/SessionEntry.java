package io.headgate.core.shard;

/**
 * What is known of one life of a gateway.
 *
 * @param lastSequence the highest sequence that was folded
 * @param lastSeenMillis log time of it
 */
record SessionEntry(long lastSequence, long lastSeenMillis) implements StateEntry {

    /** Whether it has been silent for so long that it is forgotten. */
    boolean isIdle(ShardSettings settings, long nowMillis) {
        return nowMillis - lastSeenMillis >= settings.sessionIdleMillis();
    }

    @Override
    public byte[] toBytes() {
        return new ByteWriter().putLong(lastSequence).putLong(lastSeenMillis).toBytes();
    }

    static SessionEntry fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        return new SessionEntry(in.getLong(), in.getLong());
    }
}
