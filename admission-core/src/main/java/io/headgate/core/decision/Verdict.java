package io.headgate.core.decision;

/** What came of a request. All but the first two mean that the caller's fail mode applies. */
public enum Verdict {
    /** Within policy, and debited. */
    ALLOW,
    /** Over policy; nothing was debited. */
    DENY,
    /** The shard does not know its policy yet. */
    NOT_READY,
    /** A leased rule holds nothing yet: ask again. */
    NO_GRANT_YET,
    /** It reached the log after its deadline. */
    EXPIRED,
    /** It was sent to a shard that its key does not belong to. */
    MISROUTED,
    /** An idempotency key was used again for another request. */
    CONFLICT,
    /** The request cannot be understood, or deciding it failed. */
    ERROR;

    /** Whether a policy was applied: 200 or 429, not 503. */
    public boolean decided() {
        return this == ALLOW || this == DENY;
    }
}
