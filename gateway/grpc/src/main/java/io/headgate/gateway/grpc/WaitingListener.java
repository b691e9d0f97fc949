package io.headgate.gateway.grpc;

import io.grpc.ServerCall;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Stands in for a call's listener until it is known whether the call goes on, and hands on what has come meanwhile, in order
 * and by one thread at a time. Before the call goes on nothing asks for messages, so there is little to keep: that the caller is
 * ready, has closed its half, or has gone.
 */
final class WaitingListener<Q> extends ServerCall.Listener<Q> {

    private final Executor executor;
    private final Deque<Consumer<ServerCall.Listener<Q>>> events = new ArrayDeque<>();
    private ServerCall.Listener<Q> listener;
    private boolean handedOver;
    private boolean gone;

    WaitingListener(Executor executor) {
        this.executor = executor;
    }

    /** Lets the call go on: {@code start} makes its real listener. Nothing starts for a caller that has gone. */
    void goOn(Supplier<ServerCall.Listener<Q>> start) {
        executor.execute(() -> {
            synchronized (this) {
                if (gone) {
                    return;
                }
            }
            ServerCall.Listener<Q> started = start.get();
            handOver(started);
        });
    }

    private void handOver(ServerCall.Listener<Q> started) {
        while (true) {
            Consumer<ServerCall.Listener<Q>> event;
            synchronized (this) {
                event = events.poll();
                if (event == null) {
                    listener = started;
                    handedOver = true;
                    return;
                }
            }
            event.accept(started);
        }
    }

    private void pass(Consumer<ServerCall.Listener<Q>> event) {
        synchronized (this) {
            if (!handedOver) {
                events.add(event);
                return;
            }
        }
        event.accept(listener);
    }

    @Override
    public void onMessage(Q message) {
        pass(to -> to.onMessage(message));
    }

    @Override
    public void onHalfClose() {
        pass(ServerCall.Listener::onHalfClose);
    }

    @Override
    public void onCancel() {
        synchronized (this) {
            gone = true;
        }
        pass(ServerCall.Listener::onCancel);
    }

    @Override
    public void onComplete() {
        pass(ServerCall.Listener::onComplete);
    }

    @Override
    public void onReady() {
        pass(ServerCall.Listener::onReady);
    }
}
