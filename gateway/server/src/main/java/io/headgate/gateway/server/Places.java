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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The requests that may be under way at a time, from the end of their headers to the end of their answers. One more is
 * answered 503 before a byte of its body is looked at: the answer has been made beforehand.
 */
final class Places implements DecoratingHttpServiceFunction {

    private final int most;
    private final AggregatedHttpResponse full;
    private final AtomicInteger taken = new AtomicInteger();
    private final Counter shed;

    Places(int most, long retryAfterSeconds, MeterRegistry registry) {
        this.most = most;
        this.full = Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        new HttpProblem(
                                HttpProblem.LIMITER_UNAVAILABLE,
                                "Limiter unavailable",
                                "The request was not decided: this gateway has as many requests under way as it may.",
                                Map.of("cause", Cause.OVERLOADED.name())))
                .toResponse(retryAfterSeconds);
        this.shed = Counter.builder("ratelimit.gateway.requests.shed")
                .description("Requests that got a 503 because too many were under way")
                .register(registry);
        Gauge.builder("ratelimit.gateway.requests.under.way", taken, AtomicInteger::get)
                .description("Requests under way")
                .register(registry);
    }

    @Override
    public HttpResponse serve(HttpService service, ServiceRequestContext ctx, HttpRequest request) throws Exception {
        if (taken.incrementAndGet() > most) {
            taken.decrementAndGet();
            shed.increment();
            return full.toHttpResponse();
        }
        var unused = ctx.log().whenComplete().thenRun(taken::decrementAndGet);
        return service.serve(ctx, request);
    }

    /** How many requests are under way. */
    int taken() {
        return taken.get();
    }
}
