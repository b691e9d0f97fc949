package io.headgate.cluster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SaturationTest {

    private static final int IN_FLIGHT = 5;

    private final VirtualTicker ticker = new VirtualTicker();
    private final Tally tally = new Tally(1_000);

    /** Answers the first of five that wait, so there are never more. */
    @Test
    void never_has_more_under_way_than_it_is_told() throws Exception {
        Deque<CompletableFuture<Outcome>> underWay = new ArrayDeque<>();
        int[] most = {0};
        Target target = () -> {
            ticker.pass(TimeUnit.MILLISECONDS.toNanos(10));
            CompletableFuture<Outcome> future = new CompletableFuture<>();
            underWay.add(future);
            most[0] = Math.max(most[0], underWay.size());
            boolean last = ticker.nanos() >= 1_000_000_007L + TimeUnit.SECONDS.toNanos(1);
            while (last ? !underWay.isEmpty() : underWay.size() == IN_FLIGHT) {
                underWay.remove().complete(Outcome.ALLOW);
            }
            return future;
        };

        new Saturation(IN_FLIGHT, ticker).run(target, TimeUnit.SECONDS.toNanos(1), tally);

        assertThat(most[0]).isEqualTo(IN_FLIGHT);
        assertThat(tally.answered()).isEqualTo(100);
        assertThat(tally.answeredPerSecond()).isEqualTo(100);
    }

    @Test
    void waits_for_room_and_for_the_last_answer() throws Exception {
        CompletableFuture<Outcome> open = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        Target target = () -> {
            ticker.pass(TimeUnit.SECONDS.toNanos(1));
            asked.countDown();
            return open;
        };
        CompletableFuture<Void> run = CompletableFuture.runAsync(() -> {
            try {
                new Saturation(1, ticker).run(target, 1, tally);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        });
        asked.await();

        assertThat(run).isNotDone();
        open.complete(Outcome.ECHO);

        assertThat(run).succeedsWithin(10, TimeUnit.SECONDS);
        assertThat(tally.answered()).isEqualTo(1);
    }
}
