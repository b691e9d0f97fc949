package io.headgate.gateway.client.feedback;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Window;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class QuotaWindowTest {

    private static final long DAYS_366 = 366L * 24 * 3_600_000;

    static Stream<Arguments> windows() {
        return Stream.of(
                Arguments.of(new TokenBucketLimit(20, 2, 1_000), 10),
                Arguments.of(new TokenBucketLimit(20, 3, 1_000), 7),
                Arguments.of(new TokenBucketLimit(1, 1_000, 1), 1),
                Arguments.of(new TokenBucketLimit(20, 0, 1_000), -1),
                Arguments.of(new TokenBucketLimit(0, 1, 1_000), -1),
                Arguments.of(new TokenBucketLimit(1_000_000_000_000L, 1, DAYS_366), -1),
                Arguments.of(new TokenBucketLimit(1_000_000_000_000L, 1_000_000_000_000L, DAYS_366), 366 * 86_400),
                Arguments.of(new TokenBucketLimit(10, 4, 60_000, Refill.GREEDY), 150),
                Arguments.of(new TokenBucketLimit(10, 4, 60_000, Refill.INTERVAL), 180),
                Arguments.of(new TokenBucketLimit(10, 0, 60_000, Refill.INTERVAL), -1),
                Arguments.of(new GcraLimit(20, 3, 1_000), 7),
                Arguments.of(new FixedWindowLimit(20, 10_000), 10),
                Arguments.of(new FixedWindowLimit(20, 1_500), 2),
                Arguments.of(new FixedWindowLimit(20, new Window.Calendar(CalendarUnit.MONTH, "UTC")), -1),
                Arguments.of(new SlidingWindowLimit(20, 60_001), 61),
                Arguments.of(new SlidingLogLimit(20, 60_000), 60));
    }

    @ParameterizedTest
    @MethodSource("windows")
    void a_window_is_the_time_in_which_all_comes_back_rounded_up(Limit limit, long seconds) {
        assertThat(QuotaWindow.secondsOf(limit))
                .isEqualTo(seconds < 0 ? OptionalLong.empty() : OptionalLong.of(seconds));
    }
}
