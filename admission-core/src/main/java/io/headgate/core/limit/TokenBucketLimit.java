package io.headgate.core.limit;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * A burst of {@code capacityTokens}, earned back at {@code refillTokens} every {@code refillPeriodMillis}. Over any time
 * T it admits at most capacity + rate × T when refilled continuously, and one refill more when at intervals.
 *
 * @param capacityTokens 0 (deny everything) to 10^12
 * @param refillTokens 0 (never earned back) to 10^12
 * @param refillPeriodMillis 1 ms to 366 days
 * @param refill continuously, or all at once when a period ends
 */
public record TokenBucketLimit(long capacityTokens, long refillTokens, long refillPeriodMillis, Refill refill)
        implements Limit {

    public static final String ALGORITHM = "token-bucket";

    public TokenBucketLimit {
        Bounds.tokens("capacity", capacityTokens);
        Bounds.tokens("refill.tokens", refillTokens);
        Bounds.period("refill.per", refillPeriodMillis);
        Objects.requireNonNull(refill);
    }

    /** Refilled continuously. */
    public TokenBucketLimit(long capacityTokens, long refillTokens, long refillPeriodMillis) {
        this(capacityTokens, refillTokens, refillPeriodMillis, Refill.GREEDY);
    }

    long capacityMilliTokens() {
        return capacityTokens * TokenBucket.MILLI;
    }

    long refillMilliTokens() {
        return refillTokens * TokenBucket.MILLI;
    }

    @Override
    public String algorithm() {
        return ALGORITHM;
    }

    @Override
    public long tokens() {
        return capacityTokens;
    }

    @Override
    public Counter fresh(long nowMillis) {
        return TokenBucket.full(nowMillis);
    }

    @Override
    public boolean owns(Counter counter) {
        return counter instanceof TokenBucket;
    }

    @Override
    public Counter advanced(Counter counter, long nowMillis) {
        return ((TokenBucket) counter).refilled(this, nowMillis);
    }

    @Override
    public Counter adopted(Counter counter, Limit before, long atMillis) {
        TokenBucketLimit old = (TokenBucketLimit) before;
        boolean sameRefill = old.refillTokens == refillTokens
                && old.refillPeriodMillis == refillPeriodMillis
                && old.refill == refill;
        return sameRefill ? counter : ((TokenBucket) counter).withoutRemainder();
    }

    @Override
    public Check check(Counter counter, long costTokens, long nowMillis) {
        return ((TokenBucket) counter).check(this, costTokens);
    }

    @Override
    public Counter debited(Counter counter, long costTokens, long nowMillis) {
        return ((TokenBucket) counter).taken(costTokens);
    }

    @Override
    public Counter credited(Counter counter, long tokens, long nowMillis) {
        return ((TokenBucket) counter).given(tokens);
    }

    @Override
    public Limit raised(long tokens) {
        return new TokenBucketLimit(capacityTokens + tokens, refillTokens, refillPeriodMillis, refill);
    }

    @Override
    public OptionalLong resetAfterMillis(Counter counter, long nowMillis) {
        TokenBucket bucket = (TokenBucket) counter;
        if (bucket.unused()) {
            return OptionalLong.of(0);
        }
        return refillTokens == 0
                ? OptionalLong.empty()
                : Hint.of(bucket.millisToEarn(this, bucket.deficitMilliTokens()));
    }
}
