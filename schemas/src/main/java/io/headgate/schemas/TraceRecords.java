package io.headgate.schemas;

import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.wire.DecisionTrace;
import io.headgate.schemas.wire.TraceLine;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Traces of decisions as they stand on {@code decision-trace}. */
public final class TraceRecords {

    private static final WireFormat<DecisionTrace> FORMAT = new WireFormat<>(DecisionTrace.class);

    private TraceRecords() {}

    /** The record's key: all traces of a partition key are in order. */
    public static byte[] key(Trace trace) {
        return trace.partitionKey().getBytes(StandardCharsets.UTF_8);
    }

    public static byte[] encode(Trace trace) {
        List<TraceLine> lines = new ArrayList<>(trace.lines().size());
        trace.lines()
                .forEach(line -> lines.add(new TraceLine(
                        line.ruleId(),
                        line.enforcement(),
                        line.meter(),
                        line.chargeTokens(),
                        toWire(line.limitTokens()),
                        toWire(line.beforeTokens()),
                        toWire(line.afterTokens()),
                        line.said().name(),
                        toWire(line.retryAfterMillis()))));
        return FORMAT.encode(new DecisionTrace(
                trace.id().toString(),
                trace.atMillis(),
                trace.stage().label(),
                trace.partitionKey(),
                trace.group().orElse(null),
                trace.verdict().name(),
                trace.policyVersion(),
                trace.denyingRule().orElse(null),
                trace.actions(),
                lines));
    }

    /**
     * Reads a record of {@code decision-trace}.
     *
     * @throws UnreadableRecordException if there is no trace in the bytes
     */
    public static DecisionTrace decode(byte[] bytes) {
        return FORMAT.decode(bytes);
    }

    /**
     * Reads a record of {@code decision-trace} as what it tells.
     *
     * @throws UnreadableRecordException if there is no trace in the bytes, or not one that this version knows
     */
    public static Trace read(byte[] bytes) {
        DecisionTrace wire = decode(bytes);
        try {
            return new Trace(
                    DecisionId.parse(wire.getDecisionId()),
                    wire.getLogTimeMillis(),
                    Stage.labelled(wire.getStage()),
                    wire.getPartitionKey(),
                    Optional.ofNullable(wire.getRouteGroup()),
                    Verdict.valueOf(wire.getVerdict()),
                    wire.getPolicyVersion(),
                    Optional.ofNullable(wire.getDenyingRule()),
                    wire.getActions(),
                    wire.getRules().stream().map(TraceRecords::line).toList());
        } catch (IllegalArgumentException unknown) {
            throw new UnreadableRecordException(unknown.getMessage());
        }
    }

    private static Trace.Line line(TraceLine wire) {
        return new Trace.Line(
                wire.getRuleId(),
                wire.getEnforcement(),
                wire.getMeter(),
                wire.getCharge(),
                fromWire(wire.getLimit()),
                fromWire(wire.getBefore()),
                fromWire(wire.getAfter()),
                Said.valueOf(wire.getSaid()),
                fromWire(wire.getRetryAfterMillis()));
    }

    private static OptionalLong fromWire(Long value) {
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    private static Long toWire(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
