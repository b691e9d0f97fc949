package io.headgate.gateway.server;

import io.headgate.core.policy.Responses;

/** The one of the client's tests. */
final class FoldingLimiter extends io.headgate.gateway.client.testing.FoldingLimiter {

    FoldingLimiter() {
        super();
    }

    /** Under a policy that says what callers are told. */
    FoldingLimiter(Responses responses) {
        super(responses);
    }
}
