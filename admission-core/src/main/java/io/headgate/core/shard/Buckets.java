package io.headgate.core.shard;

import io.headgate.core.limit.Counter;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Zones;
import io.headgate.core.policy.Rule;
import java.util.Optional;

/**
 * The counters of a shard, within one record. A rule remembers at most so many keys; once it does, keys that it does not
 * know share one overflow bucket, and those that it knows keep their own.
 */
final class Buckets {

    private final WorkingSet state;
    private final RuleBook book;
    private final Zones tables;
    private final long bucketsPerRule;
    private final long offset;
    private final long nowMillis;
    private int overflowed;

    Buckets(WorkingSet state, RuleBook book, Zones tables, long bucketsPerRule, long offset, long nowMillis) {
        this.state = state;
        this.book = book;
        this.tables = tables;
        this.bucketsPerRule = bucketsPerRule;
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
     */
    Bucket find(Rule rule, StateKey key, AccountEntry account) {
        Optional<BucketEntry> own = entry(key);
        if (own.isEmpty() && tally(rule).keys() >= bucketsPerRule && isLimited(rule, account)) {
            StateKey shared = Keys.overflow(rule.id());
            return present(rule, shared, false, true, AccountEntry.UNKNOWN, entry(shared));
        }
        return present(rule, key, own.isEmpty(), false, account, own);
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
            RuleHistory history = book.of(rule.id());
            Limit limit = Timeline.limitAsNamed(rule.id(), history, account, tables);
            Counter present = Timeline.settled(rule.id(), history, account, tables, own, nowMillis);
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
        return !(Timeline.limitNow(rule.id(), book.of(rule.id()), account, tables) instanceof Unlimited);
    }

    private Bucket present(
            Rule rule, StateKey key, boolean isNew, boolean shared, AccountEntry account, Optional<BucketEntry> entry) {
        RuleHistory history = book.of(rule.id());
        Limit limit = Timeline.limitNow(rule.id(), history, account, tables);
        Counter counter = entry.map(stored -> Timeline.present(rule.id(), history, account, tables, stored, nowMillis))
                .orElseGet(() -> limit.fresh(nowMillis));
        return new Bucket(key, isNew, shared, limit, counter);
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
