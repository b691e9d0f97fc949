package io.headgate.processor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys that come most often, in bounded memory. Exact as long as there are no more than {@code capacity} of them. When one more
 * comes, the median count is taken from all, and those that have nothing left are forgotten; so a key may have come up to
 * {@link #missed} times more often than its count says, and every key that came more often than that is among them. (Misra
 * and Gries, with the larger steps of Anderson and others.) For one thread.
 */
final class FrequentKeys {

    private final int capacity;
    private final Map<String, Long> counts;
    private long missed;

    /** @param capacity the most keys that are remembered, 2 or more */
    FrequentKeys(int capacity) {
        this.capacity = capacity;
        this.counts = new HashMap<>(2 * capacity);
    }

    /**
     * A key.
     *
     * @param count how often it came at least
     */
    record Count(String key, long count) {}

    void add(String key) {
        counts.merge(key, 1L, Long::sum);
        if (counts.size() > capacity) {
            shrink();
        }
    }

    /** How often a key came at most beyond what its count says; 0 if all counts are exact. */
    long missed() {
        return missed;
    }

    /** The keys with the highest counts, at most {@code most}, the highest first. */
    List<Count> top(int most) {
        return counts.entrySet().stream()
                .map(entry -> new Count(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingLong(Count::count).reversed().thenComparing(Count::key))
                .limit(most)
                .toList();
    }

    private void shrink() {
        List<Long> sorted = new ArrayList<>(counts.values());
        sorted.sort(Comparator.naturalOrder());
        long median = sorted.get(sorted.size() / 2);
        counts.replaceAll((key, count) -> count - median);
        counts.values().removeIf(count -> count <= 0);
        missed += median;
    }
}
