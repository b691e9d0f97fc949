package io.headgate.core.shard;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
    private final EntryCache cache;
    private final Map<StateKey, Place> places = new LinkedHashMap<>();
    private final List<Place> pending = new ArrayList<>();
    private final List<Place> dirty = new ArrayList<>();

    WorkingSet(StateStore store, EntryCache cache) {
        this.store = store;
        this.cache = cache;
    }

    /** Where an entry of this record is. {@code kept} is null for as long as nobody has read or changed it for good. */
    private static final class Place {

        private final StateKey key;
        private Optional<StateEntry> kept;
        private Optional<StateEntry> changed;
        private boolean dirty;

        Place(StateKey key) {
            this.key = key;
        }
    }

    private Place placeOf(StateKey key) {
        Place place = places.get(key);
        if (place == null) {
            place = new Place(key);
            places.put(key, place);
        }
        return place;
    }

    /** The entry, or empty. A key is always read with the same decoder. */
    @SuppressWarnings("unchecked")
    <T extends StateEntry> Optional<T> get(StateKey key, Function<byte[], T> decoder) {
        Place place = placeOf(key);
        if (place.changed != null) {
            return (Optional<T>) place.changed;
        }
        if (place.kept == null) {
            place.kept = cache.get(key, store, decoder);
        }
        return (Optional<T>) place.kept;
    }

    void put(StateKey key, StateEntry entry) {
        change(key, Optional.of(entry));
    }

    void delete(StateKey key) {
        change(key, Optional.empty());
    }

    private void change(StateKey key, Optional<StateEntry> entry) {
        Place place = placeOf(key);
        if (place.changed == null) {
            pending.add(place);
        }
        place.changed = entry;
    }

    /** Takes in what was changed since the last call of this method or of {@link #forget}. */
    void keep() {
        for (Place place : pending) {
            place.kept = place.changed;
            place.changed = null;
            if (!place.dirty) {
                place.dirty = true;
                dirty.add(place);
            }
        }
        pending.clear();
    }

    /** Drops what was changed since the last {@link #keep}. */
    void forget() {
        for (Place place : pending) {
            place.changed = null;
        }
        pending.clear();
    }

    /** Writes everything that was kept. */
    void flush() {
        for (Place place : dirty) {
            cache.put(place.key, place.kept, store);
            place.dirty = false;
        }
        dirty.clear();
    }
}
