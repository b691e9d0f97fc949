package io.headgate.gateway.client;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import java.util.Optional;

/** What came of a question: a decision under the policy, or none. The one is never dressed up as the other. */
public sealed interface Answer {

    /** Whether the request may pass. Without a decision, it may not. */
    default boolean allowed() {
        return this instanceof Decided decided && decided.decision().verdict() == Verdict.ALLOW;
    }

    /** ALLOW or DENY, under a policy. */
    record Decided(Decision decision) implements Answer {

        public Decided {
            if (!decision.verdict().decided()) {
                throw new IllegalArgumentException(
                        "verdict is " + decision.verdict() + "; only ALLOW and DENY are decisions");
            }
        }
    }

    /**
     * No decision: over HTTP 503, never 429.
     *
     * @param cause why
     * @param decision what the shard said, where it said anything: NOT_READY, EXPIRED, MISROUTED, ERROR …
     * @param detail the same for people; holds no identifier
     */
    record Unavailable(Cause cause, Optional<Decision> decision, String detail) implements Answer {

        /** Without a word from the shard. */
        public static Unavailable because(Cause cause, String detail) {
            return new Unavailable(cause, Optional.empty(), detail);
        }
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
        /** The client is closed. */
        CLOSED
    }
}
