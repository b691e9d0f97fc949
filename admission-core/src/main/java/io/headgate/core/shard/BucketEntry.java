package io.headgate.core.shard;

import io.headgate.core.limit.Counter;

/**
 * A stored counter.
 *
 * @param era number of the rule's era under whose limit it was last touched
 * @param counter what it says
 */
record BucketEntry(long era, Counter counter) implements StateEntry {

    @Override
    public byte[] toBytes() {
        ByteWriter out = new ByteWriter().putLong(era);
        LimitCodec.write(out, counter);
        return out.toBytes();
    }

    static BucketEntry fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        return new BucketEntry(in.getLong(), LimitCodec.readCounter(in));
    }
}
