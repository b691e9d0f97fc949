package io.headgate.core.shard;

/** How many keys a rule remembers in this shard, its overflow bucket not counted. */
record Tally(long keys) implements StateEntry {

    static final Tally NONE = new Tally(0);

    @Override
    public byte[] toBytes() {
        return new ByteWriter().putLong(keys).toBytes();
    }

    static Tally fromBytes(byte[] bytes) {
        return new Tally(new ByteReader(bytes).getLong());
    }
}
