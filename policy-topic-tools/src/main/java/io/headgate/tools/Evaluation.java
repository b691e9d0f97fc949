package io.headgate.tools;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.ZoneNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Requests decided in the order in which they come, by one {@link OfflineShard}; a policy is judged as if it were in force
 * from the beginning and for everybody. Log time is the latest time of any request so far. Not safe for use by several
 * threads.
 */
public final class Evaluation {

    /** How many request ids are told apart. */
    public static final int MAX_REQUEST_IDS = 1_000_000;

    private static final int SHARD = 0;
    private static final int SWEEP_ENTRIES_PER_TICK = 5_000;

    /** As {@link ShardSettings#initial}, with one shard and as many attempts as possible: each is a batch of its own. */
    private static final ShardSettings SETTINGS =
            new ShardSettings(1, 1, "none", 30_000, 65_536, 16, 3_600_000, SWEEP_ENTRIES_PER_TICK);

    private final OfflineShard shard;
    private final Policy policy;
    private final int maxRequestIds;
    private final boolean explains;
    private final Map<String, Long> sequences = new HashMap<>();
    private final Set<String> suspended = new HashSet<>();

    Evaluation(PolicyDocument document) {
        this(document, List.of(), MAX_REQUEST_IDS);
    }

    Evaluation(PolicyDocument document, List<TenantPlan> plans, int maxRequestIds) {
        this(document, plans, maxRequestIds, true);
    }

    /** One that does not say what each rule said. */
    public static Evaluation unexplained(PolicyDocument document, List<TenantPlan> plans) {
        return new Evaluation(document, plans, MAX_REQUEST_IDS, false);
    }

    private Evaluation(PolicyDocument document, List<TenantPlan> plans, int maxRequestIds, boolean explains) {
        this.maxRequestIds = maxRequestIds;
        this.explains = explains;
        this.policy = OfflineShard.atOnce(document.policy());
        this.shard = new OfflineShard(SHARD, SETTINGS, policy, document.canonicalBytes());
        shard.know(ZoneNames.zones(policy));
        for (TenantPlan plan : plans) {
            shard.know(ZoneNames.zones(plan));
            if (plan.status() == TenantPlan.Status.SUSPENDED) {
                suspended.add(plan.tenant());
            }
        }
        for (int from = 0; from < plans.size(); from += Control.MAX_PLANS) {
            int to = Math.min(plans.size(), from + Control.MAX_PLANS);
            shard.control(new Control.ApplyPlans(to - 1L, from - 1L, plans.subList(from, to)));
        }
        shard.control(new Control.CaughtUp());
    }

    public Policy policy() {
        return policy;
    }

    /** How many entries the shard keeps. */
    int stateSize() {
        return shard.stateSize();
    }

    /**
     * Puts a request to the stages whose key it has and that have a rule for it, one after the other until one does not
     * allow it.
     *
     * @throws UnreadableLineException if its request id is one too many
     */
    public Answer answer(Request request) throws UnreadableLineException {
        Optional<Long> sequence = sequenceOf(request.requestId());
        shard.advance(request.timeMillis(), 1);
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
        List<Admission> ruled = new ArrayList<>(request.admissions().size());
        for (Admission admission : request.admissions()) {
            if (isRuled(admission)) {
                ruled.add(admission);
            }
        }
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
                    && CountedKey.isIn(rule, admission, group)) {
                return true;
            }
        }
        return false;
    }

    private Folded ask(Admission admission, Request request, Optional<Long> sequence) {
        Optional<Attempt> attempt = sequence.map(
                number -> new Attempt("evaluate-" + admission.stage().label(), 0, number));
        Command ask =
                new Command.Ask(admission, request.peek(), Command.NEVER, explains, request.idempotencyKey(), false);
        return shard.fold(new LogRecord.Requests(attempt, List.of(ask)));
    }
}
