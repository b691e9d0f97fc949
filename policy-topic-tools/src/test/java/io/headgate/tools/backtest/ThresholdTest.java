package io.headgate.tools.backtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ThresholdTest {

    @ParameterizedTest
    @CsvSource({
        "10, 10, 10, true", "10, 11, 1000000, false", "0, 0, 0, true", "0, 1, 100, false",
        "1%, 1, 100, true", "1%, 2, 199, false", "0.25%, 1, 400, true", "0.25%, 1, 399, false",
        "0.5 %, 1, 200, true", "0%, 1, 1000000, false", "100%, 5, 5, true", "1%, 0, 0, true"
    })
    void a_number_or_a_share_is_compared_without_rounding(
            String words, long newlyDenied, long requests, boolean allowed) {
        assertThat(Threshold.parse(words).allows(newlyDenied, requests)).isEqualTo(allowed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "101%", "100.01%", "1.234%", "%", "1 percent", "99999999999999999"})
    void anything_else_is_refused_with_what_it_must_be(String words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Threshold.parse(words))
                .withMessageContaining("neither a number of requests, such as 250, nor a share of them, 0% to 100%");
    }

    @Test
    void none_allows_everything() {
        assertThat(Threshold.NONE.allows(Long.MAX_VALUE, 1)).isTrue();
        assertThat(Threshold.NONE.isThere()).isFalse();
    }
}
