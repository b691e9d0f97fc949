package io.headgate.core.shard;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Policy;
import io.headgate.core.shard.LogRecord.Attempt;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A shard as one would write it who had all the memory and time in the world: every change of a limit applied to all
 * keys at once, every answer remembered, nothing swept but callers' keys whose time is over. No cap.
 */
final class NaiveShard {

    private static final int MOST_WAITING = 16;

    private final int number;
    private final ShardSettings settings;
    private final TestPolicies policies;
    private final NaiveLedger ledger = new NaiveLedger();
    private final Map<String, List<Answered>> sessions = new TreeMap<>();
    private final Map<List<Object>, Keyed> keyed = new HashMap<>();
    private final List<Policy> waiting = new ArrayList<>();
    private Optional<NaiveVersions> versions = Optional.empty();
    private boolean caughtUp;
    private long policySource = -1;
    private long planSource = -1;
    private long actionSource = -1;

    NaiveShard(int number, ShardSettings settings, TestPolicies policies) {
        this.number = number;
        this.settings = settings;
        this.policies = policies;
    }

    /** What came of a record: the answers, and whether it was carried out in full. */
    record Outcome(List<Decision> decisions, boolean accepted) {}

    private record Answered(long sequence, long atMillis, List<Decision> decisions) {}

    private record Keyed(long untilMillis, List<Object> request, Decision decision) {}

    Outcome fold(LogRecord record) {
        ledger.timeIs(record.timestampMillis());
        boolean accepted = true;
        while (!waiting.isEmpty() && timeOf(waiting.get(0)) <= ledger.now()) {
            accepted &= enter(waiting.remove(0));
        }
        if (record.payload() instanceof LogRecord.Requests requests) {
            return new Outcome(answer(requests.attempt(), requests.commands(), record.offset()), accepted);
        }
        if (record.payload() instanceof LogRecord.Controlled controlled) {
            return new Outcome(List.of(), apply(controlled.control()) && accepted);
        }
        return new Outcome(List.of(), false);
    }

    private static long timeOf(Policy version) {
        return version.activation().effectiveAtMillis().orElse(0);
    }

    private boolean take(Policy next) {
        long newest = waiting.isEmpty()
                ? versions.map(present -> present.someones() == null ? present.everybodys() : present.someones())
                        .map(Policy::version)
                        .orElse(0L)
                : waiting.get(waiting.size() - 1).version();
        if (next.version() <= newest) {
            return false;
        }
        List<Policy> earlier =
                waiting.stream().filter(other -> timeOf(other) < timeOf(next)).toList();
        if (timeOf(next) > ledger.now()) {
            if (earlier.size() == MOST_WAITING) {
                return false;
            }
            waiting.retainAll(earlier);
            waiting.add(next);
            return true;
        }
        boolean entered = enter(next);
        if (entered) {
            waiting.clear();
        }
        return entered;
    }

    private boolean enter(Policy next) {
        Optional<NaiveVersions> after = NaiveVersions.after(versions, next);
        after.ifPresent(present -> {
            versions = after;
            ledger.apply(next, present);
        });
        return after.isPresent();
    }

    private boolean apply(Control control) {
        if (control instanceof Control.ApplyPolicy it && it.previous() <= policySource && policySource < it.source()) {
            policySource = it.source();
            return take(policies.read(it.document()));
        } else if (control instanceof Control.ApplyPlans it
                && it.previous() <= planSource
                && planSource < it.source()) {
            planSource = it.source();
            List<TenantPlan> ours =
                    it.plans().stream().filter(plan -> isOurs(plan.tenant())).toList();
            ours.forEach(ledger::apply);
            return ours.size() == it.plans().size();
        } else if (control instanceof Control.ApplyAction it
                && it.previous() <= actionSource
                && actionSource < it.source()) {
            actionSource = it.source();
            return isOurs(it.action().subject().partitionKey()) && ledger.act(it.action(), versions);
        } else if (control instanceof Control.ApplyZone it) {
            ledger.learn(it.zone().id());
        } else if (control instanceof Control.CaughtUp) {
            caughtUp = true;
        } else if (control instanceof Control.Tick) {
            keyed.values().removeIf(one -> one.untilMillis() <= ledger.now());
        }
        return true;
    }

    private boolean isOurs(String partitionKey) {
        return Partitioning.shardOf(partitionKey, settings.shards()) == number;
    }

