package io.headgate.core.shard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A state store in memory, for folding a log without keeping its state. */
public final class MemoryStore implements StateStore {

    private final TreeMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);

    @Override
    public byte[] get(byte[] key) {
        return entries.get(key);
    }

    @Override
    public void put(byte[] key, byte[] value) {
        entries.put(key, value);
    }

    @Override
    public void delete(byte[] key) {
        entries.remove(key);
    }

    @Override
    public List<Entry> scan(byte[] from, byte[] to, int most) {
        List<Entry> found = new ArrayList<>();
        for (Map.Entry<byte[], byte[]> entry : between(from, to).entrySet()) {
            if (found.size() == most) {
                break;
            }
            found.add(new Entry(entry.getKey(), entry.getValue()));
        }
        return found;
    }

    private SortedMap<byte[], byte[]> between(byte[] from, byte[] to) {
        return Arrays.compareUnsigned(from, to) < 0 ? entries.subMap(from, to) : Collections.emptySortedMap();
    }

    /** How many entries there are. */
    public int size() {
        return entries.size();
    }
}
