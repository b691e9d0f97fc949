package io.headgate.core.shard;

import java.util.Arrays;

/** A key of the state, equal to another of the same bytes. */
final class StateKey {

    /** Odd, and its bits are spread: 2^64 divided by the golden ratio. */
    private static final long SPREAD = 0x9e3779b97f4a7c15L;

    private final byte[] bytes;
    private final int hash;

    StateKey(byte[] bytes) {
        this.bytes = bytes;
        this.hash = hash(bytes);
    }

    byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StateKey key && hash == key.hash && Arrays.equals(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Four bytes at a time, since every decision makes keys. It finds entries in memory and is never stored. */
    private static int hash(byte[] bytes) {
        long hash = bytes.length;
        int at = 0;
        for (; at + Integer.BYTES <= bytes.length; at += Integer.BYTES) {
            int word = (bytes[at] & 0xff)
                    | (bytes[at + 1] & 0xff) << 8
                    | (bytes[at + 2] & 0xff) << 16
                    | bytes[at + 3] << 24;
            hash = mixed(hash ^ word);
        }
        int rest = 0;
        for (; at < bytes.length; at++) {
            rest = rest << 8 | (bytes[at] & 0xff);
        }
        hash = mixed(hash ^ rest);
        return (int) (hash ^ hash >>> 32);
    }

    private static long mixed(long value) {
        long spread = value * SPREAD;
        return spread ^ spread >>> 29;
    }
}
