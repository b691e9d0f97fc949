package io.headgate.schemas;

import io.headgate.core.decision.Trace;
import io.headgate.schemas.wire.DecisionTrace;
import io.headgate.schemas.wire.TraceLine;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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

    private static Long toWire(OptionalLong value) {
        return value.isPresent() ? value.getAsLong() : null;
    }
}
