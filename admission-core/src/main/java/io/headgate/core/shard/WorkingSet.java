package io.headgate.core.shard;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The part of the state that one record touches: each entry is read and decoded once, changed in memory, and written
 * once when the record is done. What one command changes stays apart until the command is done, so a command that fails
 * leaves nothing behind.
 */
final class WorkingSet {

    private final StateStore store;
    private final Map<StateKey, Optional<StateEntry>> known = new LinkedHashMap<>();
    private final Map<StateKey, Optional<StateEntry>> changed = new LinkedHashMap<>();
    private final Map<StateKey, Optional<StateEntry>> pending = new LinkedHashMap<>();

    WorkingSet(StateStore store) {
        this.store = store;
    }

    /** The entry, or empty. A key is always read with the same decoder. */
    <T extends StateEntry> Optional<T> get(StateKey key, Class<T> type, Function<byte[], T> decoder) {
        Optional<StateEntry> entry = pending.get(key);
        if (entry == null) {
            entry = known.computeIfAbsent(
                    key, missing -> Optional.ofNullable(store.get(key.bytes())).map(decoder));
        }
        return entry.map(type::cast);
    }

    void put(StateKey key, StateEntry entry) {
        pending.put(key, Optional.of(entry));
    }

    void delete(StateKey key) {
        pending.put(key, Optional.empty());
    }

    /** Takes in what was changed since the last call of this method or of {@link #forget}. */
    void keep() {
        known.putAll(pending);
        changed.putAll(pending);
        pending.clear();
    }

    /** Drops what was changed since the last {@link #keep}. */
    void forget() {
        pending.clear();
    }

    /** Writes everything that was kept. */
    void flush() {
        changed.forEach((key, entry) -> entry.ifPresentOrElse(
                value -> store.put(key.bytes(), value.toBytes()), () -> store.delete(key.bytes())));
        changed.clear();
    }
}
