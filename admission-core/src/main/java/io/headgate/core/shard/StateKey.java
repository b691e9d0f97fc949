package io.headgate.core.shard;

import java.util.Arrays;

/** A key of the state, equal to another of the same bytes. */
final class StateKey {

    private final byte[] bytes;
    private final int hash;

    StateKey(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
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
}
