package io.headgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.Seeds;
import io.headgate.core.limit.RandomLimits.Algorithm;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FixedWindowLimitTest {

    @Test
    void never_more_than_the_limit_in_a_window_laid_from_the_epoch() {
        Seeds.forEach(random -> {
            FixedWindowLimit limit = (FixedWindowLimit) RandomLimits.of(Algorithm.FIXED_WINDOW, random);
            Map<Long, Long> byWindow = new TreeMap<>();
            long now = RandomLimits.start(random);
            Counter counter = limit.fresh(now);
            for (int i = 0; i < 200; i++) {
                now += RandomLimits.elapsed(random, limit);
                counter = limit.advanced(counter, now);
                long cost = RandomLimits.cost(
                        random, limit, limit.check(counter, 0, now).remainingTokens());
                if (limit.check(counter, cost, now).permitted()) {
                    counter = limit.debited(counter, cost, now);
                    byWindow.merge(limit.window().startMillis(now), cost, Math::addExact);
                }
            }

            assertThat(byWindow.values()).as("%s", limit).allMatch(sum -> sum <= limit.limitTokens());
        });
    }

    @Test
    void a_window_begins_at_a_multiple_of_its_length_whoever_came_first() {
        FixedWindowLimit limit = new FixedWindowLimit(1, 10_000);
        Counter counter = limit.debited(limit.fresh(9_999), 1, 9_999);

        assertThat(limit.check(counter, 1, 9_999)).isEqualTo(Check.deny(0, 1));
        assertThat(limit.check(limit.advanced(counter, 10_000), 1, 10_000)).isEqualTo(Check.permit(1));
    }

    @Test
    void what_was_spent_in_a_long_window_still_counts_when_the_window_gets_short() {
        FixedWindowLimit minute = new FixedWindowLimit(10, 60_000);
        FixedWindowLimit second = new FixedWindowLimit(10, 1_000);
        Counter counter = minute.debited(minute.fresh(0), 7, 0);

        Counter changed = second.adopted(minute.advanced(counter, 30_500), minute, 30_500);

        assertThat(second.check(changed, 4, 30_500)).isEqualTo(Check.deny(3, 500));
    }
}
