package io.headgate.core.limit;

import java.util.OptionalLong;

/**
 * So many tokens in each window; windows are laid end to end from the epoch, so that a window's bounds do not depend
 * on who came first. Twice the limit can be admitted in a moment around a boundary: 40 of 20 per 10 s within 0.2 s.
 *
 * @param limitTokens 0 (deny everything) to 10^12
 * @param windowMillis 1 ms to 366 days
 */
public record FixedWindowLimit(long limitTokens, long windowMillis) implements Limit {

    public static final String ALGORITHM = "fixed-window";

    public FixedWindowLimit {
        Bounds.tokens("requests", limitTokens);
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
        return new FixedWindow(0, nowMillis);
    }

    @Override
    public boolean owns(Counter counter) {
        return counter instanceof FixedWindow;
    }

    @Override
    public Counter advanced(Counter counter, long nowMillis) {
        FixedWindow window = (FixedWindow) counter;
        if (nowMillis <= window.updatedAtMillis()) {
            return window;
        }
        boolean same = window.updatedAtMillis() / windowMillis == nowMillis / windowMillis;
        return new FixedWindow(same ? window.usedTokens() : 0, nowMillis);
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
        FixedWindow window = (FixedWindow) counter;
        return new FixedWindow(window.usedTokens() + costTokens, window.updatedAtMillis());
    }

    @Override
    public OptionalLong resetAfterMillis(Counter counter, long nowMillis) {
        return OptionalLong.of(counter.unused() ? 0 : millisToWindowEnd(nowMillis));
    }

    private long millisToWindowEnd(long nowMillis) {
        return windowMillis - nowMillis % windowMillis;
    }
}
