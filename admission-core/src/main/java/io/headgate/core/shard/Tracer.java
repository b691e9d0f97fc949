package io.headgate.core.shard;

import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Rule;

/**
 * Watches decisions come about. What it does with what it sees never reaches the fold: one that throws has lost what it
 * should have seen, and the decision stands.
 */
public interface Tracer {

    /** Wants to see nothing. */
    Tracer NONE = new Tracer() {
        @Override
        public boolean wants(DecisionId id, Verdict verdict) {
            return false;
        }

        @Override
        public void take(Trace trace) {}
    };

    /** Whether it wants to see how this decision came about. */
    boolean wants(DecisionId id, Verdict verdict);

    /**
     * Sees what a rule in shadow said of a request that was decided; called for each of them, except of a peek.
     *
     * @param partitionKey whose request it was
     * @param denies whether it would have denied
     */
    default void shadow(Rule rule, String partitionKey, boolean denies) {}

    /** Takes what it wanted, or what the request itself asked for. */
    void take(Trace trace);
}
