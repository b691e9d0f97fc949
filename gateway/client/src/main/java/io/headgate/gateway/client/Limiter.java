package io.headgate.gateway.client;

import io.headgate.core.policy.Policy;
import java.util.List;
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

    /** Every version that may decide a request now, newest first; none while none is known. */
    default List<Policy> candidates() {
        return newestPolicy().stream().toList();
    }

    /**
     * What stands outside this process for the value of an attribute, or of a part of a route, that may name somebody: the
     * same for the same value, and different ones for different attributes. An empty value stays empty.
     *
     * @throws UnsupportedOperationException if this limiter has no secret to make pseudonyms with
     */
    default String pseudonym(String attribute, String value) {
        throw new UnsupportedOperationException("this limiter makes no pseudonyms");
    }
}
