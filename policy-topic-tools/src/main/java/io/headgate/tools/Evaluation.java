package io.headgate.tools;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.ZoneTables;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.ZoneNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A shard without Kafka: the fold that decides in production, over a log that is made here, record by record, from the
 * requests and their times. Log time is the latest time of any request so far. Not safe for use by several threads.
 */
final class Evaluation {

    /** How many request ids are told apart. */
    static final int MAX_REQUEST_IDS = 1_000_000;

    private static final int SHARD = 0;
    private static final long TICK_MILLIS = 1_000;
    private static final int SWEEP_ENTRIES_PER_TICK = 5_000;

    /**
     * How many entries the sweep may look at for each request, on average. Requests that are far apart would otherwise
     * pay for a whole tick each; with 64, the state stays within a few per cent of what is alive.
     */
    private static final int SWEPT_ENTRIES_PER_REQUEST = 64;

    /** As {@link ShardSettings#initial}, with one shard and as many attempts as possible: each is a batch of its own. */
    private static final ShardSettings SETTINGS =
            new ShardSettings(1, 1, "none", 30_000, 65_536, 16, 3_600_000, SWEEP_ENTRIES_PER_TICK);

    private final MemoryStore store = new MemoryStore();
    private final Shard shard = new Shard(SHARD, store, PolicyDocument.READER);
    private final Policy policy;
    private final int maxRequestIds;
    private final Map<String, Long> sequences = new HashMap<>();
    private final Set<String> suspended = new HashSet<>();
    private final NavigableSet<String> zones = new TreeSet<>();
    private long zonesUntilMillis = Long.MIN_VALUE;
    private long nextOffset;
    private long logTimeMillis;
    private long tickedMillis;
    private int requestsSinceTick;

    Evaluation(PolicyDocument document) {
        this(document, List.of(), MAX_REQUEST_IDS);
    }

    Evaluation(PolicyDocument document, List<TenantPlan> plans, int maxRequestIds) {
        this.maxRequestIds = maxRequestIds;
        this.policy = document.policy();
        zones.addAll(ZoneNames.zones(policy));
        for (TenantPlan plan : plans) {
            zones.addAll(ZoneNames.zones(plan));
            if (plan.status() == TenantPlan.Status.SUSPENDED) {
                suspended.add(plan.tenant());
            }
        }
        control(new Control.ApplySettings(0, -1, SETTINGS));
        control(new Control.ApplyPolicy(0, -1, document.canonicalBytes()));
        for (int from = 0; from < plans.size(); from += Control.MAX_PLANS) {
            int to = Math.min(plans.size(), from + Control.MAX_PLANS);
            control(new Control.ApplyPlans(to - 1L, from - 1L, plans.subList(from, to)));
        }
        control(new Control.CaughtUp());
    }

    Policy policy() {
        return policy;
    }

    /** How many entries the shard keeps. */
    int stateSize() {
        return store.size();
    }

    /**
     * Puts a request to the stages whose key it has and that have a rule for it, one after the other until one does not
     * allow it.
     *
     * @throws UnreadableLineException if its request id is one too many
     */
    Answer answer(Request request) throws UnreadableLineException {
        Optional<Long> sequence = sequenceOf(request.requestId());
        logTimeMillis = Math.max(logTimeMillis, request.timeMillis());
        tellZonesIfDue();
        tickIfDue();
        List<Decision> decisions = new ArrayList<>(1);
        List<String> problems = new ArrayList<>(0);
        for (Admission admission : stagesOf(request)) {
            Folded folded = ask(admission, request, sequence);
            Decision decision = folded.decisions().get(0);
            decisions.add(decision);
            problems.addAll(folded.problems());
            if (decision.verdict() != Verdict.ALLOW) {
                break;
            }
        }
        return new Answer(request, policy.version(), decisions, problems);
    }

    /**
     * Where no rule speaks of a request it is allowed unasked, but for a suspended tenant: a gateway asks the last stage
     * then, which denies that.
     */
    private List<Admission> stagesOf(Request request) {
        List<Admission> ruled =
                request.admissions().stream().filter(this::isRuled).toList();
        Admission last = request.admissions().get(request.admissions().size() - 1);
        boolean denied = last.stage() == Stage.TENANT
                && suspended.contains(last.identity().tenant());
        return ruled.isEmpty() && denied ? List.of(last) : ruled;
    }

    /** The n-th id that is new gets n. */
    private Optional<Long> sequenceOf(String requestId) throws UnreadableLineException {
        if (requestId.isEmpty()) {
            return Optional.empty();
        }
        Long known = sequences.get(requestId);
        if (known == null) {
            if (sequences.size() == maxRequestIds) {
                throw new UnreadableLineException(
                        "has one requestId too many; at most " + maxRequestIds + " are told apart");
            }
            known = sequences.size() + 1L;
            sequences.put(requestId, known);
        }
        return Optional.of(known);
    }

    private boolean isRuled(Admission admission) {
        List<Rule> rules = policy.rules(admission.stage());
        if (rules.isEmpty()) {
            return false;
        }
        Optional<String> group = policy.routes().groupOf(admission.route());
        for (Rule rule : rules) {
            if (admission.cost(rule.meter()).isPresent()
                    && rule.match().accepts(admission.authenticated(), group, admission.attributes())
                    && CountedKey.of(rule, admission, group).isPresent()) {
                return true;
            }
        }
        return false;
    }

    private Folded ask(Admission admission, Request request, Optional<Long> sequence) {
        Optional<Attempt> attempt = sequence.map(
                number -> new Attempt("evaluate-" + admission.stage().label(), 0, number));
        Command ask = new Command.Ask(admission, request.peek(), Command.NEVER, true, request.idempotencyKey(), false);
        return fold(new LogRecord.Requests(attempt, List.of(ask)));
    }

    /** As in production: the tables reach far beyond log time, and are told anew before they end. */
    private void tellZonesIfDue() {
        if (zones.isEmpty() || !ZoneTables.endsSoon(zonesUntilMillis, logTimeMillis)) {
            return;
        }
        zonesUntilMillis = Long.MAX_VALUE;
        for (String name : zones) {
            Zone table = ZoneTables.around(name, logTimeMillis);
            control(new Control.ApplyZone(table));
            zonesUntilMillis = Math.min(zonesUntilMillis, table.untilMillis());
        }
    }

    private void tickIfDue() {
        requestsSinceTick++;
        int work = Math.min(store.size(), SWEEP_ENTRIES_PER_TICK);
        if (logTimeMillis - tickedMillis >= TICK_MILLIS
                && work <= (long) SWEPT_ENTRIES_PER_REQUEST * requestsSinceTick) {
            control(new Control.Tick(logTimeMillis));
            tickedMillis = logTimeMillis;
            requestsSinceTick = 0;
        }
    }

    private void control(Control control) {
        Folded folded = fold(new LogRecord.Controlled(control));
        if (!folded.problems().isEmpty()) {
            throw new IllegalStateException("the shard refuses its own control record: " + folded.problems());
        }
    }

    private Folded fold(LogRecord.Payload payload) {
        return shard.fold(new LogRecord(nextOffset++, logTimeMillis, payload));
    }
}
