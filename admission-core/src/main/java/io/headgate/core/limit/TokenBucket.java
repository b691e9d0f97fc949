package io.headgate.core.limit;

import io.headgate.core.limit.Exact.Quotient;

/**
 * What has been taken from a token bucket and not yet earned back, at one moment. The token bucket of Turner
 * (1986), with the level turned upside down.
 *
 * @param deficitMilliTokens how far below full it is; above the capacity after the capacity was lowered
 * @param remainder what was earned beyond whole milli-tokens, in 1/refillPeriodMillis of one
 * @param updatedAtMillis log time up to which the deficit counts what was earned
 */
public record TokenBucket(long deficitMilliTokens, long remainder, long updatedAtMillis) implements Counter {

    /*
     * Why the deficit and not the level. A bucket that nobody has touched and a bucket that is full again are both zero,
     * so dropping a full bucket loses nothing, and a new capacity needs no conversion: 3 taken of 5 is 3 taken of 10.
     *
     * Why a remainder. Everyone who folds the log must reach the same state to the bit. Rounding down at every refill
     * would starve a slow limit that is asked often: 1 token an hour, asked every 3 ms, would never fill. With the
     * remainder kept, many small refills equal one large refill. When the refill changes, the bucket first earns under
     * the old limit up to the log time of the change and drops its remainder, less than one milli-token.
     */

    static final long MILLI = 1000;

    static TokenBucket full(long nowMillis) {
        return new TokenBucket(0, 0, nowMillis);
    }

    @Override
    public boolean unused() {
        return deficitMilliTokens == 0;
    }

    TokenBucket refilled(TokenBucketLimit limit, long nowMillis) {
        long elapsedMillis = nowMillis - updatedAtMillis;
        if (elapsedMillis <= 0) {
            return this;
        }
        if (deficitMilliTokens == 0) {
            return full(nowMillis);
        }
        Quotient earned = limit.refill() == Refill.INTERVAL
                ? new Quotient(earnedAtIntervals(limit, nowMillis), 0)
                : Exact.multiplyDivide(elapsedMillis, limit.refillMilliTokens(), remainder, limit.refillPeriodMillis());
        return earned.whole() >= deficitMilliTokens
                ? full(nowMillis)
                : new TokenBucket(deficitMilliTokens - earned.whole(), earned.rest(), nowMillis);
    }

    /** What the periods that ended since then have earned; a period ends at a multiple of its length. */
    private long earnedAtIntervals(TokenBucketLimit limit, long nowMillis) {
        long periodMillis = limit.refillPeriodMillis();
        long ended = nowMillis / periodMillis - updatedAtMillis / periodMillis;
        return Exact.multiplySaturating(ended, limit.refillMilliTokens());
    }

    TokenBucket withoutRemainder() {
        return new TokenBucket(deficitMilliTokens, 0, updatedAtMillis);
    }

    Check check(TokenBucketLimit limit, long costTokens) {
        long levelMilliTokens = limit.capacityMilliTokens() - deficitMilliTokens;
        long remainingTokens = Math.max(0, Math.floorDiv(levelMilliTokens, MILLI));
        if (costTokens > limit.capacityTokens()) {
            return Check.hopeless(remainingTokens);
        }
        long missingMilliTokens = costTokens * MILLI - levelMilliTokens;
        if (missingMilliTokens <= 0) {
            return Check.permit(remainingTokens);
        }
        return limit.refillTokens() == 0
                ? Check.hopeless(remainingTokens)
                : Check.deny(remainingTokens, millisToEarn(limit, missingMilliTokens));
    }

    TokenBucket taken(long costTokens) {
        return new TokenBucket(
                Math.addExact(deficitMilliTokens, Math.multiplyExact(costTokens, MILLI)), remainder, updatedAtMillis);
    }

    TokenBucket given(long tokens) {
        long left = Math.max(0, deficitMilliTokens - Exact.multiplySaturating(tokens, MILLI));
        return left == 0 ? full(updatedAtMillis) : new TokenBucket(left, remainder, updatedAtMillis);
    }

    /** The shortest time in which {@code milliTokens} are earned, rounded up: a hint is never early. */
    long millisToEarn(TokenBucketLimit limit, long milliTokens) {
        if (limit.refill() == Refill.INTERVAL) {
            long periods = new Quotient(
                            milliTokens / limit.refillMilliTokens(), milliTokens % limit.refillMilliTokens())
                    .roundedUp();
            long wholeMillis = Exact.multiplySaturating(periods, limit.refillPeriodMillis());
            return wholeMillis == Long.MAX_VALUE
                    ? wholeMillis
                    : wholeMillis - updatedAtMillis % limit.refillPeriodMillis();
        }
        return Exact.multiplyDivide(milliTokens, limit.refillPeriodMillis(), -remainder, limit.refillMilliTokens())
                .roundedUp();
    }
}
