package io.headgate.processor;

import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.Tracer;
import java.util.function.Consumer;

/**
 * Picks the decisions of one shard that are traced: denials as long as the process has not had its fill of them in this
 * second, one admitted request in so many, and what requests ask for up to a bound of its own. Which admitted ones
 * follows from the decision's id, so a shard that is folded again traces the same. For one thread.
 */
final class SamplingTracer implements Tracer {

    private final PerSecond denials;
    private final int allowsOneIn;
    private final PerSecond requested;
    private final ProcessorMetrics metrics;
    private final Consumer<Trace> outbox;

    private boolean picked;

    /**
     * A tracer of one shard.
     *
     * @param denials shared by all shards of the process, as is {@code requested}
     * @param allowsOneIn 0 for none
     */
    SamplingTracer(
            PerSecond denials, int allowsOneIn, PerSecond requested, ProcessorMetrics metrics, Consumer<Trace> outbox) {
        this.denials = denials;
        this.allowsOneIn = allowsOneIn;
        this.requested = requested;
        this.metrics = metrics;
        this.outbox = outbox;
    }

    @Override
    public boolean wants(DecisionId id, Verdict verdict) {
        picked = verdict == Verdict.DENY ? wantsDenial() : isSampled(id);
        return picked;
    }

    private boolean wantsDenial() {
        boolean passed = denials.tryPass();
        if (!passed) {
            metrics.traceDropped("cap");
        }
        return passed;
    }

    private boolean isSampled(DecisionId id) {
        return allowsOneIn > 0 && Long.remainderUnsigned(mixed(id), allowsOneIn) == 0;
    }

    /** Spreads ids that follow each other over all numbers (the finalizer of MurmurHash3). */
    private static long mixed(DecisionId id) {
        long mixed = (id.offset() * 31 + id.index()) * 10_007 + id.shard();
        mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }

    @Override
    public void shadow(Rule rule, String partitionKey, boolean denies) {
        metrics.shadow().see(rule, partitionKey, denies);
    }

    /** What was not picked was asked for by the request itself. */
    @Override
    public void take(Trace trace) {
        boolean askedFor = !picked;
        picked = false;
        if (askedFor && !requested.tryPass()) {
            metrics.traceDropped("cap");
        } else {
            outbox.accept(trace);
        }
    }
}
