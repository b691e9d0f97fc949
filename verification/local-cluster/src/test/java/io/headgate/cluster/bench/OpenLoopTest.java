package io.headgate.cluster.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** What a histogram of three digits may add to a value of up to 131 ms. */
    private static final long DIGITS = 63;

    private final VirtualTicker ticker = new VirtualTicker();
    private final Tally tally = new Tally(1_000);

    /** Answers at once, but holds up whoever asks for the 300th time. */
    private final class Stalling implements Target {

        private int asked;

        @Override
        public CompletableFuture<Outcome> ask() {
            if (asked++ == 300) {
                ticker.pass(100 * MILLI);
            }
            return CompletableFuture.completedFuture(Outcome.ALLOW);
        }
    }

    @Test
    void a_stall_of_the_asking_thread_is_in_the_latency_of_every_request_that_was_due_meanwhile() throws Exception {
        new OpenLoop(1_000, ticker).run(new Stalling(), SECOND, tally);

        assertThat(tally.sent()).isEqualTo(1_000);
        assertThat(tally.latencyMicros(90)).isZero();
        assertThat(tally.latencyMicros(90.1)).isCloseTo(1_000, within(DIGITS));
        assertThat(tally.latencyMicros(95)).isCloseTo(50_000, within(DIGITS));
        assertThat(tally.latencyMicros(99)).isCloseTo(90_000, within(DIGITS));
        assertThat(tally.maxLatencyMicros()).isCloseTo(100_000, within(DIGITS));
        assertThat(tally.lateMicros(99)).isCloseTo(89_000, within(DIGITS));
    }

    /** What the other test would show if latency counted from when a request went out. */
    @Test
    void one_at_a_time_such_a_stall_is_in_the_latency_of_one_request_only() throws Exception {
        Stalling stalling = new Stalling();
        Target slow = () -> {
            ticker.pass(MILLI / 2);
            return stalling.ask();
        };

        new Saturation(1, ticker).run(slow, SECOND, tally);

        assertThat(tally.sent()).isEqualTo(1_800);
        assertThat(tally.latencyMicros(99.9)).isCloseTo(500, within(DIGITS));
        assertThat(tally.maxLatencyMicros()).isCloseTo(100_500, within(DIGITS));
    }

    @Test
    void requests_go_out_when_they_are_due_while_answers_are_held_back() throws Exception {
        List<CompletableFuture<Outcome>> heldBack = new ArrayList<>();
        int[] asked = {0};
        Target pausing = () -> {
            int i = asked[0]++;
            CompletableFuture<Outcome> future = new CompletableFuture<>();
            heldBack.add(future);
            if (i < 300 || i >= 400) {
                heldBack.forEach(one -> one.complete(Outcome.DENY));
                heldBack.clear();
            }
            return future;
        };

        new OpenLoop(1_000, ticker).run(pausing, SECOND, tally);

        assertThat(tally.outcomes()).containsExactly(Map.entry("DENY", 1_000L));
        assertThat(tally.lateMicros(100)).isZero();
        assertThat(tally.latencyMicros(90)).isZero();
        assertThat(tally.latencyMicros(95)).isCloseTo(50_000, within(DIGITS));
        assertThat(tally.maxLatencyMicros()).isCloseTo(100_000, within(DIGITS));
    }

    @Test
    void a_rate_that_does_not_divide_a_second_does_not_drift() throws Exception {
        List<Long> asked = new ArrayList<>();
        long start = ticker.nanos();
        Target noting = () -> {
            asked.add(ticker.nanos() - start);
            return CompletableFuture.completedFuture(Outcome.ECHO);
        };

        new OpenLoop(3, ticker).run(noting, 2 * SECOND, tally);

        assertThat(asked).containsExactly(0L, 333_333_333L, 666_666_666L, SECOND, 1_333_333_333L, 1_666_666_666L);
    }

    @Test
    void the_highest_rate_for_a_slice_does_not_overflow() throws Exception {
        new OpenLoop(Plan.MOST_PER_SECOND, ticker)
                .run(() -> CompletableFuture.completedFuture(Outcome.ECHO), 2 * SECOND, tally);

        assertThat(tally.sent()).isEqualTo(2_000_000);
    }

    @Test
    void a_failed_future_is_counted_by_the_name_of_its_failure() throws Exception {
        new OpenLoop(10, ticker).run(() -> CompletableFuture.failedFuture(new ArithmeticException()), SECOND, tally);

        assertThat(tally.answered()).isZero();
        assertThat(tally.unanswered()).isEqualTo(10);
        assertThat(tally.outcomes()).containsExactly(Map.entry("ArithmeticException", 10L));
    }
}
