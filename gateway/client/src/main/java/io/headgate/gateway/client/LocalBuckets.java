package io.headgate.gateway.client;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.headgate.core.limit.Check;
import io.headgate.core.limit.Counter;
import io.headgate.core.limit.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Counters that this client keeps by itself: of what it admits while nobody decides, and of what is exempt. Several are
 * debited together or not at all. They outlive the trouble that made them, so that trouble which comes and goes hands out
 * nothing afresh. A bounded number; what is dropped for want of room begins afresh.
 */
final class LocalBuckets {

    private final LongSupplier clockMillis;
    private final Cache<CounterKey, Bucket> buckets;
    private long nowMillis;

    /**
     * Makes an empty set.
     *
     * @param most how many counters are kept
     * @param clockMillis the time in ms since the epoch, which windows are aligned to; never goes back
     */
    LocalBuckets(long most, LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
        this.buckets =
                Caffeine.newBuilder().maximumSize(most).executor(Runnable::run).build();
    }

    private record Bucket(Limit limit, Counter counter) {}

    /** A counter that a request is charged on. */
    record Charge(CounterKey key, Limit limit, long tokens) {}

    /**
     * What came of it.
     *
     * @param full the first of the charges that does not fit; empty if all were taken
     * @param retryAfterMillis when all would fit again; empty if all were taken, or if no wait is known to do
     */
    record Taken(Optional<Charge> full, OptionalLong retryAfterMillis) {

        boolean all() {
            return full.isEmpty();
        }
    }

    /** Takes all charges if all fit, or none; only looks if it is told to. */
    synchronized Taken take(List<Charge> charges, boolean lookOnly) {
        nowMillis = clockMillis.getAsLong();
        List<Bucket> present = new ArrayList<>(charges.size());
        List<Charge> full = new ArrayList<>(0);
        long wait = 0;
        boolean hopeless = false;
        for (Charge charge : charges) {
            Bucket bucket = present(charge);
            present.add(bucket);
            Check check = charge.limit().tokens() == 0
                    ? Check.DENY_EVERYTHING
                    : charge.limit().check(bucket.counter(), charge.tokens(), nowMillis);
            if (!check.permitted()) {
                full.add(charge);
                hopeless |= check.retryAfterMillis().isEmpty();
                wait = Math.max(wait, check.retryAfterMillis().orElse(0));
            }
        }
        if (!full.isEmpty()) {
            return new Taken(Optional.of(full.get(0)), hopeless ? OptionalLong.empty() : OptionalLong.of(wait));
        }
        for (int i = 0; i < charges.size() && !lookOnly; i++) {
            Charge charge = charges.get(i);
            Counter after = charge.limit().debited(present.get(i).counter(), charge.tokens(), nowMillis);
            buckets.put(charge.key(), new Bucket(charge.limit(), after));
        }
        return new Taken(Optional.empty(), OptionalLong.empty());
    }

    /** What was spent under the limit of an earlier version stays spent. */
    private Bucket present(Charge charge) {
        Limit limit = charge.limit();
        Bucket stored = buckets.getIfPresent(charge.key());
        if (stored == null || !limit.owns(stored.counter())) {
            return new Bucket(limit, limit.fresh(nowMillis));
        }
        Counter counter = stored.limit().advanced(stored.counter(), nowMillis);
        return new Bucket(
                limit, limit.equals(stored.limit()) ? counter : limit.adopted(counter, stored.limit(), nowMillis));
    }
}
