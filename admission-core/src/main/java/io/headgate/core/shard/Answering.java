package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.UnknownZoneException;
import io.headgate.core.limit.Zones;
import io.headgate.core.policy.InForce;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.LogRecord.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The answers to one batch of commands. A batch of a session is answered once; when it comes again it gets the same
 * answers, and when they are no longer remembered, none that could debit.
 */
final class Answering {

    private final int number;
    private final long offset;
    private final ShardHeader header;
    private final Optional<InForce> inForce;
    private final RuleBook book;
    private final Zones tables;
    private final WorkingSet state;
    private final Tracer tracer;

    Answering(
            int number,
            ShardHeader header,
            Optional<InForce> inForce,
            RuleBook book,
            Zones tables,
            WorkingSet state,
            Tracer tracer) {
        this.number = number;
        this.offset = header.nextOffset - 1;
        this.header = header;
        this.inForce = inForce;
        this.book = book;
        this.tables = tables;
        this.state = state;
        this.tracer = tracer;
    }

    /** Answers a batch: anew, or as it was answered when it came first. */
    Folded answer(Requests requests) {
        if (requests.attempt().isEmpty() || header.settings.isEmpty()) {
            return decide(requests.commands());
        }
        Attempt attempt = requests.attempt().get();
        ShardSettings settings = header.settings.get();
        StateKey sessionKey = Keys.session(attempt);
        Optional<SessionEntry> session = state.get(sessionKey, SessionEntry::fromBytes);
        if (session.isPresent() && attempt.sequence() <= session.get().lastSequence()) {
            return repeat(attempt, settings, requests.commands());
        }
        if (session.isEmpty()) {
            if (header.sessions >= settings.maxSessions()) {
                return undecided(
                        requests.commands(),
                        "this shard remembers " + header.sessions + " sessions already, as many as it may");
            }
            header.sessions++;
        }
        Folded folded = decide(requests.commands());
        state.put(sessionKey, new SessionEntry(attempt.sequence(), header.logTimeMillis));
        state.put(
                Keys.attempt(attempt, settings.attemptsPerSession()),
                new AttemptEntry(attempt.sequence(), header.logTimeMillis, folded.decisions()));
        return folded;
    }

    private Folded repeat(Attempt attempt, ShardSettings settings, List<Command> commands) {
        Optional<AttemptEntry> entry = state.get(
                        Keys.attempt(attempt, settings.attemptsPerSession()), AttemptEntry::fromBytes)
                .filter(found -> found.sequence() == attempt.sequence())
                .filter(found -> !found.isGone(settings, header.logTimeMillis));
        return entry.map(found -> new Folded(
                        found.decisions().stream().map(Decision::asReplayed).toList(), List.of(), 0))
                .orElseGet(
                        () -> undecided(
                                commands,
                                "batch " + attempt.sequence()
                                        + " comes after later ones and no answer to it is remembered; it is not decided again"));
    }

    /** Answers every command ERROR, for one reason. */
    Folded undecided(List<Command> commands, String reason) {
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            decisions.add(Decision.undecided(
                    Verdict.ERROR, new DecisionId(number, offset, i), versionFor(commands.get(i)), reason));
        }
        return new Folded(decisions, List.of(), 0);
    }

    private Folded decide(List<Command> commands) {
        Buckets buckets = new Buckets(state, book, tables, offset, header.logTimeMillis);
        List<Decision> decisions = new ArrayList<>(commands.size());
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            DecisionId id = new DecisionId(number, offset, i);
            try {
                decisions.add(decide(commands.get(i), id, buckets));
                state.keep();
            } catch (StateStoreException failure) {
                throw failure;
            } catch (UnknownZoneException notYet) {
                state.forget();
                decisions.add(
                        Decision.undecided(Verdict.NOT_READY, id, versionFor(commands.get(i)), notYet.getMessage()));
            } catch (RuntimeException bug) {
                state.forget();
                decisions.add(Decision.undecided(
                        Verdict.ERROR, id, versionFor(commands.get(i)), "deciding failed; nothing was debited"));
                problems.add("command " + i + " could not be decided: " + Folded.describe(bug));
            }
        }
        return new Folded(decisions, problems, buckets.overflowed());
    }

    private Decision decide(Command command, DecisionId id, Buckets buckets) {
        if (command instanceof Command.Malformed malformed) {
            return Decision.undecided(Verdict.ERROR, id, versionFor(command), malformed.reason());
        }
        Command.Ask ask = (Command.Ask) command;
        if (header.settings.isEmpty() || inForce.isEmpty() || !header.caughtUp) {
            return Decision.undecided(
                    Verdict.NOT_READY, id, versionFor(command), "this shard does not know its policy yet");
        }
        Policy policy = policyFor(ask.admission(), inForce.get());
        int home = Partitioning.shardOf(
                ask.admission().partitionKey(), header.settings.get().shards());
        if (home != number) {
            return Decision.undecided(
                    Verdict.MISROUTED,
                    id,
                    policy.version(),
                    "the key belongs to shard " + home + " of "
                            + header.settings.get().shards() + ", not to shard " + number);
        }
        if (header.logTimeMillis > ask.deadlineMillis()) {
            return Decision.undecided(
                    Verdict.EXPIRED,
                    id,
                    policy.version(),
                    "appended " + (header.logTimeMillis - ask.deadlineMillis()) + " ms after its deadline");
        }
        Accounts accounts = new Accounts(state, offset, header.logTimeMillis);
        Deciding deciding = new Deciding(policy, accounts, buckets, tracer, header.logTimeMillis);
        if (ask.idempotencyKey().isEmpty() || ask.peek()) {
            return deciding.decide(ask, id);
        }
        return new CallersKeys(state, policy.idempotency(), header.logTimeMillis)
                .decide(ask.admission(), ask.idempotencyKey(), id, policy.version(), () -> deciding.decide(ask, id));
    }

    /** The one version that decides a request. Before authentication nobody is a tenant. */
    private static Policy policyFor(Admission admission, InForce versions) {
        String tenant = admission.stage() == Stage.TENANT ? admission.identity().tenant() : "";
        return versions.of(tenant, admission.route());
    }

    /** The version that would have decided; where that cannot be said, the one for everybody. */
    private long versionFor(Command command) {
        if (inForce.isEmpty()) {
            return 0;
        }
        return command instanceof Command.Ask ask
                ? policyFor(ask.admission(), inForce.get()).version()
                : inForce.get().base().version();
    }
}
