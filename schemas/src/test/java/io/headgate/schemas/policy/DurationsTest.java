package io.headgate.schemas.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.limit.Bounds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({"1ms,1", "500ms,500", "10s,10000", "5m,300000", "1h,3600000", "1d,86400000", "366d,31622400000"})
    void reads_every_unit_and_writes_it_again(String text, long millis) {
        assertThat(Durations.parseMillis(text, Bounds.MAX_PERIOD_MILLIS)).isEqualTo(millis);
        assertThat(Durations.format(millis)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "10", "s", "0s", "-1s", "+1s", "1.5s", "1e3s", "010s", " 1s", "1s ", "1 s", "1S", "1w", "1s1s", "١s"
            })
    void refuses_what_is_not_a_positive_integer_and_one_unit(String text) {
        assertThatThrownBy(() -> Durations.parseMillis(text, Bounds.MAX_PERIOD_MILLIS))
                .hasMessage("is '" + text
                        + "'; it must be a duration: a positive integer with ms, s, m, h or d, such as 10s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"367d", "31622400001ms", "999999999999999999d"})
    void refuses_one_past_the_longest(String text) {
        assertThatThrownBy(() -> Durations.parseMillis(text, Bounds.MAX_PERIOD_MILLIS))
                .hasMessage("is '" + text + "'; it must be at most 366d");
    }

    @Test
    void writes_the_largest_unit_that_is_exact() {
        assertThat(Durations.format(90_000)).isEqualTo("90s");
        assertThat(Durations.format(1_001)).isEqualTo("1001ms");
    }
}
