package io.headgate.core.shard;

import io.headgate.core.limit.Counter;

/**
 * A stored counter.
 *
 * @param offset offset of the record that touched it last: the limits in force there are those that it was left under
 * @param counter what it says
 */
record BucketEntry(long offset, Counter counter) implements StateEntry {

    @Override
    public byte[] toBytes() {
        ByteWriter out = new ByteWriter().putLong(offset);
        LimitCodec.write(out, counter);
        return out.toBytes();
    }

    static BucketEntry fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        return new BucketEntry(in.getLong(), LimitCodec.readCounter(in));
    }
}
