package io.headgate.core.shard;

import io.headgate.core.decision.Decision;
import io.headgate.core.policy.InvalidPolicyException;
import java.util.ArrayList;
import java.util.List;

/**
 * What came of a record, besides new state.
 *
 * @param decisions one for each command, in order; empty for anything but requests
 * @param problems why the record, or commands of it, belong among the dead letters; empty when they do not
 * @param overflowed how many debits went to an overflow bucket because a rule's cap was reached
 */
public record Folded(List<Decision> decisions, List<String> problems, int overflowed) {

    public Folded {
        decisions = List.copyOf(decisions);
        problems = List.copyOf(problems);
    }

    /** What went wrong, in words that are the same on every node: no texts of the Java platform's making. */
    static String describe(RuntimeException failure) {
        boolean ours = failure instanceof IllegalStateException
                || failure instanceof IllegalArgumentException
                || failure instanceof InvalidPolicyException;
        return failure.getClass().getSimpleName() + (ours ? ": " + failure.getMessage() : "");
    }

    /** With problems that came up before. */
    Folded after(List<String> earlier) {
        if (earlier.isEmpty()) {
            return this;
        }
        List<String> all = new ArrayList<>(earlier);
        all.addAll(problems);
        return new Folded(decisions, all, overflowed);
    }

    static Folded nothing() {
        return new Folded(List.of(), List.of(), 0);
    }

    Folded with(String problem) {
        return new Folded(decisions, List.of(problem), overflowed);
    }

    static Folded problem(String reason) {
        return new Folded(List.of(), List.of(reason), 0);
    }
}
