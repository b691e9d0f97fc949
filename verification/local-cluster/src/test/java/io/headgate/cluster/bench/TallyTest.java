package io.headgate.cluster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TallyTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Tally tally = new Tally(1_000);

    @Test
    void a_request_that_is_refused_at_once_counts_with_the_deadline() {
        tally.sent(0);
        tally.ended(Outcome.unanswered("OVERLOADED"), null, MILLI);

        assertThat(tally.answered()).isZero();
        assertThat(tally.unanswered()).isEqualTo(1);
        assertThat(tally.maxLatencyMicros()).isBetween(1_000_000L, 1_000_600L);
    }

    @Test
    void a_request_that_waited_beyond_the_deadline_counts_with_that() {
        tally.ended(Outcome.unanswered("DEADLINE"), null, 3_000 * MILLI);

        assertThat(tally.maxLatencyMicros()).isBetween(3_000_000L, 3_001_100L);
    }

    @Test
    void what_came_of_slices_adds_up() {
        Tally other = new Tally(1_000);
        tally.sent(5 * MILLI);
        tally.ended(Outcome.ALLOW, null, MILLI);
        tally.ran(500 * MILLI);
        other.sent(0);
        other.sent(0);
        other.ended(Outcome.ALLOW, null, 2 * MILLI);
        other.ended(Outcome.DENY, null, 3 * MILLI);
        other.ran(1_000 * MILLI);

        tally.add(other);

        assertThat(tally.sent()).isEqualTo(3);
        assertThat(tally.outcomes()).isEqualTo(Map.of("ALLOW", 2L, "DENY", 1L));
        assertThat(tally.answeredPerSecond()).isEqualTo(2);
        assertThat(tally.latencyMicros(50)).isBetween(2_000L, 2_001L);
        assertThat(tally.maxLatencyMicros()).isBetween(3_000L, 3_001L);
        assertThat(tally.lateMicros(100)).isBetween(5_000L, 5_003L);
    }

    @Test
    void nothing_has_no_rate() {
        assertThat(tally.answeredPerSecond()).isZero();
    }
}
