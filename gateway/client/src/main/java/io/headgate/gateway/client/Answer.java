package io.headgate.gateway.client;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What came of a question: a decision under the policy, none, or what the policy says of a request that nobody decides. The
 * one is never dressed up as the other.
 *
 * <p>Each stage decides by itself. The answer is that of the first stage that did not allow it, else of the last; what
 * the stages before it debited stays debited.
 */
public sealed interface Answer {

    /** Whether the request may pass. Without a decision, it may only where the policy says so. */
    default boolean allowed() {
        if (this instanceof Decided decided) {
            return decided.decision().verdict() == Verdict.ALLOW;
        }
        return this instanceof Fallback fallback && fallback.admitted();
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
     * @param source how it came about
     */
    record Decided(Stage stage, Decision decision, Source source, List<Decision> earlier) implements Answer {

        public Decided {
            if (!decision.verdict().decided()) {
                throw new IllegalArgumentException(
                        "verdict is " + decision.verdict() + "; only ALLOW and DENY are decisions");
            }
            earlier = List.copyOf(earlier);
        }

        /** Of a shard, in the first stage that was asked. */
        public static Decided byShard(Stage stage, Decision decision) {
            return new Decided(stage, decision, Source.AUTHORITY, List.of());
        }
    }

    /** How a decision came about. */
    enum Source {
        /** The shard was asked: the one authority. */
        AUTHORITY,
        /** Spent from what the shard has leased to this client. */
        LEASE,
        /** The shard's denial of a request like it, a moment ago, repeated. */
        DENIAL_CACHE
    }

    /**
     * No decision, and the request does not pass: over HTTP 503, never 429.
     *
     * @param cause why
     * @param decision what the shard said, where it said anything: NOT_READY, EXPIRED, MISROUTED, ERROR …
     * @param detail the same for people; holds no identifier
     * @param retryAfterMillis when the policy advises to come back; empty where it says nothing
     */
    record Unavailable(
            Cause cause,
            Optional<Decision> decision,
            String detail,
            OptionalLong retryAfterMillis,
            List<Decision> earlier)
            implements Answer {

        public Unavailable {
            earlier = List.copyOf(earlier);
        }

        /** Without a word from the shard, in the first stage. */
        public static Unavailable because(Cause cause, String detail) {
            return new Unavailable(cause, Optional.empty(), detail, OptionalLong.empty(), List.of());
        }
    }

    /**
     * No shard decided, and the policy says what becomes of the request then; or it is exempt, and no shard was to be
     * asked. It may pass, or is over the bound that this client keeps: over HTTP 200 or 429.
     *
     * @param mode what the policy says
     * @param admitted whether it may pass
     * @param id names it in what this client reports; it is no place in a log
     * @param policyVersion the version that says so
     * @param rule whose bound it is over; empty where it may pass, and on an exempt route
     * @param retryAfterMillis when it would fit again if nobody else spends; empty where it may pass
     * @param because why no shard decided; empty on an exempt route
     */
    record Fallback(
            Mode mode,
            boolean admitted,
            String id,
            long policyVersion,
            Optional<String> rule,
            OptionalLong retryAfterMillis,
            Optional<Unavailable> because,
            List<Decision> earlier)
            implements Answer {

        public Fallback {
            earlier = List.copyOf(earlier);
        }

        /** What a policy may say. */
        public enum Mode {
            OPEN,
            LOCAL_BOUNDED,
            EXEMPT
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
            return new Decided(decided.stage(), decided.decision(), decided.source(), all);
        }
        if (this instanceof Fallback fallback) {
            return new Fallback(
                    fallback.mode(),
                    fallback.admitted(),
                    fallback.id(),
                    fallback.policyVersion(),
                    fallback.rule(),
                    fallback.retryAfterMillis(),
                    fallback.because(),
                    all);
        }
        Unavailable unavailable = (Unavailable) this;
        return new Unavailable(
                unavailable.cause(), unavailable.decision(), unavailable.detail(), unavailable.retryAfterMillis(), all);
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
        /** After too many failures nobody is asked for a moment. Nothing was sent. */
        BREAKER,
        /** The policy is older than it says that one may be acted upon. Nothing was sent. */
        STALE_POLICY,
        /** The client is closed. */
        CLOSED
    }
}
