package io.headgate.core.limit;

import java.util.Optional;

/**
 * How fast a limit lets tokens be spent in the long run: so many every so many milliseconds.
 *
 * @param tokens 0 or more
 * @param periodMillis 1 or more
 */
public record Pace(long tokens, long periodMillis) {

    private static final long DAY_MILLIS = 86_400_000;

    public Pace {
        Bounds.inRange("tokens", tokens, 0, Long.MAX_VALUE);
        Bounds.inRange("periodMillis", periodMillis, 1, Long.MAX_VALUE);
    }

    /** The pace of a limit; a month counts as 31 days. Empty where nothing is limited. */
    public static Optional<Pace> of(Limit limit) {
        if (limit instanceof TokenBucketLimit it) {
            return Optional.of(new Pace(it.refillTokens(), it.refillPeriodMillis()));
        }
        if (limit instanceof GcraLimit it) {
            return Optional.of(new Pace(it.refillTokens(), it.refillPeriodMillis()));
        }
        return window(limit).map(millis -> new Pace(limit.tokens(), millis));
    }

    /** The length of the windows that a limit counts in, in milliseconds; empty for one without windows. */
    public static Optional<Long> window(Limit limit) {
        if (limit instanceof FixedWindowLimit it) {
            return Optional.of(length(it.window()));
        }
        if (limit instanceof SlidingWindowLimit it) {
            return Optional.of(it.windowMillis());
        }
        if (limit instanceof SlidingLogLimit it) {
            return Optional.of(it.windowMillis());
        }
        return Optional.empty();
    }

    private static long length(Window window) {
        if (window instanceof Window.Every every) {
            return every.lengthMillis();
        }
        CalendarUnit unit =
                window instanceof Window.Calendar calendar ? calendar.unit() : ((Window.Located) window).unit();
        return switch (unit) {
            case DAY -> DAY_MILLIS;
            case WEEK -> 7 * DAY_MILLIS;
            case MONTH -> 31 * DAY_MILLIS;
        };
    }

    /** That of {@code holders}, each at this pace. */
    public Pace times(long holders) {
        return new Pace(Exact.multiplySaturating(tokens, holders), periodMillis);
    }

    /** Whether it is faster, exactly. */
    public boolean isAbove(Pace other) {
        return Exact.compareFractions(tokens, periodMillis, other.tokens, other.periodMillis) > 0;
    }
}
