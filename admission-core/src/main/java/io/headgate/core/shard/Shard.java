package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.InForce;
import io.headgate.core.policy.PolicyReader;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.LogRecord.Unreadable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A shard: the left fold of its log. {@link #fold} reads nothing but the state and the record, so whoever folds the same
 * log, in one go or with restarts, in this process or another, comes to the same state and the same decisions, to the
 * byte.
 *
 * <p>Not safe for use by several threads. After an exception from {@link #fold} the object is of no more use; the state
 * in the store is, as far as the store can undo what was not committed.
 */
public final class Shard {

    private static final StateKey HEADER = new StateKey(Keys.HEADER);

    private final int number;
    private final StateStore store;
    private final EntryCache cache = new EntryCache(EntryCache.MAX_BYTES);
    private final Tracer tracer;
    private final ShardHeader header;
    private final ZoneBook zones;
    private final Succession policies;
    private RuleBook book;

    /**
     * Opens the shard as its state has it; with an empty store, a new one.
     *
     * @param number which shard it is, from 0
     * @param store its state
     * @param policies reads the policy documents that its log brings
     */
    public Shard(int number, StateStore store, PolicyReader policies) {
        this(number, store, policies, Tracer.NONE);
    }

    /** As above, with somebody who watches. */
    public Shard(int number, StateStore store, PolicyReader policies, Tracer tracer) {
        this.number = number;
        this.store = store;
        this.tracer = tracer;
        this.header = read(Keys.HEADER).map(ShardHeader::fromBytes).orElseGet(ShardHeader::new);
        this.policies = Succession.of(store, policies);
        this.book = read(Keys.RULE_BOOK).map(RuleBook::fromBytes).orElse(RuleBook.EMPTY);
        this.zones = ZoneBook.of(store);
        header.settings.ifPresent(Shard::checkSemantics);
    }

    public ShardView view() {
        return new ShardView(
                header.nextOffset,
                header.logTimeMillis,
                header.settings,
                header.settingsSource,
                header.policySource,
                header.planSource,
                header.actionSource,
                zones.until(),
                policies.baseVersion(),
                policies.rolledOutVersion(),
                policies.pendingVersion(),
                header.caughtUp,
                header.losses);
    }

    /** What the shard knows of a partition key at its log time. Changes nothing. */
    public Account account(String partitionKey) {
        AccountEntry entry = accounts(new WorkingSet(store, cache)).of(partitionKey);
        return new Account(
                partitionKey,
                entry.plan(),
                entry.terms().plan(),
                entry.terms().unlimited(),
                entry.terms().zone(),
                overridesInForce(partitionKey, entry.terms()),
                entry.actions());
    }

    private SortedMap<String, Limit> overridesInForce(String partitionKey, Terms terms) {
        SortedMap<String, Limit> inForce = new TreeMap<>();
        terms.overrides()
                .forEach((ruleId, limits) -> limitOfRule(ruleId, partitionKey)
                        .flatMap(ofRule -> limits.stream()
                                .filter(own -> Terms.applies(own, ofRule))
                                .findFirst())
                        .ifPresent(own -> inForce.put(ruleId, own)));
        return inForce;
    }

    /** A rule's own limit under the version that is in force for a partition key, or was when it had the rule last. */
    private Optional<Limit> limitOfRule(String ruleId, String partitionKey) {
        List<Era> line = book.of(ruleId) == null ? List.of() : book.of(ruleId).lineOf(partitionKey);
        return line.isEmpty()
                ? Optional.empty()
                : Optional.of(line.get(line.size() - 1).limit());
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
        WorkingSet state = new WorkingSet(store, cache);
        List<String> refused = policies.isDue(header.logTimeMillis) ? applyDue(state) : List.of();
        Folded folded = tryToFold(record, state).after(refused);
        state.put(HEADER, header.copy());
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
                    ? answering(state).undecided(requests.commands(), problem).with(problem)
                    : Folded.problem(problem);
        }
    }

    private Folded fold(LogRecord record, WorkingSet state) {
        if (record.payload() instanceof Requests requests) {
            return answering(state).answer(requests);
        }
        if (record.payload() instanceof Controlled controlled) {
            return apply(controlled.control(), state);
        }
        return Folded.problem(((Unreadable) record.payload()).reason());
    }

    private Answering answering(WorkingSet state) {
        return new Answering(number, header, policies.inForce(), book, zones, state, tracer);
    }

    private Accounts accounts(WorkingSet state) {
        return new Accounts(state, offset(), header.logTimeMillis);
    }

    /** Of the record that is being folded. */
    private long offset() {
        return header.nextOffset - 1;
    }

    private Folded apply(Control control, WorkingSet state) {
        if (control instanceof Control.ApplyPolicy it) {
            return apply(it, state);
        }
        if (control instanceof Control.ApplySettings it) {
            return apply(it);
        }
        if (control instanceof Control.ApplyPlans it) {
            return apply(it, state);
        }
        if (control instanceof Control.ApplyAction it) {
            return apply(it, state);
        }
        if (control instanceof Control.ApplyZone it) {
            return zones.take(it.zone(), state).map(Folded::problem).orElseGet(Folded::nothing);
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
        Sweep.Swept swept = Sweep.step(
                new Sweep.Ground(header, header.settings.get(), store, state, zones, policies.inForce()), book);
        keep(swept.book(), state);
        return new Folded(List.of(), swept.problems(), 0);
    }

    private Folded apply(Control.ApplyPolicy control, WorkingSet state) {
        if (!follows(control.previous(), header.policySource, control.source())) {
            return Folded.nothing();
        }
        header.policySource = control.source();
        try {
            Succession.Version next = policies.read(control.document());
            Optional<String> late = policies.isLate(next);
            if (late.isPresent()) {
                return Folded.problem(late.get());
            }
            if (next.isDue(header.logTimeMillis)) {
                enter(next, state);
            } else {
                policies.postpone(next, state);
            }
            return Folded.nothing();
        } catch (StateStoreException failure) {
            throw failure;
        } catch (RuntimeException refused) {
            return Folded.problem("policy at offset " + control.source() + " is refused: " + Folded.describe(refused));
        }
    }

    /** Puts the versions in force whose time has come, before the record that it comes with. Says which cannot be. */
    private List<String> applyDue(WorkingSet state) {
        List<String> problems = new ArrayList<>();
        while (policies.isDue(header.logTimeMillis)) {
            Succession.Version next = policies.takeDue(state);
            try {
                enter(next, state);
            } catch (StateStoreException failure) {
                throw failure;
            } catch (RuntimeException refused) {
                problems.add("policy version " + next.policy().version() + ", whose time has come, is refused: "
                        + Folded.describe(refused));
            }
        }
        state.keep();
        return problems;
    }

    private void enter(Succession.Version next, WorkingSet state) {
        InForce after = policies.with(next);
        RuleBook nextBook = book.under(new PolicyChange(policies.inForce(), after, offset(), header.logTimeMillis));
        if (book.differsInShadow(nextBook)) {
            // A rule has changed from one sweep to the other: only a whole round says that all of it was seen.
            header.enforcedRound = header.enforcedRound.begunAnew(offset());
            header.shadowRound = header.shadowRound.begunAnew(offset());
        }
        keep(nextBook, state);
        policies.enter(next, after, state);
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

    private Folded apply(Control.ApplyPlans control, WorkingSet state) {
        if (!follows(control.previous(), header.planSource, control.source())) {
            return Folded.nothing();
        }
        header.planSource = control.source();
        Accounts accounts = accounts(state);
        List<String> problems = new ArrayList<>();
        for (TenantPlan plan : control.plans()) {
            tryToApply(plan, accounts, state)
                    .ifPresent(why -> problems.add("plan of tenant '" + plan.tenant() + "' is refused: " + why));
        }
        return new Folded(List.of(), problems, 0);
    }

    /** A plan that cannot be applied takes none of its neighbours with it. */
    private Optional<String> tryToApply(TenantPlan plan, Accounts accounts, WorkingSet state) {
        try {
            Optional<String> elsewhere = elsewhere(plan.tenant());
            if (elsewhere.isEmpty()) {
                accounts.apply(plan);
                state.keep();
            }
            return elsewhere;
        } catch (StateStoreException failure) {
            throw failure;
        } catch (RuntimeException bug) {
            state.forget();
            return Optional.of(Folded.describe(bug));
        }
    }

    private Folded apply(Control.ApplyAction control, WorkingSet state) {
        if (!follows(control.previous(), header.actionSource, control.source())) {
            return Folded.nothing();
        }
        header.actionSource = control.source();
        Action action = control.action();
        Optional<String> refusal = elsewhere(action.subject().partitionKey());
        if (refusal.isEmpty()) {
            refusal = acting(state).act(action);
        }
        return refusal.map(why -> Folded.problem("action " + action.id() + " is refused: " + why))
                .orElseGet(Folded::nothing);
    }

    private Acting acting(WorkingSet state) {
        Buckets buckets = new Buckets(state, book, zones, offset(), header.logTimeMillis);
        return new Acting(policies.inForce(), accounts(state), buckets, offset(), header.logTimeMillis);
    }

    private Optional<String> elsewhere(String partitionKey) {
        if (header.settings.isEmpty()) {
            return Optional.of("this shard has no settings yet");
        }
        int shards = header.settings.get().shards();
        int home = Partitioning.shardOf(partitionKey, shards);
        return home == number
                ? Optional.empty()
                : Optional.of("it belongs to shard " + home + " of " + shards + ", not to shard " + number);
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