    private List<Decision> answer(Optional<Attempt> attempt, List<Command> commands, long offset) {
        if (attempt.isEmpty()) {
            return decide(commands, offset);
        }
        long sequence = attempt.get().sequence();
        List<Answered> session = sessions.computeIfAbsent(
                attempt.get().gateway() + "/" + attempt.get().epoch(), name -> new ArrayList<>());
        if (!session.isEmpty() && sequence <= session.get(session.size() - 1).sequence()) {
            return repeat(session, sequence, commands, offset);
        }
        List<Decision> decisions = decide(commands, offset);
        session.add(new Answered(sequence, ledger.now(), decisions));
        return decisions;
    }

    private List<Decision> repeat(List<Answered> session, long sequence, List<Command> commands, long offset) {
        Answered found = null;
        for (Answered one : session) {
            if (one.sequence() % settings.attemptsPerSession() == sequence % settings.attemptsPerSession()) {
                found = one;
            }
        }
        if (found != null
                && found.sequence() == sequence
                && ledger.now() < found.atMillis() + settings.attemptRetentionMillis()) {
            return found.decisions().stream().map(NaiveShard::again).toList();
        }
        List<Decision> errors = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            errors.add(undecided(Verdict.ERROR, commands.get(i), offset, i));
        }
        return errors;
    }

    private List<Decision> decide(List<Command> commands, long offset) {
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            decisions.add(decide(commands.get(i), offset, i));
        }
        return decisions;
    }

    private Decision decide(Command command, long offset, int index) {
        if (command instanceof Command.Malformed) {
            return undecided(Verdict.ERROR, command, offset, index);
        }
        Command.Ask ask = (Command.Ask) command;
        if (versions.isEmpty() || !caughtUp) {
            return undecided(Verdict.NOT_READY, command, offset, index);
        }
        if (!isOurs(ask.admission().partitionKey())) {
            return undecided(Verdict.MISROUTED, command, offset, index);
        }
        if (ledger.now() > ask.deadlineMillis()) {
            return undecided(Verdict.EXPIRED, command, offset, index);
        }
        return ask.idempotencyKey().isEmpty() || ask.peek() ? judge(ask, offset, index) : underKey(ask, offset, index);
    }

    private Decision judge(Command.Ask ask, long offset, int index) {
        return new NaiveJudge(versions.orElseThrow().of(ask.admission()), ledger)
                .judge(ask, new DecisionId(number, offset, index))
                .orElseGet(() -> undecided(Verdict.NOT_READY, ask, offset, index));
    }

    private Decision underKey(Command.Ask ask, long offset, int index) {
        Admission asked = ask.admission();
        String partitionKey = asked.partitionKey();
        List<Object> key =
                List.of(partitionKey, asked.identity().user(), asked.identity().apiKey(), ask.idempotencyKey());
        List<Object> request =
                List.of(asked.stage(), asked.authenticated(), asked.route(), asked.attributes(), asked.costs());
        Keyed earlier = keyed.get(key);
        if (earlier != null && ledger.now() < earlier.untilMillis()) {
            return earlier.request().equals(request)
                    ? again(earlier.decision())
                    : undecided(Verdict.CONFLICT, ask, offset, index);
        }
        long remembered = keyed.keySet().stream()
                .filter(one -> one.get(0).equals(partitionKey))
                .count();
        if (earlier == null
                && remembered >= versions.orElseThrow().of(asked).idempotency().keysPerTenant()) {
            return undecided(Verdict.ERROR, ask, offset, index);
        }
        Decision decision = judge(ask, offset, index);
        if (decision.verdict() == Verdict.ALLOW) {
            long untilMillis = ledger.now()
                    + versions.orElseThrow().of(asked).idempotency().retentionMillis();
            keyed.put(key, new Keyed(untilMillis, request, decision));
        }
        return decision;
    }

    private Decision undecided(Verdict verdict, Command command, long offset, int index) {
        long version = versions.map(present ->
                        command instanceof Command.Ask ask ? present.of(ask.admission()) : present.everybodys())
                .map(Policy::version)
                .orElse(0L);
        return Decision.undecided(verdict, new DecisionId(number, offset, index), version, "");
    }

    private static Decision again(Decision decision) {
        return new Decision(
                decision.verdict(),
                decision.id(),
                decision.policyVersion(),
                decision.denyingRule(),
                decision.scope(),
                decision.limit(),
                decision.remaining(),
                decision.resetAfterMillis(),
                decision.retryAfterMillis(),
                decision.paceAfterMillis(),
                decision.shadowDenials(),
                decision.softDenials(),
                decision.actions(),
                List.of(),
                true,
                decision.reason());
    }
}
