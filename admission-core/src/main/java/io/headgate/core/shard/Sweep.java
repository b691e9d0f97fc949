package io.headgate.core.shard;

import io.headgate.core.limit.Counter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Drops what says nothing any more: counters that are whole again, attempts too old to be repeated, sessions long idle.
 * Looks at a fixed number of entries each tick, in order of their keys, and begins anew at the end. A counter that it
 * keeps is brought under the limit in force, so that after one round nobody needs the limits before the round.
 */
final class Sweep {

    private final ShardHeader header;
    private final StateStore store;
    private final WorkingSet state;
    private final long nowMillis;
    private final List<String> problems = new ArrayList<>();
    private RuleBook book;

    Sweep(ShardHeader header, StateStore store, WorkingSet state, RuleBook book, long nowMillis) {
        this.header = header;
        this.store = store;
        this.state = state;
        this.book = book;
        this.nowMillis = nowMillis;
    }

    /** One tick's work. Returns the rule book afterwards. */
    RuleBook step(ShardSettings settings, Set<String> rulesInForce) {
        List<StateStore.Entry> entries = store.scan(header.sweepCursor, settings.sweepEntriesPerTick());
        for (StateStore.Entry entry : entries) {
            try {
                look(entry, settings);
                state.keep();
            } catch (StateStoreException failure) {
                throw failure;
            } catch (RuntimeException broken) {
                state.forget();
                problems.add("state entry " + HexFormat.of().formatHex(entry.key()) + " is left as it is: " + broken);
            }
        }
        if (entries.size() < settings.sweepEntriesPerTick()) {
            finishRound(rulesInForce);
        } else {
            header.sweepCursor = justAfter(entries.get(entries.size() - 1).key());
        }
        return book;
    }

    /** Entries that could not be read, in words. They stay, and the sweep goes on behind them. */
    List<String> problems() {
        return problems;
    }

    private void look(StateStore.Entry entry, ShardSettings settings) {
        StateKey key = new StateKey(entry.key());
        switch (entry.key()[0]) {
            case Keys.BUCKET -> lookAtBucket(key, BucketEntry.fromBytes(entry.value()));
            case Keys.SESSION -> {
                if (SessionEntry.fromBytes(entry.value()).isIdle(settings, nowMillis)) {
                    state.delete(key);
                    header.sessions--;
                }
            }
            case Keys.ATTEMPT -> {
                if (AttemptEntry.fromBytes(entry.value()).isGone(settings, nowMillis)) {
                    state.delete(key);
                }
            }
            default -> throw new IllegalStateException("state holds a key of unknown kind " + entry.key()[0]);
        }
    }

    private void lookAtBucket(StateKey key, BucketEntry entry) {
        Keys.BucketOwner owner = Keys.ownerOf(key.bytes());
        RuleHistory history = book.of(owner.ruleId());
        Counter present = history.present(entry, nowMillis);
        if (present.unused()) {
            state.delete(key);
            if (!owner.overflow()) {
                StateKey tally = Keys.tally(owner.ruleId());
                Optional<Tally> before = state.get(tally, Tally.class, Tally::fromBytes);
                state.put(tally, new Tally(before.orElseThrow().keys() - 1));
            }
        } else if (entry.era() != history.current().number()) {
            state.put(key, new BucketEntry(history.current().number(), present));
        }
    }

    /** Forgets limits that ended before the round began, and rules that are gone and have no counters left. */
    private void finishRound(Set<String> rulesInForce) {
        RuleBook next = book.since(header.sweepStartedMillis);
        for (String ruleId : book.histories().keySet()) {
            if (!rulesInForce.contains(ruleId) && !hasBuckets(ruleId)) {
                next = next.without(ruleId);
                state.delete(Keys.tally(ruleId));
            }
        }
        book = next;
        header.sweepCursor = Keys.SWEPT;
        header.sweepStartedMillis = nowMillis;
    }

    /** Looks at the store as it was before this tick; a rule whose last counter goes in this tick goes next round. */
    private boolean hasBuckets(String ruleId) {
        byte[] prefix = Keys.buckets(ruleId);
        return store.scan(prefix, 1).stream()
                .anyMatch(entry -> entry.key().length >= prefix.length
                        && Arrays.equals(entry.key(), 0, prefix.length, prefix, 0, prefix.length));
    }

    private static byte[] justAfter(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }
}
