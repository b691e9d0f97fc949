package io.headgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.Seeds;
import org.junit.jupiter.api.Test;

class GcraLimitTest {

    @Test
    void never_more_than_burst_and_rate_times_time_over_any_interval() {
        Seeds.forEach(random -> {
            GcraLimit limit = RandomLimits.gcra(random);

            RateBound.holds(
                    RateBound.admitted(limit, random),
                    limit.burstTokens(),
                    limit.refillTokens(),
                    limit.refillPeriodMillis());
        });
    }

    @Test
    void three_tokens_every_second_come_333_and_a_third_milliseconds_apart() {
        GcraLimit limit = new GcraLimit(3, 3, 1_000);
        Counter counter = limit.debited(limit.fresh(0), 3, 0);

        assertThat(limit.check(counter, 1, 0).retryAfterMillis()).hasValue(334);
        assertThat(limit.check(counter, 2, 0).retryAfterMillis()).hasValue(667);
        assertThat(limit.check(counter, 3, 0).retryAfterMillis()).hasValue(1_000);
        assertThat(limit.resetAfterMillis(counter, 0)).hasValue(1_000);
    }

    @Test
    void a_debt_too_large_to_count_exactly_is_no_gcra_limit() {
        assertThat(new GcraLimit(1L << 30, 1, 1L << 31).tokens()).isEqualTo(1L << 30);
        assertThatThrownBy(() -> new GcraLimit((1L << 30) + 1, 1, 1L << 31)).hasMessageContaining("at most 2^61");
        assertThatThrownBy(() -> new GcraLimit(1, 0, 1)).hasMessageContaining("refill.tokens is 0");
    }
}
