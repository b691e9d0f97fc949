package io.headgate.core.shard;

/**
 * How far a sweep has come.
 *
 * @param cursor the key that it goes on from
 * @param startedOffset offset of the record at which it last began at the beginning
 * @param seenOffset the same of the last round that came to the end: whatever was stored before it has been looked at
 *     since
 */
record SweepRound(byte[] cursor, long startedOffset, long seenOffset) {

    private static final SweepRound FIRST = new SweepRound(Keys.SWEPT, 0, 0);

    static SweepRound first() {
        return FIRST;
    }

    SweepRound at(byte[] next) {
        return new SweepRound(next, startedOffset, seenOffset);
    }

    SweepRound finished(long offset) {
        return new SweepRound(Keys.SWEPT, offset, startedOffset);
    }

    SweepRound begunAnew(long offset) {
        return new SweepRound(Keys.SWEPT, offset, seenOffset);
    }

    void writeTo(ByteWriter out) {
        out.putBytes(cursor).putLong(startedOffset).putLong(seenOffset);
    }

    static SweepRound readFrom(ByteReader in) {
        return new SweepRound(in.getBytes(), in.getLong(), in.getLong());
    }
}
