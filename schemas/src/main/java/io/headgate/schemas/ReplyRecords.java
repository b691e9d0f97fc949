package io.headgate.schemas;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Scope;
import io.headgate.schemas.wire.DecisionRecord;
import io.headgate.schemas.wire.ReplyBatch;
import io.headgate.schemas.wire.RuleOutcomeRecord;
import io.headgate.schemas.wire.SaidName;
import io.headgate.schemas.wire.VerdictName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Replies as they stand on {@code admission-replies}. */
public final class ReplyRecords {

    private static final WireFormat<ReplyBatch> FORMAT = new WireFormat<>(ReplyBatch.class);

    private ReplyRecords() {}

    public static byte[] encode(Reply reply) {
        List<DecisionRecord> decisions = new ArrayList<>(reply.decisions().size());
        reply.decisions().forEach(decision -> decisions.add(toWire(decision)));
        return FORMAT.encode(new ReplyBatch(reply.shard(), reply.logTimeMillis(), reply.problem(), decisions));
    }

    /**
     * Reads a reply. A verdict that this version does not know is an ERROR: the caller's fail mode applies.
     *
     * @throws UnreadableRecordException if there is no reply in the bytes
     */
    public static Reply decode(byte[] bytes) {
        ReplyBatch batch = FORMAT.decode(bytes);
        List<Decision> decisions = new ArrayList<>(batch.getDecisions().size());
        try {
            batch.getDecisions().forEach(decision -> decisions.add(fromWire(decision)));
        } catch (IllegalArgumentException outOfRange) {
            throw new UnreadableRecordException(outOfRange.getMessage());
        }
        return new Reply(batch.getShard(), batch.getLogTimeMillis(), batch.getProblem(), decisions);
    }

    private static DecisionRecord toWire(Decision decision) {
        List<RuleOutcomeRecord> rules = new ArrayList<>(decision.rules().size());
        decision.rules()
                .forEach(rule -> rules.add(new RuleOutcomeRecord(
                        rule.ruleId(), SaidName.valueOf(rule.said().name()), toWire(rule.remaining()))));
        return new DecisionRecord(
                VerdictName.valueOf(decision.verdict().name()),
                decision.id().toString(),
                decision.policyVersion(),
                decision.denyingRule().orElse(null),
                decision.scope().map(Scope::label).orElse(null),
                toWire(decision.limit()),
                toWire(decision.remaining()),
                toWire(decision.resetAfterMillis()),
                toWire(decision.retryAfterMillis()),
                toWire(decision.paceAfterMillis()),
                decision.shadowDenials(),
                decision.softDenials(),
                decision.actions(),
                rules,
                decision.replayed(),
                decision.reason());
    }

    private static Decision fromWire(DecisionRecord decision) {
        List<RuleOutcome> rules = new ArrayList<>(decision.getRules().size());
        for (RuleOutcomeRecord rule : decision.getRules()) {
            if (rule.getSaid() != SaidName.UNKNOWN) {
                rules.add(new RuleOutcome(
                        rule.getRuleId(),
                        RuleOutcome.Said.valueOf(rule.getSaid().name()),
                        fromWire(rule.getRemaining())));
            }
        }
        return new Decision(
                decision.getVerdict() == VerdictName.UNKNOWN
                        ? Verdict.ERROR
                        : Verdict.valueOf(decision.getVerdict().name()),
                DecisionId.parse(decision.getDecisionId()),
                decision.getPolicyVersion(),
                Optional.ofNullable(decision.getDenyingRule()),
                Optional.ofNullable(decision.getScope()).map(Scope::labelled),
                fromWire(decision.getLimit()),
                fromWire(decision.getRemaining()),
                fromWire(decision.getResetAfterMillis()),
                fromWire(decision.getRetryAfterMillis()),
                fromWire(decision.getPaceAfterMillis()),
                decision.getShadowDenials(),
                decision.getSoftDenials(),
                decision.getActions(),
                rules,
                decision.getReplayed(),
                decision.getReason());
    }

    private static Long toWire(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }

    private static OptionalLong fromWire(Long value) {
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
