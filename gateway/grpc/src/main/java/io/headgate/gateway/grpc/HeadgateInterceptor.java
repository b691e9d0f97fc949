package io.headgate.gateway.grpc;

import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.client.feedback.HeaderField;
import io.headgate.gateway.client.feedback.HttpAnswer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the limiter before a call goes on, once a call, however many messages it has. No thread waits for the answer. A call over
 * policy is closed RESOURCE_EXHAUSTED, one that nobody could decide UNAVAILABLE, one under an idempotency key that stands for
 * another FAILED_PRECONDITION.
 *
 * <p>It goes behind the interceptors that authenticate, if the question depends on what they found: gRPC runs the interceptor
 * that was added last first.
 */
public final class HeadgateInterceptor implements ServerInterceptor {

    private static final Logger LOG = LoggerFactory.getLogger(HeadgateInterceptor.class);

    private final Limiter limiter;
    private final CallAsk asks;
    private final Feedback feedback;
    private final Executor executor;

    /**
     * Makes one.
     *
     * @param executor runs the start of calls whose answer was not there at once: best that of the server
     */
    public HeadgateInterceptor(Limiter limiter, CallAsk asks, Feedback feedback, Executor executor) {
        this.limiter = limiter;
        this.asks = asks;
        this.feedback = feedback;
        this.executor = executor;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Optional<Ask> asked;
        try {
            asked = asks.of(call, headers);
        } catch (IllegalArgumentException uncountable) {
            call.close(
                    Status.INVALID_ARGUMENT.withDescription(
                            "The call cannot be counted: who asks or what for is missing, malformed or too long."),
                    new Metadata());
            return new ServerCall.Listener<>() {};
        }
        if (asked.isEmpty()) {
            return next.startCall(call, headers);
        }
        Ask ask = asked.get();
        CompletableFuture<HttpAnswer> answer = limiter.admit(ask)
                .exceptionally(HeadgateInterceptor::failed)
                .thenApply(it -> feedback.toCaller(ask, it));
        if (answer.isDone()) {
            return goOn(answer.join(), call, headers, next);
        }
        WaitingListener<Q> waiting = new WaitingListener<>(Context.current().fixedContextExecutor(executor));
        var unused = answer.thenAccept(told -> waiting.goOn(() -> goOn(told, call, headers, next)));
        return waiting;
    }

    private static <Q, A> ServerCall.Listener<Q> goOn(
            HttpAnswer told, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (told.problem().isEmpty()) {
            return next.startCall(new Advised<>(call, told.fields()), headers);
        }
        Refusal refusal = Refusal.of(told);
        call.close(refusal.status(), refusal.trailers());
        return new ServerCall.Listener<>() {};
    }

    private static Answer failed(Throwable bug) {
        LOG.atError().setCause(bug).log("asking failed; the call is refused as one that nobody could decide");
        return Unavailable.because(Cause.SEND_FAILED, "asking failed");
    }

    /** A call whose answer says in its headers what is left of the limits. */
    private static final class Advised<Q, A> extends SimpleForwardingServerCall<Q, A> {

        private final List<HeaderField> fields;

        Advised(ServerCall<Q, A> call, List<HeaderField> fields) {
            super(call);
            this.fields = fields;
        }

        @Override
        public void sendHeaders(Metadata headers) {
            fields.forEach(field ->
                    headers.put(Metadata.Key.of(field.name(), Metadata.ASCII_STRING_MARSHALLER), field.value()));
            super.sendHeaders(headers);
        }
    }
}
