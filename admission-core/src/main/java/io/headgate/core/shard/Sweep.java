package io.headgate.core.shard;

import io.headgate.core.limit.Counter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Drops what says nothing any more: counters that are whole again, attempts too old to be repeated, sessions long idle.
 * Looks at a fixed number of entries each tick, in order of their keys, and begins anew at the end. A counter that it
 * keeps is brought under the limit in force, so that after one round nobody needs the limits before the round.
 *
 * <p>The counters of shadow rules have a sweep of their own. With a common one a shadow rule would slow down the sweep of
 * the others, and so decide when a capped rule has room for a newcomer.
 */
final class Sweep {

    private final boolean shadow;
    private final ShardHeader header;
    private final ShardSettings settings;
    private final StateStore store;
    private final WorkingSet state;
    private final List<String> problems = new ArrayList<>();
    private RuleBook book;

    private Sweep(
            boolean shadow,
            ShardHeader header,
            ShardSettings settings,
            StateStore store,
            WorkingSet state,
            RuleBook book) {
        this.shadow = shadow;
        this.header = header;
        this.settings = settings;
        this.store = store;
        this.state = state;
        this.book = book;
    }

    /** What is left of the rule book, and the entries that could not be read, in words. */
    record Swept(RuleBook book, List<String> problems) {}

    /** One tick's work, for all but shadow rules and for those. */
    static Swept step(
            ShardHeader header,
            ShardSettings settings,
            StateStore store,
            WorkingSet state,
            RuleBook book,
            Set<String> rulesInForce) {
        Sweep enforced = new Sweep(false, header, settings, store, state, book);
        header.enforcedRound = enforced.step(header.enforcedRound, rulesInForce);
        Sweep shadow = new Sweep(true, header, settings, store, state, enforced.book);
        header.shadowRound = shadow.step(header.shadowRound, rulesInForce);
        List<String> problems = new ArrayList<>(enforced.problems);
        problems.addAll(shadow.problems);
        return new Swept(shadow.book, problems);
    }

    private SweepRound step(SweepRound round, Set<String> rulesInForce) {
        int left = settings.sweepEntriesPerTick();
        byte[] cursor = round.cursor();
        for (KeyRange range : ranges()) {
            KeyRange ahead = range.atOrAbove(cursor);
            List<StateStore.Entry> entries = store.scan(ahead.from(), ahead.to(), left);
            entries.forEach(this::tryToLook);
            left -= entries.size();
            if (left == 0) {
                return new SweepRound(justAfter(entries.get(entries.size() - 1).key()), round.startedMillis());
            }
        }
        finish(round, rulesInForce);
        return SweepRound.startingAt(header.logTimeMillis);
    }

    /** What this sweep walks over, in order: the counters of shadow rules, or everything but those. */
    private List<KeyRange> ranges() {
        List<KeyRange> ofShadowRules = book.histories().entrySet().stream()
                .filter(rule -> rule.getValue().shadow())
                .map(rule -> Keys.buckets(rule.getKey()))
                .sorted(Comparator.comparing(KeyRange::from, Arrays::compareUnsigned))
                .toList();
        if (shadow) {
            return ofShadowRules;
        }
        List<KeyRange> others = new ArrayList<>();
        byte[] from = Keys.SWEPT;
        for (KeyRange gap : ofShadowRules) {
            others.add(new KeyRange(from, gap.from()));
            from = gap.to();
        }
        others.add(new KeyRange(from, Keys.END));
        return others;
    }

    /** An entry that cannot be read stays as it is, and the sweep goes on behind it. */
    private void tryToLook(StateStore.Entry entry) {
        try {
            look(entry);
            state.keep();
        } catch (StateStoreException failure) {
            throw failure;
        } catch (RuntimeException broken) {
            state.forget();
            problems.add("state entry " + HexFormat.of().formatHex(entry.key()) + " cannot be swept: "
                    + Folded.describe(broken));
        }
    }

    private void look(StateStore.Entry entry) {
        StateKey key = new StateKey(entry.key());
        switch (entry.key()[0]) {
            case Keys.BUCKET -> lookAtBucket(key, BucketEntry.fromBytes(entry.value()));
            case Keys.SESSION -> {
                if (SessionEntry.fromBytes(entry.value()).isIdle(settings, header.logTimeMillis)) {
                    state.delete(key);
                    header.sessions--;
                }
            }
            case Keys.ATTEMPT -> {
                if (AttemptEntry.fromBytes(entry.value()).isGone(settings, header.logTimeMillis)) {
                    state.delete(key);
                }
            }
            default -> throw new IllegalStateException("state holds a key of unknown kind " + entry.key()[0]);
        }
    }

    private void lookAtBucket(StateKey key, BucketEntry entry) {
        Keys.BucketOwner owner = Keys.ownerOf(key.bytes());
        RuleHistory history = book.of(owner.ruleId());
        Counter present = history.present(entry, header.logTimeMillis);
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
    private void finish(SweepRound round, Set<String> rulesInForce) {
        RuleBook next = book.since(round.startedMillis(), shadow);
        for (String ruleId : book.histories().keySet()) {
            boolean mine = book.of(ruleId).shadow() == shadow;
            if (mine && !rulesInForce.contains(ruleId) && !hasBuckets(ruleId)) {
                next = next.without(ruleId);
                state.delete(Keys.tally(ruleId));
            }
        }
        book = next;
    }

    /** Looks at the store as it was before this tick; a rule whose last counter goes in this tick goes next round. */
    private boolean hasBuckets(String ruleId) {
        KeyRange buckets = Keys.buckets(ruleId);
        return !store.scan(buckets.from(), buckets.to(), 1).isEmpty();
    }

    private static byte[] justAfter(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }
}
