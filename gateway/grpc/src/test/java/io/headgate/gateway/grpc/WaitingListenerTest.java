package io.headgate.gateway.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ServerCall;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitingListenerTest {

    private final List<String> heard = new ArrayList<>();
    private final ServerCall.Listener<String> real = new ServerCall.Listener<>() {
        @Override
        public void onReady() {
            heard.add("ready");
        }

        @Override
        public void onMessage(String message) {
            heard.add(message);
        }

        @Override
        public void onHalfClose() {
            heard.add("half closed");
        }

        @Override
        public void onCancel() {
            heard.add("cancelled");
        }

        @Override
        public void onComplete() {
            heard.add("complete");
        }
    };

    @Test
    void hands_on_what_came_before_and_meanwhile_in_order_and_then_passes_through() {
        WaitingListener<String> waiting = new WaitingListener<>(Runnable::run);
        waiting.onReady();
        assertThat(heard).isEmpty();

        waiting.goOn(() -> {
            waiting.onMessage("meanwhile");
            return real;
        });
        waiting.onHalfClose();
        waiting.onComplete();

        assertThat(heard).containsExactly("ready", "meanwhile", "half closed", "complete");
    }

    @Test
    void starts_nothing_for_a_caller_that_has_gone() {
        AtomicInteger started = new AtomicInteger();
        WaitingListener<String> waiting = new WaitingListener<>(Runnable::run);
        waiting.onCancel();

        waiting.goOn(() -> {
            started.incrementAndGet();
            return real;
        });

        assertThat(started).hasValue(0);
        assertThat(heard).isEmpty();
    }

    @Test
    void tells_a_call_that_has_started_that_its_caller_has_gone() {
        WaitingListener<String> waiting = new WaitingListener<>(Runnable::run);
        waiting.goOn(() -> real);

        waiting.onCancel();

        assertThat(heard).containsExactly("cancelled");
    }
}
