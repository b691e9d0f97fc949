package io.headgate.gateway.server.rls;

import com.google.protobuf.UInt64Value;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.headgate.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.headgate.envoy.service.ratelimit.v3.RateLimitRequest;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse;
import io.headgate.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;

/** Asks a gateway over a real channel, as Envoy does. */
final class Envoy implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 30;

    private final ManagedChannel channel;

    Envoy(int port) {
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    }

    ManagedChannel channel() {
        return channel;
    }

    RateLimitResponse ask(RateLimitRequest.Builder request) {
        return RateLimitServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .shouldRateLimit(request.build());
    }

    /** The status of a request that gets no response. */
    Status refused(RateLimitRequest.Builder request) {
        StatusRuntimeException refused =
                Assertions.catchThrowableOfType(StatusRuntimeException.class, () -> ask(request));
        Assertions.assertThat(refused).as("an error").isNotNull();
        return refused.getStatus();
    }

    static RateLimitRequest.Builder request(String domain, RateLimitDescriptor.Builder... descriptors) {
        RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain(domain);
        List.of(descriptors).forEach(request::addDescriptors);
        return request;
    }

    /** A descriptor of keys and values in turn. */
    static RateLimitDescriptor.Builder descriptor(String... keysAndValues) {
        RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            descriptor.addEntriesBuilder().setKey(keysAndValues[i]).setValue(keysAndValues[i + 1]);
        }
        return descriptor;
    }

    static RateLimitDescriptor.Builder withHits(long hits, RateLimitDescriptor.Builder descriptor) {
        return descriptor.setHitsAddend(UInt64Value.of(hits));
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            Assertions.assertThat(channel.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("the channel is closed")
                    .isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
