package io.headgate.schemas;

import io.headgate.core.policy.InForce;
import io.headgate.schemas.policy.PolicyDocument;
import java.util.Optional;

/** Whom a reader of policies believes. */
@FunctionalInterface
public interface PolicyTrust {

    /** Everybody who can write the topic: for development and for tests. */
    PolicyTrust ANYBODY = (record, document, before, appendedAtMillis) -> Optional.empty();

    /**
     * Why a version is not believed; empty if it is.
     *
     * @param record as it stands on the topic
     * @param document what it says
     * @param before what it would follow; empty if it would be the first
     * @param appendedAtMillis when the record came to stand there
     */
    Optional<String> refusal(
            PolicyRecord record, PolicyDocument document, Optional<InForce> before, long appendedAtMillis);
}
