package io.headgate.core.limit;

import java.util.Random;

/** Limits, costs and times of every size that the constructors accept, with the extremes often among them. */
final class RandomLimits {

    static final long YEAR_MILLIS = 365L * 24 * 3_600_000;

    enum Algorithm {
        TOKEN_BUCKET,
        GCRA,
        FIXED_WINDOW,
        SLIDING_WINDOW,
        SLIDING_LOG
    }

    private RandomLimits() {}

    static Limit of(Algorithm algorithm, Random random) {
        return switch (algorithm) {
            case TOKEN_BUCKET -> tokenBucket(random);
            case GCRA -> gcra(random);
            case FIXED_WINDOW -> new FixedWindowLimit(tokens(random), period(random));
            case SLIDING_WINDOW -> new SlidingWindowLimit(tokens(random), period(random));
            case SLIDING_LOG ->
                new SlidingLogLimit(
                        random.nextInt(4) == 0 ? random.nextInt(1_001) : random.nextInt(20), period(random));
        };
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
            return ((Window.Every) it.window()).lengthMillis();
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
}
