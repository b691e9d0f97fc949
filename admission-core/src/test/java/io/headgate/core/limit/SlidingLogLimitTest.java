package io.headgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.Seeds;
import io.headgate.core.limit.RandomLimits.Algorithm;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlidingLogLimitTest {

    @Test
    void a_shorter_window_forgets_at_the_instant_of_the_change() {
        SlidingLogLimit tenSeconds = new SlidingLogLimit(3, 10_000);
        SlidingLogLimit fiveSeconds = new SlidingLogLimit(3, 5_000);
        Counter spentAtZero = tenSeconds.debited(tenSeconds.fresh(0), 3, 0);

        Counter changed = fiveSeconds.adopted(tenSeconds.advanced(spentAtZero, 8_000), tenSeconds, 8_000);

        assertThat(changed.unused()).isTrue();
        assertThat(fiveSeconds.check(changed, 3, 8_000).permitted()).isTrue();
        assertThat(fiveSeconds.resetAfterMillis(changed, 8_000)).hasValue(0);
    }

    @Test
    void what_was_spent_counts_until_it_is_a_window_old() {
        SlidingLogLimit limit = new SlidingLogLimit(1, 1_000);
        Counter spent = limit.debited(limit.fresh(0), 1, 0);

        assertThat(limit.check(limit.advanced(spent, 999), 1, 999).permitted()).isFalse();
        assertThat(limit.check(limit.advanced(spent, 1_000), 1, 1_000).permitted())
                .isTrue();
    }

    @Test
    void what_is_spent_in_one_millisecond_is_one_entry() {
        SlidingLogLimit limit = new SlidingLogLimit(1_000, 1_000);
        Counter counter = limit.fresh(7);
        for (int i = 0; i < 1_000; i++) {
            counter = limit.debited(counter, 1, 7);
        }

        assertThat(((SlidingLog) counter).spent()).containsExactly(new SlidingLog.Spent(7, 1_000));
    }

    @Test
    void a_thousand_entries_are_the_most() {
        assertThat(new SlidingLogLimit(1_000, 1_000).tokens()).isEqualTo(1_000);
        assertThatThrownBy(() -> new SlidingLogLimit(1_001, 1_000)).hasMessageContaining("requests is 1001");
    }

    @Test
    void never_more_than_the_limit_in_any_window_whatever() {
        Seeds.forEach(random -> {
            SlidingLogLimit limit = (SlidingLogLimit) RandomLimits.of(Algorithm.SLIDING_LOG, random);
            List<SlidingLog.Spent> admitted = new ArrayList<>();
            long now = RandomLimits.start(random);
            Counter counter = limit.fresh(now);
            for (int i = 0; i < 150; i++) {
                now += RandomLimits.elapsed(random, limit);
                counter = limit.advanced(counter, now);
                long cost = 1L + random.nextInt(3);
                if (limit.check(counter, cost, now).permitted()) {
                    counter = limit.debited(counter, cost, now);
                    admitted.add(new SlidingLog.Spent(now, cost));
                }
            }

            for (SlidingLog.Spent end : admitted) {
                long sum = admitted.stream()
                        .filter(one -> one.atMillis() <= end.atMillis()
                                && one.atMillis() > end.atMillis() - limit.windowMillis())
                        .mapToLong(SlidingLog.Spent::costTokens)
                        .sum();
                assertThat(sum).as("%s, window up to %s", limit, end).isLessThanOrEqualTo(limit.limitTokens());
            }
        });
    }
}
