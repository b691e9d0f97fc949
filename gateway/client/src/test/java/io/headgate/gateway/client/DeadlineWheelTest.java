package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeadlineWheelTest {

    private static final long START = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);

    private final AtomicInteger wokenUp = new AtomicInteger();
    private final DeadlineWheel wheel = new DeadlineWheel(START, wokenUp::incrementAndGet);

    private static final class Alarm extends DeadlineWheel.Entry {
        private final long dueNanos;

        Alarm(long dueNanos) {
            this.dueNanos = dueNanos;
        }
    }

    @Test
    void an_entry_comes_out_once_less_than_a_tick_before_its_time_and_never_after() {
        Random random = new Random(7);
        for (int round = 0; round < 20; round++) {
            DeadlineWheel fresh = new DeadlineWheel(0, () -> {});
            List<Alarm> alarms = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                Alarm alarm = new Alarm(random.nextLong(TimeUnit.SECONDS.toNanos(40)));
                alarms.add(alarm);
                fresh.add(alarm, alarm.dueNanos);
            }
            Set<DeadlineWheel.Entry> seen = new HashSet<>();
            for (long now = 0; !fresh.isEmpty(); now += DeadlineWheel.TICK_NANOS) {
                for (DeadlineWheel.Entry entry : fresh.advance(now)) {
                    long earlyNanos = ((Alarm) entry).dueNanos - now;
                    assertThat(earlyNanos)
                            .as("round %d", round)
                            .isBetween(
                                    now == DeadlineWheel.TICK_NANOS ? -DeadlineWheel.TICK_NANOS : 0,
                                    DeadlineWheel.TICK_NANOS);
                    assertThat(seen.add(entry)).isTrue();
                }
            }
            assertThat(seen).hasSameSizeAs(alarms);
        }
    }

    @Test
    void an_entry_that_was_taken_out_does_not_come() {
        Alarm kept = added(10);
        Alarm removed = added(10);

        wheel.remove(removed);
        wheel.remove(removed);

        assertThat(wheel.advance(at(10))).containsExactly(kept);
        assertThat(wheel.isEmpty()).isTrue();
    }

    @Test
    void an_entry_that_is_due_already_comes_at_the_next_tick() {
        wheel.advance(at(100));
        Alarm late = added(50);

        assertThat(wheel.advance(at(102))).containsExactly(late);
    }

    @Test
    void an_entry_more_than_a_turn_ahead_waits_for_its_turn() {
        Alarm far = added(40_000);

        assertThat(wheel.advance(at(39_000))).isEmpty();
        assertThat(wheel.advance(at(40_000))).containsExactly(far);
    }

    @Test
    void a_timer_that_slept_through_many_turns_misses_nothing() {
        List<Alarm> alarms = List.of(added(10), added(20_000), added(30_000), added(400_000));

        assertThat(wheel.advance(at(500_000))).hasSize(4).hasSameElementsAs(alarms);
    }

    @Test
    void the_timer_is_woken_when_there_is_something_to_watch_again() {
        added(10);
        added(20);
        assertThat(wokenUp).hasValue(1);
        wheel.advance(at(20));

        added(30);

        assertThat(wokenUp).hasValue(2);
    }

    @Test
    void drains_whatever_is_in_it() {
        List<Alarm> alarms = List.of(added(10), added(20_000), added(3));

        List<DeadlineWheel.Entry> drained = new ArrayList<>(wheel.drain());
        drained.sort(Comparator.comparingInt(alarms::indexOf));

        assertThat(drained).isEqualTo(alarms);
        assertThat(wheel.isEmpty()).isTrue();
    }

    private Alarm added(long millis) {
        Alarm alarm = new Alarm(at(millis));
        wheel.add(alarm, alarm.dueNanos);
        return alarm;
    }

    private static long at(long millis) {
        return START + TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
