package io.headgate.gateway.server;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * How long a body may take to arrive. Whoever is slower gets a 408 and loses the connection, however many bytes came
 * meanwhile.
 */
final class BodyDeadline {

    private final long timeoutMillis;

    BodyDeadline(long timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
    }

    /** The request once its body is there; fails with the status 408 if that takes too long. */
    CompletableFuture<AggregatedHttpRequest> whole(ServiceRequestContext ctx, HttpRequest request) {
        CompletableFuture<AggregatedHttpRequest> whole = request.aggregate();
        if (whole.isDone()) {
            return whole;
        }
        ScheduledFuture<?> cutOff = ctx.eventLoop()
                .schedule(
                        () -> {
                            if (!whole.isDone()) {
                                var unused = ctx.initiateConnectionShutdown();
                                request.abort(HttpStatusException.of(HttpStatus.REQUEST_TIMEOUT));
                            }
                        },
                        timeoutMillis,
                        TimeUnit.MILLISECONDS);
        return whole.whenComplete((done, failed) -> cutOff.cancel(false));
    }
}
