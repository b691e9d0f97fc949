package io.headgate.gateway.server.rls;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.headgate.core.policy.Policy;
import io.headgate.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.headgate.envoy.service.ratelimit.v3.RateLimitRequest;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.headgate.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.server.rls.RlsMeters.Outcome;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Envoy's rate limit service (envoy.service.ratelimit.v3), answered as envoyproxy/ratelimit does except where docs/envoy.md
 * says so. No thread waits for an answer.
 */
final class RateLimitService extends RateLimitServiceGrpc.RateLimitServiceImplBase {

    private static final Logger LOG = LoggerFactory.getLogger(RateLimitService.class);

    /** Of the time that a call has, so many fifths are the limiter's; the rest is for the way there and back. */
    private static final long FIFTHS = 4;

    private final Limiter limiter;
    private final long deadlineMillis;
    private final DescriptorReader reader;
    private final AllOrNothing asking;
    private final RateLimitReply reply;
    private final RlsMeters meters;
    private volatile NamedValues named = new NamedValues(List.of());

    RateLimitService(Limiter limiter, Feedback feedback, RlsSettings settings, MeterRegistry registry) {
        this.limiter = limiter;
        this.deadlineMillis = settings.deadlineMillis();
        this.meters = new RlsMeters(registry);
        this.reader = new DescriptorReader(limiter, settings.fields());
        this.asking = new AllOrNothing(limiter, System::nanoTime, meters::leftCharged);
        this.reply = new RateLimitReply(limiter, feedback);
    }

    @Override
    public void shouldRateLimit(RateLimitRequest request, StreamObserver<RateLimitResponse> observer) {
        // Who hung up gets no answer; without a handler that would be an error.
        ((ServerCallStreamObserver<RateLimitResponse>) observer).setOnCancelHandler(() -> {});
        CompletableFuture<RateLimitResponse> response;
        try {
            response = answer(request, deadline(ServiceRequestContext.current().requestTimeoutMillis()));
        } catch (RuntimeException refused) {
            response = CompletableFuture.failedFuture(refused);
        }
        var unused = response.whenComplete((given, failed) -> {
            if (failed == null) {
                meters.answered(given.getOverallCode() == Code.OK ? Outcome.OK : Outcome.OVER_LIMIT);
                observer.onNext(given);
                observer.onCompleted();
            } else {
                Status status = statusOf(failed);
                meters.answered(Outcome.of(status));
                observer.onError(status.asRuntimeException());
            }
        });
    }

    private CompletableFuture<RateLimitResponse> answer(RateLimitRequest request, long millis) {
        NamedValues current = named();
        List<DescriptorQuestion> questions = reader.read(request, current);
        request.getDescriptorsList().stream()
                .filter(RateLimitDescriptor::hasLimit)
                .forEach(descriptor -> meters.overrideIgnored());
        return asking.ask(questions, millis).thenApply(answers -> {
            RateLimitResponse response = reply.of(questions, answers);
            if (!current.hasDomain(request.getDomain())
                    && response.getStatusesList().stream().noneMatch(DescriptorStatus::hasCurrentLimit)) {
                meters.unknownDomain();
            }
            return response;
        });
    }

    /** No timeout is 0. */
    private long deadline(long timeoutMillis) {
        return timeoutMillis == 0
                ? deadlineMillis
                : Math.max(1, Math.min(deadlineMillis, timeoutMillis * FIFTHS / (FIFTHS + 1)));
    }

    private NamedValues named() {
        List<Policy> policies = limiter.candidates();
        if (policies.isEmpty()) {
            throw Status.UNAVAILABLE.withDescription("no policy is known yet").asRuntimeException();
        }
        NamedValues known = named;
        if (!known.areOf(policies)) {
            known = new NamedValues(policies);
            named = known;
        }
        return known;
    }

    private static Status statusOf(Throwable failed) {
        Throwable cause = failed instanceof CompletionException ? failed.getCause() : failed;
        if (cause instanceof StatusRuntimeException refused) {
            return refused.getStatus();
        }
        LOG.error("a request could not be served", cause);
        return Status.INTERNAL.withDescription("the request could not be served");
    }
}
