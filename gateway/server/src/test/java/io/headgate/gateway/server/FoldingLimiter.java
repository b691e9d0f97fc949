package io.headgate.gateway.server;

import io.headgate.core.policy.Conduct;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.StaleSnapshot;
import java.util.Collections;

/** The one of the client's tests, under a policy that says nothing of how gateways conduct themselves but what it is given. */
final class FoldingLimiter extends io.headgate.gateway.client.testing.FoldingLimiter {

    FoldingLimiter() {
        this(Responses.DEFAULT);
    }

    /** Under a policy that says what callers are told. */
    FoldingLimiter(Responses responses) {
        super(new Conduct(Collections.emptySortedMap(), responses, StaleSnapshot.DEFAULT));
    }
}
