package io.headgate.gateway.server;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.feedback.HttpProblem;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The requests that may be under way at a time, from the end of their headers to the end of their answers. One more, or one
 * after the {@linkplain #close close}, is answered 503 before a byte of its body is looked at: the answer has been made
 * beforehand.
 */
final class Places implements DecoratingHttpServiceFunction {

    private final int most;
    private final AggregatedHttpResponse full;
    private final AggregatedHttpResponse closed;
    private final AtomicInteger taken = new AtomicInteger();
    private final Counter shed;
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private volatile boolean closing;

    Places(int most, long retryAfterSeconds, MeterRegistry registry) {
        this.most = most;
        this.full =
                refusal(Cause.OVERLOADED, "this gateway has as many requests under way as it may", retryAfterSeconds);
        this.closed = refusal(Cause.CLOSED, "this gateway is stopping", retryAfterSeconds);
        this.shed = Counter.builder("ratelimit.gateway.requests.shed")
                .description("Requests that got a 503 because too many were under way, or the gateway was stopping")
                .register(registry);
        Gauge.builder("ratelimit.gateway.requests.under.way", taken, AtomicInteger::get)
                .description("Requests under way")
                .register(registry);
    }

    private static AggregatedHttpResponse refusal(Cause cause, String why, long retryAfterSeconds) {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        new HttpProblem(
                                HttpProblem.LIMITER_UNAVAILABLE,
                                "Limiter unavailable",
                                "The request was not decided: " + why + ".",
                                Map.of("cause", cause.name())))
                .toResponse(retryAfterSeconds);
    }

    @Override
    public HttpResponse serve(HttpService service, ServiceRequestContext ctx, HttpRequest request) throws Exception {
        int now = taken.incrementAndGet();
        if (closing || now > most) {
            giveBack();
            shed.increment();
            return (closing ? closed : full).toHttpResponse();
        }
        var unused = ctx.log().whenComplete().thenRun(this::giveBack);
        return service.serve(ctx, request);
    }

    /** Takes no more requests; completes as soon as none is under way. */
    CompletableFuture<Void> close() {
        closing = true;
        if (taken.get() == 0) {
            empty.complete(null);
        }
        return empty;
    }

    private void giveBack() {
        if (taken.decrementAndGet() == 0 && closing) {
            empty.complete(null);
        }
    }
}
