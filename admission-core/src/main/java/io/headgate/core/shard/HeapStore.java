package io.headgate.core.shard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A state store in memory for folding long logs fast: it keeps entries as objects and makes bytes of one only when
 * somebody asks for bytes. What those are is the same as in any other store.
 *
 * <p>A hash table finds entries, a tree has them in order for the sweep. The table is one of its own because a fold over
 * many keys mostly waits for memory: here a look-up follows two references where that of a {@code HashMap} follows four.
 */
public final class HeapStore implements DecodedStore {

    private static final int FIRST_BINS = 1 << 10;

    private final NavigableMap<byte[], Slot> inOrder = new TreeMap<>(Arrays::compareUnsigned);
    private Slot[] bins = new Slot[FIRST_BINS];

    /** An entry as an object, or as bytes until somebody reads it. */
    private static final class Slot {

        private final int hash;
        private final byte[] key;

        /** The next one in the same bin. */
        private Slot next;

        /** Null until it has been read or written as an object. */
        private StateEntry entry;

        /** Null once there is the object. */
        private byte[] bytes;

        Slot(StateKey key, Slot next) {
            this.hash = key.hashCode();
            this.key = key.bytes();
            this.next = next;
        }

        boolean isOf(StateKey other) {
            return hash == other.hashCode() && Arrays.equals(key, other.bytes());
        }

        byte[] toBytes() {
            return entry == null ? bytes : entry.toBytes();
        }
    }

    @Override
    public Optional<StateEntry> get(StateKey key, Function<byte[], ? extends StateEntry> decoder) {
        Slot slot = find(key);
        if (slot == null) {
            return Optional.empty();
        }
        if (slot.entry == null) {
            slot.entry = decoder.apply(slot.bytes);
            slot.bytes = null;
        }
        return Optional.of(slot.entry);
    }

    @Override
    public void put(StateKey key, Optional<StateEntry> entry) {
        if (entry.isEmpty()) {
            remove(key);
            return;
        }
        Slot slot = findOrAdd(key);
        slot.entry = entry.get();
        slot.bytes = null;
    }

    @Override
    public byte[] get(byte[] key) {
        Slot slot = find(new StateKey(key));
        return slot == null ? null : slot.toBytes();
    }

    @Override
    public void put(byte[] key, byte[] value) {
        Slot slot = findOrAdd(new StateKey(key));
        slot.entry = null;
        slot.bytes = value;
    }

    @Override
    public void delete(byte[] key) {
        remove(new StateKey(key));
    }

    @Override
    public List<Entry> scan(byte[] from, byte[] to, int most) {
        if (Arrays.compareUnsigned(from, to) >= 0) {
            return List.of();
        }
        List<Entry> found = new ArrayList<>();
        for (Map.Entry<byte[], Slot> one : inOrder.subMap(from, to).entrySet()) {
            if (found.size() == most) {
                break;
            }
            found.add(new Entry(one.getKey(), one.getValue().toBytes()));
        }
        return found;
    }

    /** How many entries there are. */
    public int size() {
        return inOrder.size();
    }

    private Slot find(StateKey key) {
        Slot slot = bins[bin(key.hashCode())];
        while (slot != null && !slot.isOf(key)) {
            slot = slot.next;
        }
        return slot;
    }

    private Slot findOrAdd(StateKey key) {
        Slot known = find(key);
        if (known != null) {
            return known;
        }
        if (inOrder.size() >= bins.length) {
            grow();
        }
        int bin = bin(key.hashCode());
        Slot added = new Slot(key, bins[bin]);
        bins[bin] = added;
        inOrder.put(added.key, added);
        return added;
    }

    private void remove(StateKey key) {
        Slot gone = inOrder.remove(key.bytes());
        if (gone == null) {
            return;
        }
        int bin = bin(gone.hash);
        if (bins[bin] == gone) {
            bins[bin] = gone.next;
            return;
        }
        Slot before = bins[bin];
        while (before.next != gone) {
            before = before.next;
        }
        before.next = gone.next;
    }

    private void grow() {
        bins = new Slot[Math.multiplyExact(bins.length, 2)];
        for (Slot slot : inOrder.values()) {
            int bin = bin(slot.hash);
            slot.next = bins[bin];
            bins[bin] = slot;
        }
    }

    private int bin(int hash) {
        return (hash ^ hash >>> 16) & (bins.length - 1);
    }
}
