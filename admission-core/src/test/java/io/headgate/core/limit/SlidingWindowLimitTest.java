package io.headgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.Seeds;
import io.headgate.core.limit.RandomLimits.Algorithm;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class SlidingWindowLimitTest {

    @Test
    void the_estimate_is_exact_to_a_thousandth() {
        SlidingWindowLimit limit = new SlidingWindowLimit(20, 10_000);

        assertThat(limit.estimateThousandths(new SlidingWindow(20, 0, 10_100))).isEqualTo(19_800);
        assertThat(limit.estimateThousandths(new SlidingWindow(18, 5, 2_500))).isEqualTo(18_500);
        assertThat(limit.estimateThousandths(new SlidingWindow(18, 6, 2_500))).isEqualTo(19_500);
    }

    @Test
    void the_estimate_is_the_exact_fraction_rounded_down() {
        Seeds.forEach(random -> {
            SlidingWindowLimit limit = (SlidingWindowLimit) RandomLimits.of(Algorithm.SLIDING_WINDOW, random);
            long previous = RandomLimits.tokens(random);
            long current = RandomLimits.tokens(random);
            long now = RandomLimits.start(random) + RandomLimits.elapsed(random, limit);

            long thousandths = limit.estimateThousandths(new SlidingWindow(previous, current, now));

            BigInteger exact = new Naive.Sliding(limit, previous, current, now).estimate();
            assertThat(thousandths)
                    .isEqualTo(exact.multiply(BigInteger.valueOf(1000))
                            .divide(BigInteger.valueOf(limit.windowMillis()))
                            .longValueExact());
        });
    }

    @Test
    void without_room_in_this_window_the_wait_reaches_into_the_next() {
        SlidingWindowLimit limit = new SlidingWindowLimit(20, 10_000);
        SlidingWindow full = new SlidingWindow(0, 20, 4_000);

        Check one = limit.check(full, 1, 4_000);
        Check all = limit.check(full, 20, 4_000);

        assertThat(one).isEqualTo(Check.deny(0, 6_500));
        assertThat(all).isEqualTo(Check.deny(0, 16_000));
    }
}
