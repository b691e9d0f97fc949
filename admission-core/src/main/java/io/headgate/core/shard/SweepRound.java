package io.headgate.core.shard;

/**
 * How far a sweep has come.
 *
 * @param cursor the key that it goes on from
 * @param startedMillis log time at which it last began at the beginning
 */
record SweepRound(byte[] cursor, long startedMillis) {

    static SweepRound startingAt(long millis) {
        return new SweepRound(Keys.SWEPT, millis);
    }

    void writeTo(ByteWriter out) {
        out.putBytes(cursor).putLong(startedMillis);
    }

    static SweepRound readFrom(ByteReader in) {
        return new SweepRound(in.getBytes(), in.getLong());
    }
}
