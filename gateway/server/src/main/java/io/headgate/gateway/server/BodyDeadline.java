package io.headgate.gateway.server;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.ResponseCompleteException;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * How long a body may take to arrive: from the end of the headers where it is waited for, and from the end of the answer
 * where it is not, as with a 404. Whoever is slower loses the connection, however many bytes came meanwhile; if there was
 * no answer yet, it is a 408.
 */
final class BodyDeadline implements DecoratingHttpServiceFunction {

    private final long timeoutMillis;

    BodyDeadline(long timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
    }

    /** Has a server keep it. */
    void applyTo(ServerBuilder builder) {
        builder.requestAutoAbortDelayMillis(timeoutMillis).decorator(this);
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
                                disconnect(ctx);
                                request.abort(HttpStatusException.of(HttpStatus.REQUEST_TIMEOUT));
                            }
                        },
                        timeoutMillis,
                        TimeUnit.MILLISECONDS);
        return whole.whenComplete((done, failed) -> cutOff.cancel(false));
    }

    /** What is not waited for is thrown away as it comes, until the server gives the request up. */
    @Override
    public HttpResponse serve(HttpService service, ServiceRequestContext ctx, HttpRequest request) throws Exception {
        var unused = request.whenComplete().handle((whole, failed) -> {
            if (failed instanceof ResponseCompleteException) {
                disconnect(ctx);
            }
            return null;
        });
        HttpResponse response = service.serve(ctx, request);
        var unusedAnswer = response.whenComplete().whenComplete((whole, failed) -> {
            var unusedRest = request.subscribe();
        });
        return response;
    }

    /** Over HTTP/2 a stream that is given up is reset, and the others go on. */
    private static void disconnect(ServiceRequestContext ctx) {
        if (!ctx.sessionProtocol().isMultiplex()) {
            var unused = ctx.initiateConnectionShutdown(0);
        }
    }
}
