package io.headgate.gateway.server.rls;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Whether it makes sense to send requests (grpc.health.v1), for the server as a whole, {@code ""}, and for the rate limit
 * service. Who watches is told of a change within {@value #LOOK_MILLIS} ms, and sent away when the server closes.
 */
final class GrpcHealth extends HealthGrpc.HealthImplBase {

    static final long LOOK_MILLIS = 250;

    private final Set<String> services;
    private final BooleanSupplier ready;
    private final BooleanSupplier closing;

    GrpcHealth(Set<String> services, BooleanSupplier ready, BooleanSupplier closing) {
        this.services = services;
        this.ready = ready;
        this.closing = closing;
    }

    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        if (services.contains(request.getService())) {
            observer.onNext(response(now()));
            observer.onCompleted();
        } else {
            observer.onError(
                    Status.NOT_FOUND.withDescription("there is no such service").asRuntimeException());
        }
    }

    @Override
    public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        ServiceRequestContext ctx = ServiceRequestContext.current();
        ctx.clearRequestTimeout();
        boolean known = services.contains(request.getService());
        Watcher watcher = new Watcher((ServerCallStreamObserver<HealthCheckResponse>) observer, known);
        watcher.look();
        ScheduledFuture<?> looking =
                ctx.eventLoop().scheduleWithFixedDelay(watcher::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        var unused = ctx.log().whenComplete().thenRun(() -> looking.cancel(false));
    }

    private ServingStatus now() {
        return ready.getAsBoolean() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
    }

    private static HealthCheckResponse response(ServingStatus status) {
        return HealthCheckResponse.newBuilder().setStatus(status).build();
    }

    /** Runs on its call's event loop alone. */
    private final class Watcher {

        private final ServerCallStreamObserver<HealthCheckResponse> observer;
        private final boolean known;
        private ServingStatus told = ServingStatus.UNKNOWN;
        private boolean gone;

        Watcher(ServerCallStreamObserver<HealthCheckResponse> observer, boolean known) {
            this.observer = observer;
            this.known = known;
            observer.setOnCancelHandler(() -> gone = true);
        }

        void look() {
            if (gone || observer.isCancelled()) {
                return;
            }
            // Asked first: who is sent away has been told why, also if the close comes while this looks.
            boolean last = closing.getAsBoolean();
            ServingStatus status = known ? now() : ServingStatus.SERVICE_UNKNOWN;
            if (status != told) {
                told = status;
                observer.onNext(response(status));
            }
            if (last) {
                gone = true;
                observer.onCompleted();
            }
        }
    }
}
