package io.headgate.core.shard;

import io.headgate.core.decision.Admission;

/** One thing that a gateway asks of a shard. */
public sealed interface Command {

    /** No deadline. */
    long NEVER = Long.MAX_VALUE;

    /** The longest caller's key, in characters. */
    int MAX_KEY_LENGTH = 256;

    /**
     * Asks for a decision.
     *
     * @param admission what is asked
     * @param peek decide only: no rule's state changes, not even its refill time; otherwise debit if every enforced rule
     *     permits
     * @param deadlineMillis log time after which nobody waits for the answer, or {@link #NEVER}
     * @param explain whether the decision lists what each rule said
     * @param idempotencyKey the caller's own name for the request, 1 to {@value #MAX_KEY_LENGTH} characters: admitted
     *     once, it is not debited again while the shard remembers it; empty for none
     * @param trace whether the decision is traced, whatever is sampled
     */
    record Ask(
            Admission admission,
            boolean peek,
            long deadlineMillis,
            boolean explain,
            String idempotencyKey,
            boolean trace)
            implements Command {

        public Ask {
            if (idempotencyKey.length() > MAX_KEY_LENGTH) {
                throw new IllegalArgumentException("idempotencyKey has " + idempotencyKey.length()
                        + " characters; at most " + MAX_KEY_LENGTH + " are allowed");
            }
        }

        /** Without a key, and traced only by chance. */
        public Ask(Admission admission, boolean peek, long deadlineMillis, boolean explain) {
            this(admission, peek, deadlineMillis, explain, "", false);
        }
    }

    /** Something that stood where a command should be. It is answered ERROR. */
    record Malformed(String reason) implements Command {}
}
