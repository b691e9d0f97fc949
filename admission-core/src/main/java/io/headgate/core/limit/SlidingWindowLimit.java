package io.headgate.core.limit;

import java.util.OptionalLong;

/**
 * So many tokens in any window, estimated from two counters: the previous window counts with the share of it that a
 * window ending now still covers. 18 before, 5 now, a quarter of the window gone: 18 × 0.75 + 5 = 18.5. The estimate
 * assumes that the previous window was spent evenly (Cloudflare, "How we built rate limiting capable of scaling to
 * millions of domains", 2017); the comparison itself is exact.
 *
 * @param limitTokens 0 (deny everything) to 10^12
 * @param windowMillis 1 ms to 366 days
 */
public record SlidingWindowLimit(long limitTokens, long windowMillis) implements Limit {

    public static final String ALGORITHM = "sliding-window-counter";

    public SlidingWindowLimit {
        Bounds.tokens("requests", limitTokens);
        Bounds.period("per", windowMillis);
    }

    /** The estimate of an advanced counter, in thousandths of a token, rounded down. */
    public long estimateThousandths(SlidingWindow window) {
        long coveredMillis = windowMillis - window.updatedAtMillis() % windowMillis;
        return Exact.multiplyDivide(window.previousTokens() * 1000, coveredMillis, 0, windowMillis)
                        .whole()
                + window.currentTokens() * 1000;
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
        return new SlidingWindow(0, 0, nowMillis);
    }

    @Override
    public boolean owns(Counter counter) {
        return counter instanceof SlidingWindow;
    }

    @Override
    public Counter advanced(Counter counter, long nowMillis) {
        SlidingWindow window = (SlidingWindow) counter;
        if (nowMillis <= window.updatedAtMillis()) {
            return window;
        }
        long windowsPassed = nowMillis / windowMillis - window.updatedAtMillis() / windowMillis;
        if (windowsPassed == 0) {
            return new SlidingWindow(window.previousTokens(), window.currentTokens(), nowMillis);
        }
        return new SlidingWindow(windowsPassed == 1 ? window.currentTokens() : 0, 0, nowMillis);
    }

    /** Under another window length what is still counted, rounded up, counts as spent in the current window. */
    @Override
    public Counter adopted(Counter counter, Limit before, long atMillis) {
        SlidingWindowLimit old = (SlidingWindowLimit) before;
        SlidingWindow window = (SlidingWindow) counter;
        return old.windowMillis == windowMillis ? window : new SlidingWindow(0, old.countedTokens(window), atMillis);
    }

    @Override
    public Check check(Counter counter, long costTokens, long nowMillis) {
        SlidingWindow window = (SlidingWindow) counter;
        long leftTokens = limitTokens - countedTokens(window);
        long remainingTokens = Math.max(0, leftTokens);
        if (costTokens <= leftTokens) {
            return Check.permit(remainingTokens);
        }
        return costTokens > limitTokens
                ? Check.hopeless(remainingTokens)
                : Check.deny(remainingTokens, millisUntilFits(window, costTokens));
    }

    @Override
    public Counter debited(Counter counter, long costTokens, long nowMillis) {
        SlidingWindow window = (SlidingWindow) counter;
        return new SlidingWindow(
                window.previousTokens(), window.currentTokens() + costTokens, window.updatedAtMillis());
    }

    /** What was spent last is given back first. */
    @Override
    public Counter credited(Counter counter, long tokens, long nowMillis) {
        SlidingWindow window = (SlidingWindow) counter;
        long ofCurrent = Math.min(tokens, window.currentTokens());
        return new SlidingWindow(
                Math.max(0, window.previousTokens() - (tokens - ofCurrent)),
                window.currentTokens() - ofCurrent,
                window.updatedAtMillis());
    }

    @Override
    public Limit raised(long tokens) {
        return new SlidingWindowLimit(limitTokens + tokens, windowMillis);
    }

    @Override
    public OptionalLong resetAfterMillis(Counter counter, long nowMillis) {
        SlidingWindow window = (SlidingWindow) counter;
        if (window.unused()) {
            return OptionalLong.of(0);
        }
        long toWindowEndMillis = windowMillis - nowMillis % windowMillis;
        return OptionalLong.of(window.currentTokens() == 0 ? toWindowEndMillis : toWindowEndMillis + windowMillis);
    }

    /** The estimate rounded up: the smallest whole number of tokens that is not below it. */
    private long countedTokens(SlidingWindow window) {
        long coveredMillis = windowMillis - window.updatedAtMillis() % windowMillis;
        return window.currentTokens()
                + Exact.multiplyDivide(window.previousTokens(), coveredMillis, 0, windowMillis)
                        .roundedUp();
    }

    /*
     * The cost fits while previous × covered ≤ room × window, with room = limit − current − cost; so the wait ends when
     * no more than floor(room × window / previous) of the previous window is covered. If the current window alone leaves
     * no room, the same question is asked of the next window, whose previous is what is current now.
     */
    private long millisUntilFits(SlidingWindow window, long costTokens) {
        long coveredMillis = windowMillis - window.updatedAtMillis() % windowMillis;
        long roomTokens = limitTokens - costTokens - window.currentTokens();
        if (roomTokens >= 0) {
            return coveredMillis - coverageThatFits(roomTokens, window.previousTokens());
        }
        return coveredMillis + windowMillis - coverageThatFits(limitTokens - costTokens, window.currentTokens());
    }

    private long coverageThatFits(long roomTokens, long previousTokens) {
        return Math.min(
                windowMillis,
                Exact.multiplyDivide(roomTokens, windowMillis, 0, previousTokens)
                        .whole());
    }
}
