package io.headgate.core.limit;

import io.headgate.core.limit.SlidingLog.Spent;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * So many tokens in any window whatever, exactly: every admission is remembered until it is a window old. Costs one
 * entry an admission, hence the low limit. Something spent at t counts while now &lt; t + window.
 *
 * @param limitTokens 0 (deny everything) to 1,000
 * @param windowMillis 1 ms to 366 days
 */
public record SlidingLogLimit(long limitTokens, long windowMillis) implements Limit {

    public static final String ALGORITHM = "sliding-log";

    /** As many entries as tokens at most, since an entry has a cost of at least one. */
    public static final int MAX_ENTRIES = 1_000;

    public SlidingLogLimit {
        Bounds.inRange("requests", limitTokens, 0, MAX_ENTRIES);
        Bounds.period("per", windowMillis);
    }

    @Override
    public String algorithm() {
        return ALGORITHM;
    }

    @Override
    public long tokens() {
        return limitTokens;
    }

    @Override
    public Counter fresh(long nowMillis) {
        return new SlidingLog(List.of(), nowMillis);
    }

    @Override
    public boolean owns(Counter counter) {
        return counter instanceof SlidingLog;
    }

    @Override
    public Counter advanced(Counter counter, long nowMillis) {
        SlidingLog log = (SlidingLog) counter;
        if (nowMillis <= log.updatedAtMillis()) {
            return log;
        }
        return within(log.spent(), nowMillis);
    }

    /** What is older than a shorter window is forgotten with the change: a wait for it would lie in the past. */
    @Override
    public Counter adopted(Counter counter, Limit before, long atMillis) {
        return within(((SlidingLog) counter).spent(), atMillis);
    }

    @Override
    public Check check(Counter counter, long costTokens, long nowMillis) {
        SlidingLog log = (SlidingLog) counter;
        long leftTokens = limitTokens - log.spentTokens();
        long remainingTokens = Math.max(0, leftTokens);
        if (costTokens <= leftTokens) {
            return Check.permit(remainingTokens);
        }
        return costTokens > limitTokens
                ? Check.hopeless(remainingTokens)
                : Check.deny(remainingTokens, millisUntilFree(log, costTokens - leftTokens, nowMillis));
    }

    @Override
    public Counter debited(Counter counter, long costTokens, long nowMillis) {
        SlidingLog log = (SlidingLog) counter;
        if (costTokens == 0) {
            return log;
        }
        List<Spent> spent = new ArrayList<>(log.spent());
        int last = spent.size() - 1;
        if (last >= 0 && spent.get(last).atMillis() == log.updatedAtMillis()) {
            spent.set(last, new Spent(log.updatedAtMillis(), spent.get(last).costTokens() + costTokens));
        } else {
            spent.add(new Spent(log.updatedAtMillis(), costTokens));
        }
        return new SlidingLog(spent, log.updatedAtMillis());
    }

    /** What was spent last is given back first. */
    @Override
    public Counter credited(Counter counter, long tokens, long nowMillis) {
        SlidingLog log = (SlidingLog) counter;
        List<Spent> spent = new ArrayList<>(log.spent());
        long left = tokens;
        while (left > 0 && !spent.isEmpty()) {
            Spent last = spent.remove(spent.size() - 1);
            if (last.costTokens() > left) {
                spent.add(new Spent(last.atMillis(), last.costTokens() - left));
            }
            left -= Math.min(left, last.costTokens());
        }
        return new SlidingLog(spent, log.updatedAtMillis());
    }

    @Override
    public Limit raised(long tokens) {
        return new SlidingLogLimit(limitTokens + tokens, windowMillis);
    }

    @Override
    public OptionalLong resetAfterMillis(Counter counter, long nowMillis) {
        List<Spent> spent = ((SlidingLog) counter).spent();
        return OptionalLong.of(spent.isEmpty() ? 0 : spent.get(spent.size() - 1).atMillis() + windowMillis - nowMillis);
    }

    private SlidingLog within(List<Spent> spent, long nowMillis) {
        int forgotten = 0;
        while (forgotten < spent.size() && spent.get(forgotten).atMillis() + windowMillis <= nowMillis) {
            forgotten++;
        }
        return new SlidingLog(spent.subList(forgotten, spent.size()), nowMillis);
    }

    private long millisUntilFree(SlidingLog log, long missingTokens, long nowMillis) {
        long freed = 0;
        for (Spent one : log.spent()) {
            freed += one.costTokens();
            if (freed >= missingTokens) {
                return one.atMillis() + windowMillis - nowMillis;
            }
        }
        throw new IllegalStateException("a cost within the limit fits once everything is forgotten");
    }
}
