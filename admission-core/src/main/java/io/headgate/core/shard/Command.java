package io.headgate.core.shard;

import io.headgate.core.decision.Admission;

/** One thing that a gateway asks of a shard. */
public sealed interface Command {

    /** No deadline. */
    long NEVER = Long.MAX_VALUE;

    /**
     * Asks for a decision.
     *
     * @param admission what is asked
     * @param peek decide only: no rule's state changes, not even its refill time; otherwise debit if every enforced rule
     *     permits
     * @param deadlineMillis log time after which nobody waits for the answer, or {@link #NEVER}
     * @param explain whether the decision lists what each rule said
     */
    record Ask(Admission admission, boolean peek, long deadlineMillis, boolean explain) implements Command {}

    /** Something that stood where a command should be. It is answered ERROR. */
    record Malformed(String reason) implements Command {}
}
