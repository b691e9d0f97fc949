package io.headgate.core.shard;

import io.headgate.core.limit.Counter;
import io.headgate.core.limit.Zones;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.InForce;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Drops what says nothing any more: counters that are whole again, attempts too old to be repeated, sessions long idle,
 * callers' keys that are free again, terms that no counter was left under.
 * Looks at a fixed number of entries each tick, in order of their keys, and begins anew at the end. A counter that it
 * keeps is brought under the limit in force, so that after one round nobody needs the limits before the round.
 *
 * <p>The counters of shadow rules have a sweep of their own. With a common one a shadow rule would slow down the sweep of
 * the others, and so decide when a capped rule has room for a newcomer.
 */
final class Sweep {

    private final boolean shadow;
    private final Ground ground;
    private final List<String> problems = new ArrayList<>();
    private RuleBook book;

    private Sweep(boolean shadow, Ground ground, RuleBook book) {
        this.shadow = shadow;
        this.ground = ground;
        this.book = book;
    }

    /** What both sweeps work on. */
    record Ground(
            ShardHeader header,
            ShardSettings settings,
            StateStore store,
            WorkingSet state,
            Zones tables,
            Optional<InForce> inForce) {

        long offset() {
            return header.nextOffset - 1;
        }

        long nowMillis() {
            return header.logTimeMillis;
        }

        Accounts accounts() {
            return new Accounts(state, offset(), nowMillis());
        }

        CallersKeys callersKeys() {
            return new CallersKeys(state, Idempotency.DEFAULT, nowMillis());
        }

        boolean inForce(String ruleId) {
            return inForce.map(versions -> versions.base().rule(ruleId).isPresent()
                            || versions.newest().rule(ruleId).isPresent())
                    .orElse(false);
        }
    }

    /** What is left of the rule book, and the entries that could not be read, in words. */
    record Swept(RuleBook book, List<String> problems) {}

    /** One tick's work, for all but shadow rules and for those. */
    static Swept step(Ground ground, RuleBook book) {
        ShardHeader header = ground.header();
        Sweep enforced = new Sweep(false, ground, book);
        header.enforcedRound = enforced.step(header.enforcedRound);
        Sweep shadow = new Sweep(true, ground, enforced.book);
        header.shadowRound = shadow.step(header.shadowRound);
        List<String> problems = new ArrayList<>(enforced.problems);
        problems.addAll(shadow.problems);
        return new Swept(shadow.book, problems);
    }

    private SweepRound step(SweepRound round) {
        int left = ground.settings().sweepEntriesPerTick();
        byte[] cursor = round.cursor();
        for (KeyRange range : ranges()) {
            KeyRange ahead = range.atOrAbove(cursor);
            List<StateStore.Entry> entries = ground.store().scan(ahead.from(), ahead.to(), left);
            entries.forEach(this::tryToLook);
            left -= entries.size();
            if (left == 0) {
                return round.at(justAfter(entries.get(entries.size() - 1).key()));
            }
        }
        finish(round);
        return round.finished(ground.offset());
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
            ground.state().keep();
        } catch (StateStoreException failure) {
            throw failure;
        } catch (RuntimeException broken) {
            ground.state().forget();
            problems.add("state entry " + HexFormat.of().formatHex(entry.key()) + " cannot be swept: "
                    + Folded.describe(broken));
        }
    }

    private void look(StateStore.Entry entry) {
        StateKey key = new StateKey(entry.key());
        switch (entry.key()[0]) {
            case Keys.BUCKET -> lookAtBucket(key, BucketEntry.fromBytes(entry.value()));
            case Keys.SESSION -> {
                if (SessionEntry.fromBytes(entry.value()).isIdle(ground.settings(), ground.nowMillis())) {
                    ground.state().delete(key);
                    ground.header().sessions--;
                }
            }
            case Keys.ATTEMPT -> {
                if (AttemptEntry.fromBytes(entry.value()).isGone(ground.settings(), ground.nowMillis())) {
                    ground.state().delete(key);
                }
            }
            case Keys.KEYED -> ground.callersKeys().sweep(key, KeyedEntry.fromBytes(entry.value()));
            case Keys.ACCOUNT_DUE -> ground.accounts().sweep(Keys.partitionKeyOf(entry.key()), seenOffset());
            default -> throw new IllegalStateException("state holds a key of unknown kind " + entry.key()[0]);
        }
    }

    /** All counters have been looked at since, those of shadow rules too. */
    private long seenOffset() {
        return Math.min(
                ground.header().enforcedRound.seenOffset(),
                ground.header().shadowRound.seenOffset());
    }

    private void lookAtBucket(StateKey key, BucketEntry entry) {
        Keys.BucketOwner owner = Keys.ownerOf(key.bytes());
        RuleHistory history = book.of(owner.ruleId());
        AccountEntry account = ground.accounts().of(owner.partitionKey());
        Counter present = Timeline.settled(
                owner.ruleId(),
                history.lineOf(owner.partitionKey()),
                account,
                ground.tables(),
                entry,
                ground.nowMillis());
        if (present.unused()) {
            ground.state().delete(key);
            if (!owner.overflow()) {
                StateKey tally = Keys.tally(owner.ruleId());
                Optional<Tally> before = ground.state().get(tally, Tally::fromBytes);
                ground.state().put(tally, new Tally(before.orElseThrow().keys() - 1));
            }
        } else if (entry.offset() < Math.max(history.changedOffset(), account.sinceOffset())) {
            ground.state().put(key, new BucketEntry(ground.offset(), present));
        }
    }

    /** Forgets limits that ended before the round began, and rules that are gone and have no counters left. */
    private void finish(SweepRound round) {
        RuleBook next = book.since(round.startedOffset(), shadow);
        for (String ruleId : book.histories().keySet()) {
            boolean mine = book.of(ruleId).shadow() == shadow;
            if (mine && !ground.inForce(ruleId) && !hasBuckets(ruleId)) {
                next = next.without(ruleId);
                ground.state().delete(Keys.tally(ruleId));
            }
        }
        book = next;
    }

    /** Looks at the store as it was before this tick; a rule whose last counter goes in this tick goes next round. */
    private boolean hasBuckets(String ruleId) {
        KeyRange buckets = Keys.buckets(ruleId);
        return !ground.store().scan(buckets.from(), buckets.to(), 1).isEmpty();
    }

    private static byte[] justAfter(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }
}
