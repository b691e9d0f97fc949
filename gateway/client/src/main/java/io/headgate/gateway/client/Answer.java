package io.headgate.gateway.client;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What came of a question: a decision under the policy, or none. The one is never dressed up as the other.
 *
 * <p>Each stage decides by itself. The answer is that of the first stage that did not allow it, else of the last; what
 * the stages before it debited stays debited.
 */
public sealed interface Answer {

    /** Whether the request may pass. Without a decision, it may not. */
    default boolean allowed() {
        return this instanceof Decided decided && decided.decision().verdict() == Verdict.ALLOW;
    }

    /** The decisions of the stages before the one that the answer is of, in order; each is an ALLOW. */
    List<Decision> earlier();

    /** Where the decisions of the stages before stand. */
    default List<DecisionId> earlierIds() {
        return earlier().stream().map(Decision::id).toList();
    }

    /**
     * ALLOW or DENY, under a policy.
     *
     * @param stage whose decision it is
     * @param decision that decision
     */
    record Decided(Stage stage, Decision decision, List<Decision> earlier) implements Answer {

        public Decided {
            if (!decision.verdict().decided()) {
                throw new IllegalArgumentException(
                        "verdict is " + decision.verdict() + "; only ALLOW and DENY are decisions");
            }
            earlier = List.copyOf(earlier);
        }
    }

    /**
     * No decision: over HTTP 503, never 429.
     *
     * @param cause why
     * @param decision what the shard said, where it said anything: NOT_READY, EXPIRED, MISROUTED, ERROR …
     * @param detail the same for people; holds no identifier
     */
    record Unavailable(Cause cause, Optional<Decision> decision, String detail, List<Decision> earlier)
            implements Answer {

        public Unavailable {
            earlier = List.copyOf(earlier);
        }

        /** Without a word from the shard, in the first stage. */
        public static Unavailable because(Cause cause, String detail) {
            return new Unavailable(cause, Optional.empty(), detail, List.of());
        }
    }

    /** The same answer, after decisions of stages before all that it has. */
    default Answer after(List<Decision> before) {
        if (before.isEmpty()) {
            return this;
        }
        List<Decision> all = new ArrayList<>(before);
        all.addAll(earlier());
        if (this instanceof Decided decided) {
            return new Decided(decided.stage(), decided.decision(), all);
        }
        Unavailable unavailable = (Unavailable) this;
        return new Unavailable(unavailable.cause(), unavailable.decision(), unavailable.detail(), all);
    }

    /** Why there is no decision. */
    enum Cause {
        /** No answer in time. It may have been decided, and debited, all the same. */
        DEADLINE,
        /** As many calls are pending as may be. Nothing was sent. */
        OVERLOADED,
        /** Kafka refused the record for good. */
        SEND_FAILED,
        /** The shard answered, but not with ALLOW or DENY. */
        SHARD,
        /** The caller's idempotency key stands for another request already: a mistake of the caller's. Over HTTP 409. */
        CONFLICT,
        /** The client is closed. */
        CLOSED
    }
}
