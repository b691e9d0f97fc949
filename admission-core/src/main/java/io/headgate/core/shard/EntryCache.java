package io.headgate.core.shard;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The entries that a shard used last, decoded. Nobody else writes the shard's state, so what is here is what the store
 * has; it changes how fast the fold is and nothing else. A store that keeps entries decoded needs none. Bounded by the bytes that the entries have in the store, about a
 * quarter of what they take in memory.
 */
final class EntryCache {

    /** Enough for some 20,000 counters. */
    static final int MAX_BYTES = 1024 * 1024;

    /** A larger entry is not worth the place of all that it would drive out: a batch of answers, say. */
    private static final int LARGE = 1024;

    private final Map<StateKey, Cached> entries = new LinkedHashMap<>();
    private final int maxBytes;
    private int bytes;

    EntryCache(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    private record Cached(Optional<StateEntry> entry, int size) {}

    /** An entry, or empty where the store has none. */
    Optional<StateEntry> get(StateKey key, StateStore store, Function<byte[], ? extends StateEntry> decoder) {
        if (store instanceof DecodedStore decoded) {
            return decoded.get(key, decoder);
        }
        Cached cached = entries.remove(key);
        if (cached != null) {
            entries.put(key, cached); // It is the youngest now.
            return cached.entry();
        }
        byte[] stored = store.get(key.bytes());
        Optional<StateEntry> entry = Optional.ofNullable(stored).map(decoder);
        keep(key, entry, stored == null ? 0 : stored.length);
        return entry;
    }

    /** Writes an entry to the store, or deletes it there when it is empty. */
    void put(StateKey key, Optional<StateEntry> entry, StateStore store) {
        if (store instanceof DecodedStore decoded) {
            decoded.put(key, entry);
            return;
        }
        byte[] value = entry.map(StateEntry::toBytes).orElse(null);
        if (value == null) {
            store.delete(key.bytes());
        } else {
            store.put(key.bytes(), value);
        }
        keep(key, entry, value == null ? 0 : value.length);
    }

    private void keep(StateKey key, Optional<StateEntry> entry, int valueLength) {
        int size = key.bytes().length + valueLength;
        Cached before = entries.remove(key);
        bytes -= before == null ? 0 : before.size();
        if (size > LARGE) {
            return;
        }
        entries.put(key, new Cached(entry, size));
        bytes += size;
        Iterator<Cached> eldest = entries.values().iterator();
        while (bytes > maxBytes) {
            bytes -= eldest.next().size();
            eldest.remove();
        }
    }
}
