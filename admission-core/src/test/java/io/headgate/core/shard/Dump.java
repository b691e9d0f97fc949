package io.headgate.core.shard;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;

/** A store's entries in hex, so that two can be compared and a difference can be read. */
final class Dump {

    private Dump() {}

    static SortedMap<String, String> of(StateStore store, int... kinds) {
        SortedMap<String, String> entries = new TreeMap<>();
        for (StateStore.Entry entry : store.scan(new byte[0], Keys.END, Integer.MAX_VALUE)) {
            if (kinds.length == 0 || Arrays.stream(kinds).anyMatch(kind -> kind == entry.key()[0])) {
                entries.put(hex(entry.key()), hex(entry.value()));
            }
        }
        return entries;
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
