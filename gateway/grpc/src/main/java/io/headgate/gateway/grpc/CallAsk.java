package io.headgate.gateway.grpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.headgate.gateway.client.Ask;
import java.util.Optional;

/** What a call asks the limiter. Called on a thread of gRPC's, so it must be quick. */
@FunctionalInterface
public interface CallAsk {

    /**
     * The question, or nothing if the call is to pass without one.
     *
     * @throws IllegalArgumentException if the call cannot be counted as it is; it is closed INVALID_ARGUMENT then
     */
    Optional<Ask> of(ServerCall<?, ?> call, Metadata headers);
}
