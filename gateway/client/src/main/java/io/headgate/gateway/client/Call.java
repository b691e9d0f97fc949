package io.headgate.gateway.client;

import io.headgate.core.decision.Admission;
import io.headgate.core.shard.Command;
import java.util.Map;
import java.util.Optional;

/**
 * A question in one of its stages. Whoever {@linkplain #claim claims} it first answers it; there is no second.
 */
final class Call extends DeadlineWheel.Entry {

    /*
     * What an admission costs on the wire at most: a character takes 3 bytes of UTF-8 or fewer (4 for two of them), a
     * length 2, and flags, enums and numbers fit into what is left.
     */
    private static final long NOT_LET = Long.MIN_VALUE;
    private static final int FIXED_BYTES = 320;
    private static final int BYTES_PER_CHARACTER = 3;
    private static final int BYTES_PER_LENGTH = 2;
    private static final int BYTES_PER_COST = 10;

    private final Question question;
    private final Admission admission;
    private final Lane lane;

    /** Whether the shard's breaker has let it through, and waits to hear how it ends. */
    private volatile long letThroughNanos = NOT_LET;

    // under this object's lock
    private boolean claimed;
    private Optional<Batch> batch = Optional.empty();

    /** Puts a question to the stage that it is in, by the way to that stage's shard. */
    Call(Question question, Admission admission, Lane lane) {
        this.question = question;
        this.admission = admission;
        this.lane = lane;
    }

    Question question() {
        return question;
    }

    Admission admission() {
        return admission;
    }

    Lane lane() {
        return lane;
    }

    /** What goes to the shard, with the deadline in log time. */
    Command.Ask command(long deadlineMillis) {
        return question.command(admission, deadlineMillis);
    }

    void letThrough(long nowNanos) {
        letThroughNanos = nowNanos;
    }

    /** Tells the shard's breaker how it ended. */
    void ended(Answer answer, long nowNanos) {
        if (letThroughNanos != NOT_LET) {
            lane.breaker().ended(answer, nowNanos - letThroughNanos);
        }
    }

    /** Takes the right to answer it; says whether it was still to be had. */
    synchronized boolean claim() {
        boolean first = !claimed;
        claimed = true;
        return first;
    }

    /** The batch that it went out with, if any. Does not change any more once the call is claimed. */
    synchronized Optional<Batch> batch() {
        return batch;
    }

    /** Goes out with a batch, unless it is claimed already; says whether it does. */
    synchronized boolean joins(Batch joined) {
        if (!claimed) {
            batch = Optional.of(joined);
        }
        return !claimed;
    }

    /** No fewer bytes than it takes in a batch. */
    int wireSizeAtMost() {
        int size = FIXED_BYTES
                + BYTES_PER_CHARACTER
                        * (admission.identity().tenant().length()
                                + admission.route().length()
                                + question.keyLength());
        for (Map.Entry<String, String> attribute : admission.attributes().entrySet()) {
            size += 2 * BYTES_PER_LENGTH
                    + BYTES_PER_CHARACTER
                            * (attribute.getKey().length()
                                    + attribute.getValue().length());
        }
        for (String meter : admission.costs().keySet()) {
            size += BYTES_PER_COST + BYTES_PER_LENGTH + BYTES_PER_CHARACTER * meter.length();
        }
        return size;
    }
}
