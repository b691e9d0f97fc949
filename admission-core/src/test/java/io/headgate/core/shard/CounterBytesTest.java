package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a counter's size, against counters that a shard has stored. */
class CounterBytesTest {

    private static final String TENANT = "atlas";
    private static final long NOW = 1_800_000_000_000L;

    /** A log that has just begun has shorter offsets than one of years, and no counter is at its widest all over. */
    private static final long SLACK_BYTES = 16;

    private static long widestStored(Rule rule) {
        TestLog log = TestLog.under(rule);
        long widest = 0;
        for (int user = 0; user < 20; user++) {
            Caller caller = Caller.tenant(TENANT).user(String.format("%032x", user));
            for (int request = 0; request <= 12; request++) {
                log.at(NOW + user * 10_000L + request * 777L);
                log.admit(caller.cost(1 + user * 40L));
                for (StateStore.Entry entry : log.store().scan(new byte[] {Keys.BUCKET}, Keys.END, Integer.MAX_VALUE)) {
                    if (entry.key()[0] == Keys.BUCKET) {
                        widest = Math.max(widest, entry.key().length + entry.value().length);
                    }
                }
            }
        }
        return widest;
    }

    @Test
    void no_counter_is_wider_than_it_says_and_the_widest_nearly_is() {
        for (Limit limit : List.of(
                new TokenBucketLimit(10_000, 3, 7_000),
                new FixedWindowLimit(10_000, 60_000),
                new SlidingWindowLimit(10_000, 10_000),
                new GcraLimit(10_000, 3, 7_000))) {
            Rule rule = TestRules.rule("per-user", Scope.USER, limit);

            long most = CounterBytes.most(rule, TENANT.length(), 0);

            assertThat(widestStored(rule)).as("%s", limit).isBetween(most - SLACK_BYTES, most);
        }
    }

    @Test
    void a_sliding_log_takes_as_much_as_it_can_have_entries() {
        Rule log = TestRules.rule("per-user", Scope.USER, new SlidingLogLimit(1_000, 3_000));
        long most = CounterBytes.most(log, TENANT.length(), 0);

        assertThat(widestStored(log)).isLessThanOrEqualTo(most);
        assertThat(CounterBytes.most(
                        TestRules.rule("per-user", Scope.USER, new SlidingLogLimit(3, 3_000)), TENANT.length(), 0))
                .isLessThan(100);
        assertThat(most).isGreaterThan(2 * SlidingLogLimit.MAX_ENTRIES);
    }

    @Test
    void who_has_no_limit_takes_nothing() {
        Rule rule = TestRules.rule("per-user", Scope.USER, new Unlimited());

        assertThat(CounterBytes.most(rule, TENANT.length(), 0)).isZero();
        assertThat(widestStored(rule)).isZero();
    }
}
