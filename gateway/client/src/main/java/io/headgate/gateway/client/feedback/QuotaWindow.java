package io.headgate.gateway.client.feedback;

import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import java.math.BigInteger;
import java.util.OptionalLong;

/**
 * The time in which a limit comes back as a whole, in seconds, rounded up: of a bucket of 20 that earns 2 a second, 10.
 * What never comes back has none, and neither have days, weeks and months, which are not all of one length.
 */
final class QuotaWindow {

    private static final BigInteger MILLIS_PER_SECOND = BigInteger.valueOf(1_000);

    /** The greatest integer of a structured field (RFC 9651 §3.3.1). */
    static final long GREATEST = 999_999_999_999_999L;

    private QuotaWindow() {}

    static OptionalLong secondsOf(Limit limit) {
        if (limit instanceof TokenBucketLimit bucket) {
            return bucket.refill() == Refill.GREEDY
                    ? seconds(bucket.capacityTokens(), bucket.refillPeriodMillis(), bucket.refillTokens())
                    : intervals(bucket);
        }
        if (limit instanceof GcraLimit gcra) {
            return seconds(gcra.burstTokens(), gcra.refillPeriodMillis(), gcra.refillTokens());
        }
        if (limit instanceof FixedWindowLimit fixed) {
            return fixed.window() instanceof Window.Every every
                    ? OptionalLong.of(Seconds.of(every.lengthMillis()))
                    : OptionalLong.empty();
        }
        if (limit instanceof SlidingWindowLimit sliding) {
            return OptionalLong.of(Seconds.of(sliding.windowMillis()));
        }
        if (limit instanceof SlidingLogLimit log) {
            return OptionalLong.of(Seconds.of(log.windowMillis()));
        }
        Unlimited unlimited = (Unlimited) limit;
        throw new IllegalArgumentException(unlimited + " has no quota");
    }

    /** Half an interval earns nothing. */
    private static OptionalLong intervals(TokenBucketLimit bucket) {
        if (bucket.refillTokens() == 0) {
            return OptionalLong.empty();
        }
        long refills = bucket.capacityTokens() / bucket.refillTokens()
                + (bucket.capacityTokens() % bucket.refillTokens() > 0 ? 1 : 0);
        return seconds(refills, bucket.refillPeriodMillis(), 1);
    }

    private static OptionalLong seconds(long tokens, long periodMillis, long tokensPerPeriod) {
        if (tokens == 0 || tokensPerPeriod == 0) {
            return OptionalLong.empty();
        }
        BigInteger[] parts = BigInteger.valueOf(tokens)
                .multiply(BigInteger.valueOf(periodMillis))
                .divideAndRemainder(BigInteger.valueOf(tokensPerPeriod).multiply(MILLIS_PER_SECOND));
        BigInteger seconds = parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0];
        return seconds.bitLength() < Long.SIZE && seconds.longValue() <= GREATEST
                ? OptionalLong.of(seconds.longValue())
                : OptionalLong.empty();
    }
}
