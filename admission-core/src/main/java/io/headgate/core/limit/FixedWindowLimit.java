package io.headgate.core.limit;

import java.util.OptionalLong;

/**
 * So many tokens in each window. Twice the limit can be admitted in a moment around a boundary: 40 of 20 per 10 s within
 * 0.2 s.
 *
 * @param limitTokens 0 (deny everything) to 10^12
 * @param window how time is cut
 */
public record FixedWindowLimit(long limitTokens, Window window) implements Limit {

    public static final String ALGORITHM = "fixed-window";

    public FixedWindowLimit {
        Bounds.tokens("requests", limitTokens);
    }

    /** Windows of {@code windowMillis}, 1 ms to 366 days, laid end to end from the epoch. */
    public FixedWindowLimit(long limitTokens, long windowMillis) {
        this(limitTokens, new Window.Every(windowMillis));
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
        return new FixedWindow(0, nowMillis);
    }

    @Override
    public boolean owns(Counter counter) {
        return counter instanceof FixedWindow;
    }

    @Override
    public Counter advanced(Counter counter, long nowMillis) {
        FixedWindow spent = (FixedWindow) counter;
        if (nowMillis <= spent.updatedAtMillis()) {
            return spent;
        }
        boolean same = spent.unused() || window.startMillis(nowMillis) <= spent.updatedAtMillis();
        return new FixedWindow(same ? spent.usedTokens() : 0, nowMillis);
    }

    @Override
    public Counter adopted(Counter counter, Limit before, long atMillis) {
        return counter;
    }

    @Override
    public Check check(Counter counter, long costTokens, long nowMillis) {
        long leftTokens = limitTokens - ((FixedWindow) counter).usedTokens();
        long remainingTokens = Math.max(0, leftTokens);
        if (costTokens <= leftTokens) {
            return Check.permit(remainingTokens);
        }
        return costTokens > limitTokens
                ? Check.hopeless(remainingTokens)
                : Check.deny(remainingTokens, millisToWindowEnd(nowMillis));
    }

    @Override
    public Counter debited(Counter counter, long costTokens, long nowMillis) {
        FixedWindow spent = (FixedWindow) counter;
        return new FixedWindow(spent.usedTokens() + costTokens, spent.updatedAtMillis());
    }

    @Override
    public Counter credited(Counter counter, long tokens, long nowMillis) {
        FixedWindow spent = (FixedWindow) counter;
        return new FixedWindow(Math.max(0, spent.usedTokens() - tokens), spent.updatedAtMillis());
    }

    @Override
    public Limit raised(long tokens) {
        return new FixedWindowLimit(limitTokens + tokens, window);
    }

    @Override
    public Limit in(Zones zones) {
        return window instanceof Window.Every ? this : new FixedWindowLimit(limitTokens, window.in(zones));
    }

    @Override
    public OptionalLong resetAfterMillis(Counter counter, long nowMillis) {
        return OptionalLong.of(counter.unused() ? 0 : millisToWindowEnd(nowMillis));
    }

    private long millisToWindowEnd(long nowMillis) {
        return window.endMillis(nowMillis) - nowMillis;
    }
}
