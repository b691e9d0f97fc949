package io.headgate.tools.backtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class CourseTest {

    @Test
    void a_second_more_than_fits_makes_spans_twice_as_long() {
        Course course = new Course();
        for (int second = 0; second < Course.MAX_SPANS; second++) {
            course.at(second * 1_000L)[0]++;
        }
        assertThat(course.spanMillis()).isEqualTo(1_000);
        assertThat(course.spans()).hasSize(Course.MAX_SPANS);

        course.at(Course.MAX_SPANS * 1_000L)[0]++;

        assertThat(course.spanMillis()).isEqualTo(2_000);
        assertThat(course.spans()).hasSize(Course.MAX_SPANS / 2 + 1);
        assertThat(course.spans().get(0).counts()[0]).isEqualTo(2);
    }

    @Test
    void nothing_is_lost_whatever_the_order_of_times() {
        for (long seed = 1; seed <= 100; seed++) {
            Random random = new Random(seed);
            Course course = new Course();
            long range = 1L + random.nextInt(1 << random.nextInt(30));
            for (int i = 0; i < 1_000; i++) {
                course.at(Math.floorMod(random.nextLong(), range))[0]++;
            }

            assertThat(course.spans().size()).as("seed %s", seed).isLessThanOrEqualTo(Course.MAX_SPANS);
            assertThat(course.spans().stream()
                            .mapToLong(span -> span.counts()[0])
                            .sum())
                    .as("seed %s", seed)
                    .isEqualTo(1_000);
        }
    }
}
