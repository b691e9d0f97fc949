package io.headgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.Seeds;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokenBucketLimitTest {

    @Test
    void never_more_than_capacity_and_rate_times_time_over_any_interval() {
        Seeds.forEach(random -> {
            TokenBucketLimit limit = RandomLimits.tokenBucket(random);

            RateBound.holds(
                    RateBound.admitted(limit, random),
                    limit.capacityTokens(),
                    limit.refillTokens(),
                    limit.refillPeriodMillis());
        });
    }

    /** Capacity + refill × (⌊T/period⌋ + 1): a period may end just after the first and just before the last. */
    @Test
    void at_intervals_never_more_than_capacity_and_one_refill_for_each_period_that_can_end() {
        Seeds.forEach(random -> {
            TokenBucketLimit limit = RandomLimits.atIntervals(RandomLimits.tokenBucket(random));

            List<SlidingLog.Spent> admitted = RateBound.admitted(limit, random);

            for (int from = 0; from < admitted.size(); from++) {
                BigInteger sum = BigInteger.ZERO;
                for (int to = from; to < admitted.size(); to++) {
                    sum = sum.add(BigInteger.valueOf(admitted.get(to).costTokens()));
                    long elapsedMillis =
                            admitted.get(to).atMillis() - admitted.get(from).atMillis();
                    BigInteger refills = BigInteger.valueOf(elapsedMillis / limit.refillPeriodMillis() + 1);
                    assertThat(sum)
                            .as("%s in %s ms", limit, elapsedMillis)
                            .isLessThanOrEqualTo(refills.multiply(BigInteger.valueOf(limit.refillTokens()))
                                    .add(BigInteger.valueOf(limit.capacityTokens())));
                }
            }
        });
    }

    @Test
    void at_intervals_nothing_is_earned_before_the_period_ends_whoever_came_first() {
        TokenBucketLimit limit = new TokenBucketLimit(10, 5, 60_000, Refill.INTERVAL);
        Counter empty = limit.debited(limit.fresh(59_000), 10, 59_000);

        assertThat(limit.check(limit.advanced(empty, 59_999), 1, 59_999)).isEqualTo(Check.deny(0, 1));
        assertThat(limit.check(limit.advanced(empty, 60_000), 5, 60_000)).isEqualTo(Check.permit(5));
        assertThat(limit.check(empty, 5, 59_000).retryAfterMillis()).hasValue(1_000);
        assertThat(limit.check(empty, 6, 59_000).retryAfterMillis()).hasValue(61_000);
        assertThat(limit.resetAfterMillis(empty, 59_000)).hasValue(61_000);
    }

    @Test
    void from_greedy_to_intervals_and_back_what_was_earned_stays_earned() {
        TokenBucketLimit greedy = new TokenBucketLimit(10, 6, 60_000);
        TokenBucketLimit atIntervals = new TokenBucketLimit(10, 6, 60_000, Refill.INTERVAL);
        Counter empty = greedy.debited(greedy.fresh(0), 10, 0);

        Counter changed = atIntervals.adopted(greedy.advanced(empty, 30_000), greedy, 30_000);
        Counter back = greedy.adopted(atIntervals.advanced(changed, 60_000), atIntervals, 60_000);

        assertThat(atIntervals
                        .check(atIntervals.advanced(changed, 59_999), 1, 59_999)
                        .remainingTokens())
                .isEqualTo(3);
        assertThat(greedy.check(back, 1, 60_000).remainingTokens()).isEqualTo(9);
        assertThat(greedy.check(greedy.advanced(back, 70_000), 1, 70_000).remainingTokens())
                .isEqualTo(10);
    }

    @Test
    void one_token_a_day_asked_every_3_ms_comes_after_a_day() {
        TokenBucketLimit limit = new TokenBucketLimit(1, 1, 86_400_000);
        Counter counter = limit.debited(limit.fresh(0), 1, 0);
        long now = 0;
        while (!limit.check(counter, 1, now).permitted()) {
            now += 3;
            counter = limit.advanced(counter, now);
        }

        assertThat(now).isEqualTo(86_400_000);
    }

    @Test
    void ten_million_a_second_is_ten_thousand_a_millisecond() {
        TokenBucketLimit limit = new TokenBucketLimit(10_000_000, 10_000_000, 1_000);
        Counter counter = limit.debited(limit.fresh(0), 10_000_000, 0);

        assertThat(limit.check(limit.advanced(counter, 1), 1, 1).remainingTokens())
                .isEqualTo(10_000);
    }

    @Test
    void a_bucket_that_is_never_earned_back_gives_no_hint_and_no_reset() {
        TokenBucketLimit limit = new TokenBucketLimit(5, 0, 1_000);
        Counter counter = limit.debited(limit.fresh(0), 5, 0);

        assertThat(limit.check(counter, 1, 0)).isEqualTo(Check.hopeless(0));
        assertThat(limit.resetAfterMillis(counter, 0)).isEmpty();
    }

    @Test
    void a_wait_too_long_for_a_long_is_not_told() {
        TokenBucketLimit limit = new TokenBucketLimit(Bounds.MAX_TOKENS, 1, Bounds.MAX_PERIOD_MILLIS);
        Counter counter = limit.debited(limit.fresh(0), Bounds.MAX_TOKENS, 0);

        Check check = limit.check(counter, Bounds.MAX_TOKENS, 0);

        assertThat(check.permitted()).isFalse();
        assertThat(check.retryAfterMillis()).isEmpty();
        assertThat(limit.resetAfterMillis(counter, 0)).isEmpty();
    }

    @Test
    void three_taken_of_five_is_three_taken_of_ten_and_of_two() {
        TokenBucketLimit five = new TokenBucketLimit(5, 1, 1_000);
        TokenBucketLimit ten = new TokenBucketLimit(10, 1, 1_000);
        TokenBucketLimit two = new TokenBucketLimit(2, 1, 1_000);
        Counter taken = five.debited(five.fresh(0), 3, 0);

        Check ofTen = ten.check(ten.adopted(taken, five, 0), 1, 0);
        Check ofTwo = two.check(two.adopted(taken, five, 0), 1, 0);

        assertThat(ofTen.remainingTokens()).isEqualTo(7);
        assertThat(ofTwo).isEqualTo(Check.deny(0, 2_000));
    }

    @Test
    void its_ranges_end_where_they_say() {
        assertThat(new TokenBucketLimit(Bounds.MAX_TOKENS, Bounds.MAX_TOKENS, Bounds.MAX_PERIOD_MILLIS).tokens())
                .isEqualTo(Bounds.MAX_TOKENS);
        assertThatThrownBy(() -> new TokenBucketLimit(Bounds.MAX_TOKENS + 1, 1, 1))
                .hasMessage("capacity is 1000000000001; it must be 0 to 1000000000000");
        assertThatThrownBy(() -> new TokenBucketLimit(-1, 1, 1)).hasMessageContaining("capacity is -1");
        assertThatThrownBy(() -> new TokenBucketLimit(1, -1, 1)).hasMessageContaining("refill.tokens is -1");
        assertThatThrownBy(() -> new TokenBucketLimit(1, 1, 0)).hasMessageContaining("refill.per is 0");
        assertThatThrownBy(() -> new TokenBucketLimit(1, 1, Bounds.MAX_PERIOD_MILLIS + 1))
                .hasMessageContaining("refill.per is 31622400001");
    }
}
