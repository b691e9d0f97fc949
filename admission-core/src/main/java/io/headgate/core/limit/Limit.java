package io.headgate.core.limit;

import java.util.OptionalLong;

/**
 * What one key of a rule may spend, and by which algorithm. All methods are pure; time is log time in milliseconds
 * since the epoch, and a counter is always brought to {@code now} with {@link #advanced} before it is checked.
 */
public sealed interface Limit
        permits TokenBucketLimit, FixedWindowLimit, SlidingWindowLimit, SlidingLogLimit, GcraLimit, Unlimited {

    /** The algorithm's name in a policy document. */
    String algorithm();

    /** The most that can be spent at once, in tokens. */
    long tokens();

    /** Nothing spent, at {@code nowMillis}. */
    Counter fresh(long nowMillis);

    /** Whether {@code counter} is one of this algorithm's. */
    boolean owns(Counter counter);

    /** The counter at {@code nowMillis}. An earlier time changes nothing: time never goes back. */
    Counter advanced(Counter counter, long nowMillis);

    /**
     * The counter carried over from the limit in force until {@code atMillis}, at which it stands: what was spent stays
     * spent. Only called for a limit of the same algorithm.
     */
    Counter adopted(Counter counter, Limit before, long atMillis);

    /** Whether {@code costTokens} (not negative) fits into an advanced counter. */
    Check check(Counter counter, long costTokens, long nowMillis);

    /** An advanced counter after {@code costTokens} were taken; only called when they fit. */
    Counter debited(Counter counter, long costTokens, long nowMillis);

    /** An advanced counter after {@code tokens} (not negative) were given back; never below nothing spent. */
    Counter credited(Counter counter, long tokens, long nowMillis);

    /**
     * The same limit with {@code tokens} (not negative) more to spend at once, and no more over time.
     *
     * @throws IllegalArgumentException if the algorithm cannot count so far
     */
    Limit raised(long tokens);

    /** The same limit, with the tables of the zones that it names. */
    default Limit in(Zones zones) {
        return this;
    }

    /** The time until the whole limit can be spent again if nobody spends, in milliseconds; empty if that is never. */
    OptionalLong resetAfterMillis(Counter counter, long nowMillis);

    /** Orders two limits above 0 by the share of each that is left, smallest first. */
    static int compareRemaining(long remainingA, long limitA, long remainingB, long limitB) {
        return Exact.compareFractions(remainingA, limitA, remainingB, limitB);
    }

    /** What a request of {@code cost} is charged at {@code tokensEach}; saturates far above every capacity. */
    static long charge(long cost, long tokensEach) {
        return Exact.multiplySaturating(cost, tokensEach);
    }
}
