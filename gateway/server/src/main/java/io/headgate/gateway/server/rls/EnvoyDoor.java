package io.headgate.gateway.server.rls;

import com.linecorp.armeria.server.grpc.GrpcService;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import io.headgate.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** What is served over gRPC: Envoy's rate limit service, the health service, and reflection. */
public final class EnvoyDoor {

    /** The longest request, in bytes: half of what the port takes of any request, so that this limit speaks in gRPC. */
    static final int MAX_MESSAGE_LENGTH = 32 * 1024;

    private EnvoyDoor() {}

    /**
     * The services.
     *
     * @param limiter answers the questions
     * @param feedback says what callers are told
     * @param settings how descriptors are asked
     * @param registry counts
     * @param ready whether it makes sense to send requests
     * @param closing whether the server is about to close
     */
    public static GrpcService open(
            Limiter limiter,
            Feedback feedback,
            RlsSettings settings,
            MeterRegistry registry,
            BooleanSupplier ready,
            BooleanSupplier closing) {
        return GrpcService.builder()
                .addService(new RateLimitService(limiter, feedback, settings, registry))
                .addService(new GrpcHealth(Set.of("", RateLimitServiceGrpc.SERVICE_NAME), ready, closing))
                .addService(ProtoReflectionServiceV1.newInstance())
                .maxRequestMessageLength(MAX_MESSAGE_LENGTH)
                .build();
    }
}
