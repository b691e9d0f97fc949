package io.headgate.gateway.client;

import io.headgate.core.decision.Admission;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A question that somebody waits for. Whoever {@linkplain #claim claims} it first answers it; there is no second. */
final class Call extends DeadlineWheel.Entry {

    /*
     * What an admission costs on the wire at most: a character takes 3 bytes of UTF-8 or fewer (4 for two of them), a
     * length 2, and flags, enums and numbers fit into what is left.
     */
    private static final int FIXED_BYTES = 320;
    private static final int BYTES_PER_CHARACTER = 3;
    private static final int BYTES_PER_LENGTH = 2;

    private final Admission admission;
    private final boolean peek;
    private final Lane lane;
    private final long startNanos;
    private final long deadlineNanos;
    private final CompletableFuture<Answer> future = new CompletableFuture<>();

    // under this object's lock
    private boolean claimed;
    private Optional<Batch> batch = Optional.empty();

    Call(Admission admission, boolean peek, Lane lane, long startNanos, long deadlineNanos) {
        this.admission = admission;
        this.peek = peek;
        this.lane = lane;
        this.startNanos = startNanos;
        this.deadlineNanos = deadlineNanos;
    }

    Admission admission() {
        return admission;
    }

    boolean peek() {
        return peek;
    }

    Lane lane() {
        return lane;
    }

    long startNanos() {
        return startNanos;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    CompletableFuture<Answer> future() {
        return future;
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
                                + admission.route().length());
        for (var attribute : admission.attributes().entrySet()) {
            size += 2 * BYTES_PER_LENGTH
                    + BYTES_PER_CHARACTER
                            * (attribute.getKey().length()
                                    + attribute.getValue().length());
        }
        return size;
    }
}
