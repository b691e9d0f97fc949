package io.headgate.core.limit;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Limits, costs and times of every size that the constructors accept, with the extremes often among them. */
final class RandomLimits {

    static final long YEAR_MILLIS = 365L * 24 * 3_600_000;

    /** Zones whose last offset holds for ever, so that their tables are complete at any time. */
    private static final List<Zone> ZONES = Stream.of(
                    "UTC", "Asia/Kolkata", "America/Sao_Paulo", "Pacific/Apia", "Europe/Istanbul", "Asia/Kathmandu")
            .map(TestZones::table)
            .toList();

    enum Algorithm {
        TOKEN_BUCKET,
        INTERVAL_BUCKET,
        GCRA,
        FIXED_WINDOW,
        CALENDAR_WINDOW,
        SLIDING_WINDOW,
        SLIDING_LOG
    }

    private RandomLimits() {}

    static Limit of(Algorithm algorithm, Random random) {
        return switch (algorithm) {
            case TOKEN_BUCKET -> tokenBucket(random);
            case INTERVAL_BUCKET -> atIntervals(tokenBucket(random));
            case GCRA -> gcra(random);
            case FIXED_WINDOW -> new FixedWindowLimit(tokens(random), period(random));
            case CALENDAR_WINDOW ->
                new FixedWindowLimit(
                        tokens(random),
                        new Window.Located(any(List.of(CalendarUnit.values()), random), any(ZONES, random)));
            case SLIDING_WINDOW -> new SlidingWindowLimit(tokens(random), period(random));
            case SLIDING_LOG ->
                new SlidingLogLimit(
                        random.nextInt(4) == 0 ? random.nextInt(1_001) : random.nextInt(20), period(random));
        };
    }

    /** What a limit by one of these may be changed to: another refill or other windows are no other algorithm. */
    static Limit after(Algorithm algorithm, Random random) {
        boolean other = random.nextBoolean();
        return switch (algorithm) {
            case TOKEN_BUCKET, INTERVAL_BUCKET ->
                of(other ? Algorithm.INTERVAL_BUCKET : Algorithm.TOKEN_BUCKET, random);
            case FIXED_WINDOW, CALENDAR_WINDOW ->
                of(other ? Algorithm.CALENDAR_WINDOW : Algorithm.FIXED_WINDOW, random);
            default -> of(algorithm, random);
        };
    }

    static TokenBucketLimit atIntervals(TokenBucketLimit limit) {
        return new TokenBucketLimit(
                limit.capacityTokens(), limit.refillTokens(), limit.refillPeriodMillis(), Refill.INTERVAL);
    }

    static TokenBucketLimit tokenBucket(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> new TokenBucketLimit(1, 1, 86_400_000); // one a day
            case 1 -> new TokenBucketLimit(10_000_000, 10_000_000, 1_000);
            case 2 -> new TokenBucketLimit(Bounds.MAX_TOKENS, tokens(random), period(random));
            default -> new TokenBucketLimit(tokens(random), tokens(random), period(random));
        };
    }

    static GcraLimit gcra(Random random) {
        while (true) {
            long burst = tokens(random);
            long period = period(random);
            if (Exact.multiplySaturating(burst, period) <= 1L << 61) {
                return new GcraLimit(burst, Math.max(1, tokens(random)), period);
            }
        }
    }

    static long tokens(Random random) {
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> Bounds.MAX_TOKENS;
            case 3 -> 10_000_000;
            case 4 -> ofAnySize(random, Bounds.MAX_TOKENS);
            default -> 1 + random.nextInt(50);
        };
    }

    static long period(Random random) {
        return switch (random.nextInt(10)) {
            case 0 -> 1;
            case 1 -> Bounds.MAX_PERIOD_MILLIS;
            case 2 -> 86_400_000;
            case 3 -> 12 * 3_600_000;
            case 4 -> 60_000;
            case 5 -> 1 + ofAnySize(random, Bounds.MAX_PERIOD_MILLIS - 1);
            case 6 -> 1 + random.nextInt(100);
            default -> 1_000;
        };
    }

    /** From 0 to 10^12; often just what is there, or one more. */
    static long cost(Random random, Limit limit, long remainingTokens) {
        return switch (random.nextInt(10)) {
            case 0 -> 0;
            case 1 -> limit.tokens();
            case 2 -> Math.min(limit.tokens() + 1, Bounds.MAX_TOKENS);
            case 3 -> Bounds.MAX_TOKENS;
            case 4, 5 -> remainingTokens;
            case 6 -> Math.min(remainingTokens + 1, Bounds.MAX_TOKENS);
            case 7 -> ofAnySize(random, Bounds.MAX_TOKENS);
            default -> 1 + random.nextInt(3);
        };
    }

    /** From nothing to a hundred years; mostly of the size of the limit's own period. */
    static long elapsed(Random random, Limit limit) {
        return switch (random.nextInt(12)) {
            case 0, 1 -> 0;
            case 2, 3 -> 1;
            case 4 -> random.nextInt(10);
            case 5 -> 12 * 3_600_000L;
            case 6 -> ofAnySize(random, 100 * YEAR_MILLIS);
            case 7 -> periodOf(limit);
            default -> ofAnySize(random, periodOf(limit));
        };
    }

    static long start(Random random) {
        return random.nextInt(3) == 0 ? 0 : 1_700_000_000_000L + random.nextInt(1_000_000);
    }

    static long periodOf(Limit limit) {
        if (limit instanceof TokenBucketLimit it) {
            return it.refillPeriodMillis();
        }
        if (limit instanceof GcraLimit it) {
            return it.refillPeriodMillis();
        }
        if (limit instanceof FixedWindowLimit it) {
            return it.window() instanceof Window.Every every ? every.lengthMillis() : 31 * 86_400_000L;
        }
        if (limit instanceof SlidingWindowLimit it) {
            return it.windowMillis();
        }
        return ((SlidingLogLimit) limit).windowMillis();
    }

    /** From 0 to {@code most}, each order of magnitude equally often. */
    private static long ofAnySize(Random random, long most) {
        int bits = random.nextInt(64 - Long.numberOfLeadingZeros(most) + 1);
        return Math.min(most, random.nextLong() & ((1L << bits) - 1));
    }

    private static <T> T any(List<T> choices, Random random) {
        return choices.get(random.nextInt(choices.size()));
    }
}
