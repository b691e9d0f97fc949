package io.headgate.core.shard;

import java.util.Arrays;

/** Keys of the state from {@code from} on and below {@code to}, in unsigned byte order. */
record KeyRange(byte[] from, byte[] to) {

    /** The part at or above {@code key}; may be empty. */
    KeyRange atOrAbove(byte[] key) {
        return Arrays.compareUnsigned(key, from) > 0 ? new KeyRange(key, to) : this;
    }
}
