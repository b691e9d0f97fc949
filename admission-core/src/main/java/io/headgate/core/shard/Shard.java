package io.headgate.core.shard;

import io.headgate.core.policy.Policy;
import io.headgate.core.policy.PolicyReader;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.LogRecord.Unreadable;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A shard: the left fold of its log. {@link #fold} reads nothing but the state and the record, so whoever folds the same
 * log, in one go or with restarts, in this process or another, comes to the same state and the same decisions, to the
 * byte.
 *
 * <p>Not safe for use by several threads. After an exception from {@link #fold} the object is of no more use; the state
 * in the store is, as far as the store can undo what was not committed.
 */
public final class Shard {

    private final int number;
    private final StateStore store;
    private final PolicyReader policies;
    private final ShardHeader header;
    private Optional<Policy> policy;
    private RuleBook book;

    /**
     * Opens the shard as its state has it; with an empty store, a new one.
     *
     * @param number which shard it is, from 0
     * @param store its state
     * @param policies reads the policy documents that its log brings
     */
    public Shard(int number, StateStore store, PolicyReader policies) {
        this.number = number;
        this.store = store;
        this.policies = policies;
        this.header = read(Keys.HEADER).map(ShardHeader::fromBytes).orElseGet(ShardHeader::new);
        this.policy = read(Keys.POLICY).map(bytes -> policies.read(bytes));
        this.book = read(Keys.RULE_BOOK).map(RuleBook::fromBytes).orElse(RuleBook.EMPTY);
        header.settings.ifPresent(Shard::checkSemantics);
    }

    public ShardView view() {
        return new ShardView(
                header.nextOffset,
                header.logTimeMillis,
                header.settings,
                header.settingsSource,
                header.policySource,
                policy.map(Policy::version).orElse(0L),
                header.caughtUp,
                header.losses);
    }

    /**
     * Goes on at {@code loss.toOffset()} although the log between was never folded. Only an operator can want this.
     *
     * @throws IllegalArgumentException if the fold does not stand where the loss begins
     */
    public void accept(Loss loss) {
        if (loss.fromOffset() != header.nextOffset) {
            throw new IllegalArgumentException("the shard stands at offset " + header.nextOffset
                    + "; the loss is said to begin at " + loss.fromOffset());
        }
        header.nextOffset = loss.toOffset();
        header.losses.add(loss);
        if (header.losses.size() > ShardHeader.MAX_LOSSES) {
            header.losses.remove(0);
        }
        store.put(Keys.HEADER, header.toBytes());
    }

    /**
     * Folds the next record.
     *
     * @throws IllegalStateException if it is not the next one: part of the log is missing, or the state is not this log's
     * @throws UnsupportedSemanticsException if the log has moved on to a newer way of deciding
     * @throws StateStoreException if the store failed
     */
    public Folded fold(LogRecord record) {
        if (record.offset() != header.nextOffset) {
            throw new IllegalStateException(
                    "the next offset is " + header.nextOffset + ", but the record has " + record.offset());
        }
        header.nextOffset++;
        header.logTimeMillis = Math.max(header.logTimeMillis, record.timestampMillis());
        WorkingSet state = new WorkingSet(store);
        Folded folded = tryToFold(record, state);
        state.put(new StateKey(Keys.HEADER), header);
        state.keep();
        state.flush();
        return folded;
    }

    /** What a record cannot be folded for is the record's fault or a bug, the same on every node: it changes nothing. */
    private Folded tryToFold(LogRecord record, WorkingSet state) {
        try {
            return fold(record, state);
        } catch (StateStoreException | UnsupportedSemanticsException failure) {
            throw failure;
        } catch (RuntimeException bug) {
            state.forget();
            String problem = "record could not be folded: " + Folded.describe(bug);
            return record.payload() instanceof Requests requests
                    ? answering(record.offset(), state)
                            .undecided(requests.commands(), problem)
                            .with(problem)
                    : Folded.problem(problem);
        }
    }

    private Folded fold(LogRecord record, WorkingSet state) {
        if (record.payload() instanceof Requests requests) {
            return answering(record.offset(), state).answer(requests);
        }
        if (record.payload() instanceof Controlled controlled) {
            return apply(controlled.control(), state);
        }
        return Folded.problem(((Unreadable) record.payload()).reason());
    }

    private Answering answering(long offset, WorkingSet state) {
        return new Answering(number, offset, header, policy, book, state);
    }

    private long policyVersion() {
        return policy.map(Policy::version).orElse(0L);
    }

    private Folded apply(Control control, WorkingSet state) {
        if (control instanceof Control.ApplyPolicy it) {
            return apply(it, state);
        }
        if (control instanceof Control.ApplySettings it) {
            return apply(it);
        }
        if (control instanceof Control.CaughtUp) {
            header.caughtUp = true;
            return Folded.nothing();
        }
        return sweep(state);
    }

    private Folded sweep(WorkingSet state) {
        if (header.settings.isEmpty()) {
            return Folded.nothing();
        }
        Set<String> inForce = new TreeSet<>();
        policy.ifPresent(present -> present.rules().stream().map(Rule::id).forEach(inForce::add));
        Sweep.Swept swept = Sweep.step(header, header.settings.get(), store, state, book, inForce);
        keep(swept.book(), state);
        return new Folded(List.of(), swept.problems(), 0);
    }

    private Folded apply(Control.ApplyPolicy control, WorkingSet state) {
        if (!follows(control.previous(), header.policySource, control.source())) {
            return Folded.nothing();
        }
        header.policySource = control.source();
        try {
            Policy next = policies.read(control.document());
            if (next.version() <= policyVersion()) {
                return Folded.problem("policy version " + next.version() + " is not above version " + policyVersion()
                        + ", which is in force");
            }
            RuleBook nextBook = book.under(next, header.logTimeMillis);
            if (book.differsInShadow(nextBook)) {
                // A rule has changed from one sweep to the other: only a whole round says that all of it was seen.
                header.enforcedRound = SweepRound.startingAt(header.logTimeMillis);
                header.shadowRound = SweepRound.startingAt(header.logTimeMillis);
            }
            keep(nextBook, state);
            policy = Optional.of(next);
            state.put(new StateKey(Keys.POLICY), new PolicyEntry(control.document()));
            return Folded.nothing();
        } catch (StateStoreException failure) {
            throw failure;
        } catch (RuntimeException refused) {
            return Folded.problem("policy at offset " + control.source() + " is refused: " + Folded.describe(refused));
        }
    }

    private Folded apply(Control.ApplySettings control) {
        if (!follows(control.previous(), header.settingsSource, control.source())) {
            return Folded.nothing();
        }
        checkSemantics(control.settings());
        header.settingsSource = control.source();
        if (header.settings.isPresent()
                && header.settings.get().shards() != control.settings().shards()) {
            return Folded.problem("settings name " + control.settings().shards() + " shards; there are "
                    + header.settings.get().shards() + ", for ever");
        }
        header.settings = Optional.of(control.settings());
        return Folded.nothing();
    }

    private void keep(RuleBook next, WorkingSet state) {
        if (!next.equals(book)) {
            book = next;
            state.put(new StateKey(Keys.RULE_BOOK), next);
        }
    }

    private static boolean follows(long previous, long last, long source) {
        return previous <= last && last < source;
    }

    private static void checkSemantics(ShardSettings settings) {
        if (settings.semanticsVersion() > ShardSettings.NEWEST_SEMANTICS) {
            throw new UnsupportedSemanticsException(settings.semanticsVersion());
        }
    }

    private Optional<byte[]> read(byte[] key) {
        return Optional.ofNullable(store.get(key));
    }
}
