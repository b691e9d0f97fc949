package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.processor.FrequentKeys.Count;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrequentKeysTest {

    @Test
    void counts_are_exact_up_to_the_capacity() {
        FrequentKeys keys = new FrequentKeys(3);
        for (String key : List.of("a", "b", "b", "c", "c", "c")) {
            keys.add(key);
        }

        assertThat(keys.missed()).isZero();
        assertThat(keys.top(2)).containsExactly(new Count("c", 3), new Count("b", 2));

        keys.add("d");

        assertThat(keys.missed()).isEqualTo(2);
        assertThat(keys.top(9)).containsExactly(new Count("c", 1));
    }

    @Test
    void every_key_that_came_more_often_than_was_missed_is_there_and_no_count_is_too_high() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            FrequentKeys keys = new FrequentKeys(64);
            Map<String, Long> exact = new HashMap<>();
            for (int i = 0; i < 20_000; i++) {
                int spread = 1 << random.nextInt(14);
                String key = "k" + random.nextInt(spread);
                keys.add(key);
                exact.merge(key, 1L, Long::sum);
            }
            Map<String, Long> told = new HashMap<>();
            keys.top(1_000).forEach(one -> told.put(one.key(), one.count()));

            assertThat(told.size()).as("seed " + seed).isLessThanOrEqualTo(64);
            exact.forEach((key, count) -> assertThat(told.getOrDefault(key, 0L))
                    .as(key + " came " + count)
                    .isBetween(count - keys.missed(), count));
            assertThat(keys.missed()).isBetween(1L, 20_000L / 32);
        }
    }
}
