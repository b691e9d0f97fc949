package io.headgate.tools;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts by key, of a limited number of keys: those that come later are counted together. */
final class KeyCounts {

    private final int maxKeys;
    private final Map<String, Long> counts = new HashMap<>();
    private long total;
    private long others;

    KeyCounts(int maxKeys) {
        this.maxKeys = maxKeys;
    }

    /** A key and how often it was counted. */
    record Count(String key, long count) {}

    void add(String key) {
        total++;
        if (counts.size() < maxKeys || counts.containsKey(key)) {
            counts.merge(key, 1L, Long::sum);
        } else {
            others++;
        }
    }

    long total() {
        return total;
    }

    int keys() {
        return counts.size();
    }

    /** How many of the total were counted without their key. */
    long others() {
        return others;
    }

    /** The most frequent keys, most frequent first, equals in the order of the keys. */
    List<Count> top(int most) {
        return counts.entrySet().stream()
                .map(entry -> new Count(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingLong(Count::count).reversed().thenComparing(Count::key))
                .limit(most)
                .toList();
    }
}
