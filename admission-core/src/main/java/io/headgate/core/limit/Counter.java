package io.headgate.core.limit;

/**
 * What a rule remembers of one key: what has been spent and not yet forgotten. Immutable. A counter that remembers
 * nothing equals one that was never made, so it need not be kept.
 */
public sealed interface Counter permits TokenBucket, FixedWindow, SlidingWindow, SlidingLog, Gcra {

    /** Whether nothing is remembered: the whole limit is there to be spent, under this limit and any later one. */
    boolean unused();

    /** Log time up to which it counts, in milliseconds since the epoch. */
    long updatedAtMillis();
}
