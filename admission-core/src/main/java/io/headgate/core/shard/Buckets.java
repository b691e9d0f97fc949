package io.headgate.core.shard;

import io.headgate.core.limit.Counter;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Zones;
import io.headgate.core.policy.Rule;
import java.util.List;
import java.util.Optional;

/**
 * The counters of a shard, within one record. A rule remembers at most so many keys; once it does, keys that it does not
 * know share one overflow bucket, and those that it knows keep their own.
 */
final class Buckets {

    private final WorkingSet state;
    private final RuleBook book;
    private final Zones tables;
    private final long offset;
    private final long nowMillis;
    private int overflowed;

    Buckets(WorkingSet state, RuleBook book, Zones tables, long offset, long nowMillis) {
        this.state = state;
        this.book = book;
        this.tables = tables;
        this.offset = offset;
        this.nowMillis = nowMillis;
    }

    /**
     * A counter, brought to now.
     *
     * @param key where it is, or would be, stored
     * @param isNew whether storing it makes one more key known
     * @param shared whether it is the one that keys share that are not known
     * @param limit the limit in force for it
     */
    record Bucket(StateKey key, boolean isNew, boolean shared, Limit limit, Counter counter) {}

    /**
     * The counter of a key, or the one that it shares when the rule remembers no more keys. Who has no limit needs no
     * counter and shares none.
     *
     * @param rule as it is under the version that decides
     * @param bucketsPerRule how many keys it may remember under that
     */
    Bucket find(Rule rule, StateKey key, AccountEntry account, long bucketsPerRule) {
        Optional<BucketEntry> own = entry(key);
        if (own.isEmpty() && tally(rule).keys() >= bucketsPerRule && isLimited(rule, account)) {
            return overflow(rule);
        }
        Limit limit = Timeline.limitNow(rule, account, tables);
        Counter counter = own.isEmpty() ? limit.fresh(nowMillis) : present(rule, key, account, limit, own.get());
        return new Bucket(key, own.isEmpty(), false, limit, counter);
    }

    /** Takes {@code costTokens}, which fit, and returns the counter afterwards. */
    Counter debit(Rule rule, Bucket bucket, long costTokens) {
        if (costTokens == 0 || bucket.limit() instanceof Unlimited) {
            return bucket.counter();
        }
        Counter after = bucket.limit().debited(bucket.counter(), costTokens, nowMillis);
        state.put(bucket.key(), new BucketEntry(offset, after));
        if (bucket.isNew()) {
            state.put(Keys.tally(rule.id()), new Tally(tally(rule).keys() + 1));
        } else if (bucket.shared()) {
            overflowed++;
        }
        return after;
    }

    /** Gives tokens back to one counter; one that owes nothing gets nothing. Needs no table of a zone. */
    void credit(Rule rule, StateKey key, AccountEntry account, long tokens) {
        entry(key).ifPresent(own -> {
            List<Era> line = line(rule, key);
            Limit limit = Timeline.limitAsNamed(rule.id(), line, account, tables);
            Counter present = Timeline.settled(rule.id(), line, account, tables, own, nowMillis);
            Counter after = limit.credited(present, tokens, nowMillis);
            if (after.unused()) {
                forget(rule.id(), key);
            } else {
                state.put(key, new BucketEntry(offset, after));
            }
        });
    }

    /** Forgets what one counter has spent. */
    void reset(Rule rule, StateKey key) {
        if (entry(key).isPresent()) {
            forget(rule.id(), key);
        }
    }

    private void forget(String ruleId, StateKey key) {
        state.delete(key);
        state.put(Keys.tally(ruleId), new Tally(tally(ruleId).keys() - 1));
    }

    int overflowed() {
        return overflowed;
    }

    private boolean isLimited(Rule rule, AccountEntry account) {
        return !(Timeline.limitNow(rule, account, tables) instanceof Unlimited);
    }

    /** Nobody's: under the version for everybody if that has the rule, otherwise under the one rolled out. */
    private Bucket overflow(Rule rule) {
        StateKey key = Keys.overflow(rule.id());
        Limit limit = Timeline.limitNow(rule.id(), line(rule, key), AccountEntry.UNKNOWN, tables);
        Counter counter = entry(key)
                .map(stored -> present(rule, key, AccountEntry.UNKNOWN, limit, stored))
                .orElseGet(() -> limit.fresh(nowMillis));
        return new Bucket(key, false, true, limit, counter);
    }

    /** A stored counter as it stands now, under the limit in force for it. */
    private Counter present(Rule rule, StateKey key, AccountEntry account, Limit limit, BucketEntry stored) {
        boolean current =
                stored.offset() >= book.of(rule.id()).changedOffset() && stored.offset() >= account.sinceOffset();
        if (!current) {
            return Timeline.settled(rule.id(), line(rule, key), account, tables, stored, nowMillis);
        }
        return limit.owns(stored.counter()) ? limit.advanced(stored.counter(), nowMillis) : limit.fresh(nowMillis);
    }

    /** The eras that a counter has seen. */
    private List<Era> line(Rule rule, StateKey key) {
        return book.of(rule.id()).lineOf(Keys.ownerOf(key.bytes()).partitionKey());
    }

    private Optional<BucketEntry> entry(StateKey key) {
        return state.get(key, BucketEntry::fromBytes);
    }

    private Tally tally(Rule rule) {
        return tally(rule.id());
    }

    private Tally tally(String ruleId) {
        return state.get(Keys.tally(ruleId), Tally::fromBytes).orElse(Tally.NONE);
    }
}
