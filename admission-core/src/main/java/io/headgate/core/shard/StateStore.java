package io.headgate.core.shard;

import java.util.List;

/**
 * Where a shard keeps its state: bytes by key, in unsigned byte order of the keys.
 *
 * <p>Every method throws {@link StateStoreException} when the store itself fails. That is never the fault of a record, so
 * the fold does not answer it: the task dies and the log is folded again.
 */
public interface StateStore {

    /** The value, or null where there is none. */
    byte[] get(byte[] key);

    void put(byte[] key, byte[] value);

    void delete(byte[] key);

    /** The first entries with a key from {@code from} on and below {@code to}, at most {@code most}, in order. */
    List<Entry> scan(byte[] from, byte[] to, int most);

    /** A key and its value. */
    record Entry(byte[] key, byte[] value) {}
}
