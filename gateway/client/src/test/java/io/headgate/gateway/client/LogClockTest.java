package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.shard.Command;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LogClockTest {

    private final LogClock clock = new LogClock(100);

    @Test
    void knows_nothing_before_the_first_reply() {
        assertThat(clock.deadlineMillis(nanos(6_000), nanos(5_000))).isEqualTo(Command.NEVER);
    }

    @Test
    void writes_a_deadline_in_log_time_never_too_early() {
        clock.learn(9_007, nanos(5_000), nanos(5_020));

        assertThat(clock.deadlineMillis(nanos(6_000), nanos(5_030))).isEqualTo(10_007 + 100 + 1);
        assertThat(clock.deadlineMillis(nanos(6_000) + 999_999, nanos(5_030))).isGreaterThanOrEqualTo(10_008 + 100);
    }

    @Test
    void believes_the_newest_reply_since_another_broker_may_lead_now() {
        clock.learn(9_007, nanos(5_000), nanos(5_020));
        clock.learn(2_000, nanos(6_000), nanos(6_020));

        assertThat(clock.deadlineMillis(nanos(7_000), nanos(6_030))).isEqualTo(3_000 + 100 + 1);
    }

    @Test
    void forgets_what_is_a_minute_old_since_clocks_drift() {
        clock.learn(9_007, nanos(5_000), nanos(5_020));

        assertThat(clock.deadlineMillis(nanos(70_000), nanos(65_019))).isNotEqualTo(Command.NEVER);
        assertThat(clock.deadlineMillis(nanos(70_000), nanos(65_020))).isEqualTo(Command.NEVER);
    }

    private static long nanos(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
