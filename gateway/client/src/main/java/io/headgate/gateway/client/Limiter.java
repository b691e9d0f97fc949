package io.headgate.gateway.client;

import io.headgate.core.policy.Policy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Answers questions in time, one way or the other. */
public interface Limiter {

    /**
     * Asks whether a request may pass, and debits it if so, in one stage after the other. The future always completes
     * normally, by its deadline. What depends on it must not block.
     *
     * <p>Within a stage all rules are debited or none is. A stage that has let the request pass stays debited when a later
     * one does not.
     */
    CompletableFuture<Answer> admit(Ask ask);

    /** As {@link #admit}, but debits nothing and changes nothing. */
    CompletableFuture<Answer> peek(Ask ask);

    /** Whether it makes sense to ask. */
    boolean ready();

    /** A version of the policy that answers may name, while it is remembered: what callers are told goes by it. */
    Optional<Policy> policy(long version);

    /** The newest version that is in force for anybody; empty while none is known. */
    Optional<Policy> newestPolicy();
}
