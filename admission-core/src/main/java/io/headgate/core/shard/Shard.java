package io.headgate.core.shard;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.PolicyReader;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.LogRecord.Unreadable;
import java.util.ArrayList;
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
                    ? undecided(requests.commands(), record.offset(), problem).with(problem)
                    : Folded.problem(problem);
        }
    }

    private Folded fold(LogRecord record, WorkingSet state) {
        if (record.payload() instanceof Requests requests) {
            return answer(requests, record.offset(), state);
        }
        if (record.payload() instanceof Controlled controlled) {
            return apply(controlled.control(), state);
        }
        return Folded.problem(((Unreadable) record.payload()).reason());
    }

    // ---- requests

    private Folded answer(Requests requests, long offset, WorkingSet state) {
        if (requests.attempt().isEmpty() || header.settings.isEmpty()) {
            return decide(requests.commands(), offset, state);
        }
        Attempt attempt = requests.attempt().get();
        ShardSettings settings = header.settings.get();
        StateKey sessionKey = Keys.session(attempt);
        Optional<SessionEntry> session = state.get(sessionKey, SessionEntry.class, SessionEntry::fromBytes);
        if (session.isPresent() && attempt.sequence() <= session.get().lastSequence()) {
            return repeat(attempt, settings, requests.commands(), offset, state);
        }
        if (session.isEmpty()) {
            if (header.sessions >= settings.maxSessions()) {
                return undecided(
                        requests.commands(),
                        offset,
                        "this shard remembers " + header.sessions + " sessions already, as many as it may");
            }
            header.sessions++;
        }
        Folded folded = decide(requests.commands(), offset, state);
        state.put(sessionKey, new SessionEntry(attempt.sequence(), header.logTimeMillis));
        state.put(
                Keys.attempt(attempt, settings.attemptsPerSession()),
                new AttemptEntry(attempt.sequence(), header.logTimeMillis, folded.decisions()));
        return folded;
    }

    private Folded repeat(
            Attempt attempt, ShardSettings settings, List<Command> commands, long offset, WorkingSet state) {
        Optional<AttemptEntry> entry = state.get(
                        Keys.attempt(attempt, settings.attemptsPerSession()),
                        AttemptEntry.class,
                        AttemptEntry::fromBytes)
                .filter(found -> found.sequence() == attempt.sequence())
                .filter(found -> !found.isGone(settings, header.logTimeMillis));
        return entry.map(found -> new Folded(
                        found.decisions().stream().map(Decision::asReplayed).toList(), List.of(), 0))
                .orElseGet(
                        () -> undecided(
                                commands,
                                offset,
                                "batch " + attempt.sequence()
                                        + " comes after later ones and no answer to it is remembered; it is not decided again"));
    }

    private Folded undecided(List<Command> commands, long offset, String reason) {
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            decisions.add(
                    Decision.undecided(Verdict.ERROR, new DecisionId(number, offset, i), policyVersion(), reason));
        }
        return new Folded(decisions, List.of(), 0);
    }

    private Folded decide(List<Command> commands, long offset, WorkingSet state) {
        Buckets buckets = new Buckets(
                state, book, policy.map(Policy::bucketsPerRuleAndShard).orElse(0L), header.logTimeMillis);
        List<Decision> decisions = new ArrayList<>(commands.size());
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            DecisionId id = new DecisionId(number, offset, i);
            try {
                decisions.add(decide(commands.get(i), id, buckets));
                state.keep();
            } catch (StateStoreException failure) {
                throw failure;
            } catch (RuntimeException bug) {
                state.forget();
                decisions.add(
                        Decision.undecided(Verdict.ERROR, id, policyVersion(), "deciding failed; nothing was debited"));
                problems.add("command " + i + " could not be decided: " + Folded.describe(bug));
            }
        }
        return new Folded(decisions, problems, buckets.overflowed());
    }

    private Decision decide(Command command, DecisionId id, Buckets buckets) {
        if (command instanceof Command.Malformed malformed) {
            return Decision.undecided(Verdict.ERROR, id, policyVersion(), malformed.reason());
        }
        Command.Ask ask = (Command.Ask) command;
        if (header.settings.isEmpty() || policy.isEmpty() || !header.caughtUp) {
            return Decision.undecided(
                    Verdict.NOT_READY, id, policyVersion(), "this shard does not know its policy yet");
        }
        int home = Partitioning.shardOf(
                ask.admission().partitionKey(), header.settings.get().shards());
        if (home != number) {
            return Decision.undecided(
                    Verdict.MISROUTED,
                    id,
                    policyVersion(),
                    "the key belongs to shard " + home + " of "
                            + header.settings.get().shards() + ", not to shard " + number);
        }
        if (header.logTimeMillis > ask.deadlineMillis()) {
            return Decision.undecided(
                    Verdict.EXPIRED,
                    id,
                    policyVersion(),
                    "appended " + (header.logTimeMillis - ask.deadlineMillis()) + " ms after its deadline");
        }
        return new Deciding(policy.get(), buckets, header.logTimeMillis).decide(ask, id);
    }

    private long policyVersion() {
        return policy.map(Policy::version).orElse(0L);
    }

    // ---- control

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
