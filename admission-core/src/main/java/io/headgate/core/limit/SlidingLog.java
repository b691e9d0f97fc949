package io.headgate.core.limit;

import java.util.List;

/**
 * Everything spent within the last window, oldest first.
 *
 * @param spent at most {@link SlidingLogLimit#MAX_ENTRIES} entries, in order of time
 * @param updatedAtMillis log time
 */
public record SlidingLog(List<Spent> spent, long updatedAtMillis) implements Counter {

    public SlidingLog {
        spent = List.copyOf(spent);
    }

    /** What was spent in one millisecond. */
    public record Spent(long atMillis, long costTokens) {}

    @Override
    public boolean unused() {
        return spent.isEmpty();
    }

    long spentTokens() {
        long sum = 0;
        for (Spent one : spent) {
            sum += one.costTokens();
        }
        return sum;
    }
}
