package io.headgate.gateway.client.feedback;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecondsTest {

    @ParameterizedTest
    @CsvSource({"0,1", "1,1", "1000,1", "1001,2", "3500,4", "60000,60", "9223372036854775807,9223372036854776"})
    void a_wait_is_rounded_up_to_seconds_and_at_least_one(long millis, long seconds) {
        assertThat(Seconds.toWait(millis)).isEqualTo(seconds);
    }

    @ParameterizedTest
    @CsvSource({"0,0", "1,1", "1000,1", "1001,2"})
    void nothing_is_no_second(long millis, long seconds) {
        assertThat(Seconds.of(millis)).isEqualTo(seconds);
    }
}
