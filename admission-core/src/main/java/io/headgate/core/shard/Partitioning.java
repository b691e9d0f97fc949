package io.headgate.core.shard;

import java.nio.charset.StandardCharsets;

/**
 * Which shard a key belongs to: Kafka's default partitioner, so that clients in any language agree. The hash is
 * MurmurHash2 (Austin Appleby, public domain) with Kafka's seed.
 */
public final class Partitioning {

    private static final int SEED = 0x9747b28c;
    private static final int MIX = 0x5bd1e995;

    private Partitioning() {}

    /** The shard of a partition key, 0 to {@code shards} − 1. */
    public static int shardOf(String partitionKey, int shards) {
        return shards == 1 ? 0 : (murmur2(partitionKey.getBytes(StandardCharsets.UTF_8)) & Integer.MAX_VALUE) % shards;
    }

    static int murmur2(byte[] data) {
        int hash = SEED ^ data.length;
        int whole = data.length & ~3;
        for (int i = 0; i < whole; i += 4) {
            int word = (data[i] & 0xff)
                    | (data[i + 1] & 0xff) << 8
                    | (data[i + 2] & 0xff) << 16
                    | (data[i + 3] & 0xff) << 24;
            word *= MIX;
            word ^= word >>> 24;
            hash = (hash * MIX) ^ (word * MIX);
        }
        int tail = 0;
        for (int i = data.length - 1; i >= whole; i--) {
            tail = tail << 8 | (data[i] & 0xff);
        }
        if (whole < data.length) {
            hash = (hash ^ tail) * MIX;
        }
        hash ^= hash >>> 13;
        hash *= MIX;
        return hash ^ hash >>> 15;
    }
}
