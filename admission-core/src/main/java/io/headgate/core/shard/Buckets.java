package io.headgate.core.shard;

import io.headgate.core.limit.Counter;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Rule;
import java.util.Optional;

/**
 * The counters of a shard, within one record. A rule remembers at most so many keys; once it does, keys that it does not
 * know share one overflow bucket, and those that it knows keep their own.
 */
final class Buckets {

    private final WorkingSet state;
    private final RuleBook book;
    private final long bucketsPerRule;
    private final long nowMillis;
    private int overflowed;

    Buckets(WorkingSet state, RuleBook book, long bucketsPerRule, long nowMillis) {
        this.state = state;
        this.book = book;
        this.bucketsPerRule = bucketsPerRule;
        this.nowMillis = nowMillis;
    }

    /**
     * A counter, brought to now.
     *
     * @param key where it is, or would be, stored
     * @param isNew whether storing it makes one more key known
     */
    record Bucket(StateKey key, boolean isNew, Counter counter) {}

    Bucket find(Rule rule, StateKey key) {
        Optional<BucketEntry> own = entry(key);
        if (own.isEmpty() && tally(rule).keys() >= bucketsPerRule) {
            StateKey shared = Keys.overflow(rule.id());
            return new Bucket(shared, false, present(rule, entry(shared)));
        }
        return new Bucket(key, own.isEmpty(), present(rule, own));
    }

    /** Takes {@code costTokens}, which fit, and returns the counter afterwards. */
    Counter debit(Rule rule, Bucket bucket, long costTokens) {
        if (costTokens == 0 || rule.limit() instanceof Unlimited) {
            return bucket.counter();
        }
        Counter after = rule.limit().debited(bucket.counter(), costTokens, nowMillis);
        state.put(bucket.key(), new BucketEntry(book.of(rule.id()).current().number(), after));
        if (bucket.isNew()) {
            state.put(Keys.tally(rule.id()), new Tally(tally(rule).keys() + 1));
        } else if (bucket.key().equals(Keys.overflow(rule.id()))) {
            overflowed++;
        }
        return after;
    }

    int overflowed() {
        return overflowed;
    }

    private Counter present(Rule rule, Optional<BucketEntry> entry) {
        return entry.map(stored -> book.of(rule.id()).present(stored, nowMillis))
                .orElseGet(() -> rule.limit().fresh(nowMillis));
    }

    private Optional<BucketEntry> entry(StateKey key) {
        return state.get(key, BucketEntry.class, BucketEntry::fromBytes);
    }

    private Tally tally(Rule rule) {
        return state.get(Keys.tally(rule.id()), Tally.class, Tally::fromBytes).orElse(Tally.NONE);
    }
}
