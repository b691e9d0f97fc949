package io.headgate.core.shard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A state store in memory for folding long logs fast: it keeps entries as objects and makes bytes of one only when
 * somebody asks for bytes. What those are is the same as in any other store.
 */
public final class HeapStore implements DecodedStore {

    private final Map<StateKey, Slot> slots = new HashMap<>();
    private final NavigableMap<byte[], Slot> inOrder = new TreeMap<>(Arrays::compareUnsigned);

    /** An entry as an object, as bytes until somebody reads it, or both. */
    private static final class Slot {

        private Optional<StateEntry> entry = Optional.empty();
        private byte[] bytes;

        byte[] toBytes() {
            return bytes != null ? bytes : entry.orElseThrow().toBytes();
        }
    }

    @Override
    public Optional<StateEntry> get(StateKey key, Function<byte[], ? extends StateEntry> decoder) {
        Slot slot = slots.get(key);
        if (slot == null) {
            return Optional.empty();
        }
        if (slot.entry.isEmpty()) {
            slot.entry = Optional.of(decoder.apply(slot.bytes));
            slot.bytes = null;
        }
        return slot.entry;
    }

    @Override
    public void put(StateKey key, Optional<StateEntry> entry) {
        if (entry.isEmpty()) {
            remove(key);
            return;
        }
        Slot slot = slot(key);
        slot.entry = entry;
        slot.bytes = null;
    }

    @Override
    public byte[] get(byte[] key) {
        Slot slot = slots.get(new StateKey(key));
        return slot == null ? null : slot.toBytes();
    }

    @Override
    public void put(byte[] key, byte[] value) {
        Slot slot = slot(new StateKey(key));
        slot.entry = Optional.empty();
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
        return slots.size();
    }

    private Slot slot(StateKey key) {
        Slot slot = slots.get(key);
        if (slot == null) {
            slot = new Slot();
            slots.put(key, slot);
            inOrder.put(key.bytes(), slot);
        }
        return slot;
    }

    private void remove(StateKey key) {
        if (slots.remove(key) != null) {
            inOrder.remove(key.bytes());
        }
    }
}
