package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PerSecondTest {

    private final AtomicLong nowMillis = new AtomicLong(1_800_000_000_000L);

    private long passed(PerSecond gate, int tries) {
        return IntStream.range(0, tries).filter(i -> gate.tryPass()).count();
    }

    @Test
    void lets_so_many_through_in_each_second_and_not_one_more() {
        PerSecond gate = new PerSecond(3, nowMillis::get);

        assertThat(passed(gate, 10)).isEqualTo(3);
        nowMillis.addAndGet(999);
        assertThat(passed(gate, 10)).isZero();
        nowMillis.addAndGet(1);
        assertThat(passed(gate, 10)).isEqualTo(3);
    }

    @Test
    void zero_lets_nothing_through() {
        assertThat(passed(new PerSecond(0, nowMillis::get), 10)).isZero();
    }

    @Test
    void the_most_that_can_be_set_fits() {
        assertThat(passed(new PerSecond(100_000, nowMillis::get), 100_001)).isEqualTo(100_000);
    }

    @Test
    void threads_share_it() throws InterruptedException {
        PerSecond gate = new PerSecond(1_000, nowMillis::get);
        AtomicLong passed = new AtomicLong();
        Thread[] threads = IntStream.range(0, 4)
                .mapToObj(i -> new Thread(() -> passed.addAndGet(passed(gate, 1_000))))
                .toArray(Thread[]::new);
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(passed.get()).isEqualTo(1_000);
    }
}
