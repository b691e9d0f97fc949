package io.headgate.core.shard;

/** A value of the state, and its one encoding: equal values are equal bytes. */
interface StateEntry {
    byte[] toBytes();
}
