package io.headgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.Seeds;
import io.headgate.core.limit.RandomLimits.Algorithm;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds of all algorithms, for any limit that can be made, any cost to 10^12 and any time to a hundred years. */
class EveryLimitTest {

    @ParameterizedTest
    @EnumSource
    void it_says_what_the_textbook_says(Algorithm algorithm) {
        Seeds.forEach(random -> {
            Limit limit = RandomLimits.of(algorithm, random);
            long now = RandomLimits.start(random);
            Counter counter = limit.fresh(now);
            Naive naive = Naive.fresh(limit, now);
            for (int i = 0; i < 60; i++) {
                long elapsed = RandomLimits.elapsed(random, limit);
                now += elapsed;
                counter = limit.advanced(counter, now);
                naive = naive.at(now);
                long cost = RandomLimits.cost(random, limit, naive.remaining());

                Check check = limit.check(counter, cost, now);

                String where = "step " + i + ", " + limit + ", " + counter + ", cost " + cost;
                assertThat(check.remainingTokens()).as(where).isEqualTo(naive.remaining());
                assertThat(check.permitted()).as(where).isEqualTo(naive.fits(cost));
                if (i % 8 == 0) {
                    assertHint(check.retryAfterMillis(), expectedHint(naive, cost, limit, now), where);
                    assertHint(
                            limit.resetAfterMillis(counter, now),
                            naive.firstWait(now, Naive::untouched),
                            where + ", reset");
                }
                assertThat(counter.unused()).as(where).isEqualTo(naive.untouched());
                if (check.permitted() && random.nextInt(4) != 0) {
                    counter = limit.debited(counter, cost, now);
                    naive = naive.spent(cost);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void the_hint_is_enough_and_no_more(Algorithm algorithm) {
        Seeds.forEach(random -> {
            Limit limit = RandomLimits.of(algorithm, random);
            Spending spending = new Spending(limit, random);
            for (int i = 0; i < 60; i++) {
                Counter counter = spending.step();
                long now = spending.now;
                long cost = RandomLimits.cost(random, limit, spending.remaining());
                Check check = limit.check(counter, cost, now);
                if (check.retryAfterMillis().isEmpty()) {
                    continue;
                }
                long hint = check.retryAfterMillis().getAsLong();
                if (hint > Naive.FAR) {
                    continue;
                }

                String where = limit + ", " + counter + ", cost " + cost + ", hint " + hint;
                assertThat(hint).as(where).isPositive();
                assertThat(fitsAt(limit, counter, cost, now + hint)).as(where).isTrue();
                assertThat(fitsAt(limit, counter, cost, now + hint - 1))
                        .as(where)
                        .isFalse();
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void many_small_steps_of_time_equal_one_large(Algorithm algorithm) {
        Seeds.forEach(random -> {
            Limit limit = RandomLimits.of(algorithm, random);
            Spending spending = new Spending(limit, random);
            for (int i = 0; i < 20; i++) {
                Counter before = spending.step();
                long from = spending.now;
                long to = from + RandomLimits.elapsed(random, limit);

                Counter small = before;
                long at = from;
                for (int part = 0; part < 200 && at < to; part++) {
                    at = part == 199 ? to : Math.min(to, at + 1 + random.nextInt(1 + (int) Math.min(1_000, to - from)));
                    small = limit.advanced(small, at);
                }

                assertThat(limit.advanced(small, to))
                        .as("%s, %s, from %s to %s", limit, before, from, to)
                        .isEqualTo(limit.advanced(before, to));
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void an_earlier_time_changes_nothing(Algorithm algorithm) {
        Seeds.forEach(random -> {
            Limit limit = RandomLimits.of(algorithm, random);
            Spending spending = new Spending(limit, random);
            for (int i = 0; i < 40; i++) {
                Counter counter = spending.step();

                long earlier = Math.max(0, spending.now - RandomLimits.elapsed(random, limit));

                assertThat(limit.advanced(counter, earlier)).as("%s", limit).isEqualTo(counter);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_dropped_unused_counter_changes_nothing_under_any_later_limits(Algorithm algorithm) {
        Seeds.forEach(400, random -> {
            Limit limit = RandomLimits.of(algorithm, random);
            Spending spending = new Spending(limit, random);
            Counter kept = spending.step();
            long now = spending.now;
            for (int i = 0; i < 400 && !kept.unused(); i++) {
                now += 1 + RandomLimits.elapsed(random, limit);
                kept = limit.advanced(kept, now);
            }
            if (!kept.unused()) {
                return;
            }
            Counter missing = limit.fresh(now);
            List<String> told = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                now += RandomLimits.elapsed(random, limit);
                kept = limit.advanced(kept, now);
                missing = limit.advanced(missing, now);
                if (random.nextInt(3) == 0) {
                    Limit next = RandomLimits.after(algorithm, random);
                    kept = next.advanced(next.adopted(kept, limit, now), now);
                    missing = next.advanced(next.adopted(missing, limit, now), now);
                    limit = next;
                }
                long cost = RandomLimits.cost(
                        random, limit, limit.check(missing, 0, now).remainingTokens());
                told.add(limit + " at " + now + " cost " + cost);

                Check check = limit.check(missing, cost, now);

                assertThat(limit.check(kept, cost, now)).as("%s", told).isEqualTo(check);
                assertThat(limit.resetAfterMillis(kept, now)).isEqualTo(limit.resetAfterMillis(missing, now));
                if (check.permitted()) {
                    kept = limit.debited(kept, cost, now);
                    missing = limit.debited(missing, cost, now);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void what_was_spent_survives_any_change_of_the_limit(Algorithm algorithm) {
        Seeds.forEach(400, random -> {
            Limit limit = RandomLimits.of(algorithm, random);
            long now = RandomLimits.start(random);
            Counter counter = limit.fresh(now);
            Naive naive = Naive.fresh(limit, now);
            List<String> told = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                now += RandomLimits.elapsed(random, limit);
                counter = limit.advanced(counter, now);
                naive = naive.at(now);
                if (random.nextInt(3) == 0) {
                    Limit next = RandomLimits.after(algorithm, random);
                    counter = next.advanced(next.adopted(counter, limit, now), now);
                    naive = naive.under(next);
                    limit = next;
                }
                long cost = RandomLimits.cost(random, limit, naive.remaining());
                told.add(limit + " at " + now + " cost " + cost);

                Check check = limit.check(counter, cost, now);

                assertThat(check.remainingTokens()).as("%s", told).isEqualTo(naive.remaining());
                assertThat(check.permitted()).as("%s", told).isEqualTo(naive.fits(cost));
                assertHint(check.retryAfterMillis(), expectedHint(naive, cost, limit, now), told.toString());
                assertHint(
                        limit.resetAfterMillis(counter, now), naive.firstWait(now, Naive::untouched), told.toString());
                if (check.permitted()) {
                    counter = limit.debited(counter, cost, now);
                    naive = naive.spent(cost);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void what_is_given_back_counts_as_the_textbook_says_and_never_beyond_unused(Algorithm algorithm) {
        Seeds.forEach(random -> {
            Limit limit = RandomLimits.of(algorithm, random);
            long now = RandomLimits.start(random);
            Counter counter = limit.fresh(now);
            Naive naive = Naive.fresh(limit, now);
            for (int i = 0; i < 60; i++) {
                now += RandomLimits.elapsed(random, limit);
                counter = limit.advanced(counter, now);
                naive = naive.at(now);
                if (random.nextBoolean()) {
                    long tokens = Math.max(1, RandomLimits.cost(random, limit, naive.remaining()));
                    counter = limit.credited(counter, tokens, now);
                    naive = naive.given(tokens);
                }
                long cost = RandomLimits.cost(random, limit, naive.remaining());

                Check check = limit.check(counter, cost, now);

                String where = "step " + i + ", " + limit + ", " + counter + ", cost " + cost;
                assertThat(check.remainingTokens()).as(where).isEqualTo(naive.remaining());
                assertThat(check.remainingTokens()).as(where).isLessThanOrEqualTo(limit.tokens());
                assertThat(check.permitted()).as(where).isEqualTo(naive.fits(cost));
                assertThat(counter.unused()).as(where).isEqualTo(naive.untouched());
                assertHint(
                        limit.resetAfterMillis(counter, now),
                        naive.firstWait(now, Naive::untouched),
                        where + ", reset");
                if (check.permitted()) {
                    counter = limit.debited(counter, cost, now);
                    naive = naive.spent(cost);
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void what_is_debited_and_given_back_at_once_was_never_spent(Algorithm algorithm) {
        Seeds.forEach(random -> {
            Limit limit = RandomLimits.of(algorithm, random);
            Spending spending = new Spending(limit, random);
            for (int i = 0; i < 60; i++) {
                Counter counter = spending.step();
                long cost = RandomLimits.cost(random, limit, spending.remaining());
                if (!limit.check(counter, cost, spending.now).permitted()) {
                    continue;
                }

                Counter back = limit.credited(limit.debited(counter, cost, spending.now), cost, spending.now);

                assertThat(back).as("%s, cost %s", limit, cost).isEqualTo(counter);
                // The two windows of a sliding one may hold a limit each.
                Counter more = limit.credited(counter, Bounds.MAX_TOKENS, spending.now);
                Counter most = limit.credited(more, Bounds.MAX_TOKENS, spending.now);
                assertThat(most.unused()).as("%s", limit).isTrue();
                assertThat(limit.check(most, 0, spending.now).remainingTokens()).isEqualTo(limit.tokens());
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void a_raised_limit_admits_so_much_more_at_once_and_hints_as_the_textbook_does(Algorithm algorithm) {
        Seeds.forEach(random -> {
            Limit limit = RandomLimits.of(algorithm, random);
            long debtTokens = 1L + random.nextInt((int) Math.min(1_000, Math.max(1, limit.tokens())));
            Limit raised;
            try {
                raised = limit.raised(debtTokens);
            } catch (IllegalArgumentException tooMuch) {
                assertThat(tooMuch.getMessage()).containsAnyOf("must be 0 to", "at most 2^61");
                return;
            }
            long now = RandomLimits.start(random);
            Counter counter = limit.fresh(now);
            Naive naive = Naive.fresh(limit, now);
            for (int i = 0; i < 60; i++) {
                now += RandomLimits.elapsed(random, limit);
                counter = limit.advanced(counter, now);
                naive = naive.at(now);
                long cost = Math.min(
                        RandomLimits.cost(random, limit, naive.remaining()) + random.nextInt(3), raised.tokens());

                Check check = raised.check(counter, cost, now);

                String where = "step " + i + ", " + limit + " + " + debtTokens + ", " + counter + ", cost " + cost;
                assertThat(check.permitted()).as(where).isEqualTo(naive.fits(cost, debtTokens));
                if (!check.permitted()) {
                    assertHint(
                            check.retryAfterMillis(),
                            naive.firstWait(now, later -> later.fits(cost, debtTokens)),
                            where);
                } else {
                    counter = limit.debited(counter, cost, now);
                    naive = naive.spent(cost);
                    // And the wait under the limit itself, from beyond it.
                    long again = Math.min(cost, limit.tokens());
                    assertHint(
                            limit.check(counter, again, now).retryAfterMillis(),
                            expectedHint(naive, again, limit, now),
                            where + ", afterwards");
                }
            }
        });
    }

    private static OptionalLong expectedHint(Naive naive, long cost, Limit limit, long now) {
        return naive.fits(cost) || cost > limit.tokens()
                ? OptionalLong.empty()
                : naive.firstWait(now, later -> later.fits(cost));
    }

    /** A wait beyond what the textbook was asked for may be told or not. */
    private static void assertHint(OptionalLong actual, OptionalLong expected, String where) {
        if (expected.isPresent() && expected.getAsLong() <= Naive.FAR) {
            assertThat(actual).as(where).isEqualTo(expected);
        } else if (actual.isPresent()) {
            assertThat(actual.getAsLong()).as(where).isGreaterThan(Naive.FAR);
        }
    }

    private static boolean fitsAt(Limit limit, Counter counter, long cost, long nowMillis) {
        return limit.check(limit.advanced(counter, nowMillis), cost, nowMillis).permitted();
    }

    /** A counter that is spent from at random. */
    static final class Spending {

        private final Limit limit;
        private final Random random;
        long now;
        private Counter counter;

        Spending(Limit limit, Random random) {
            this.limit = limit;
            this.random = random;
            this.now = RandomLimits.start(random);
            this.counter = limit.fresh(now);
        }

        /** Waits a while, spends if it fits, and returns the counter. */
        Counter step() {
            now += RandomLimits.elapsed(random, limit);
            counter = limit.advanced(counter, now);
            long cost = RandomLimits.cost(random, limit, remaining());
            if (limit.check(counter, cost, now).permitted()) {
                counter = limit.debited(counter, cost, now);
            }
            return counter;
        }

        long remaining() {
            return limit.check(counter, 0, now).remainingTokens();
        }
    }
}
