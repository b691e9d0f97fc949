package io.headgate.tools.backtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CountsTest {

    @Test
    void counts_are_exact_up_to_the_bound_and_one_name_more_makes_them_approximate() {
        Counts counts = new Counts(Column.COUNT, 3);
        for (String name : new String[] {"a", "b", "c", "a", "a", "b"}) {
            counts.of(name)[0]++;
        }
        assertThat(counts.missing()).isZero();
        assertThat(counts).hasToString("[a[3, 0, 0, 0, 0, 0, 0], b[2, 0, 0, 0, 0, 0, 0], c[1, 0, 0, 0, 0, 0, 0]]");

        counts.of("d")[0]++;

        assertThat(counts.missing()).isEqualTo(2);
        assertThat(counts).hasToString("[a[3, 0, 0, 0, 0, 0, 0], d[1, 0, 0, 0, 0, 0, 0]]");
    }

    @Test
    void no_count_is_ever_too_high_or_lower_by_more_than_is_said() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            int bound = 2 + random.nextInt(50);
            Counts counts = new Counts(Column.COUNT, bound);
            Map<String, long[]> exact = new TreeMap<>();
            for (int i = 0; i < 5_000; i++) {
                String name = "n" + (int) Math.abs(random.nextGaussian() * 40);
                int column = random.nextInt(4) == 0 ? 3 : 0;
                for (long[] row : new long[][] {counts.of(name), exact.computeIfAbsent(name, none -> new long[7])}) {
                    row[0]++;
                    row[3] += column == 3 ? 1 : 0;
                }
                assertThat(counts.names()).isLessThanOrEqualTo(bound);
            }
            Map<String, long[]> shown = new TreeMap<>();
            counts.all().forEach(row -> shown.put(row.name(), row.counts()));
            String context = "seed " + seed;
            exact.forEach((name, row) -> {
                long[] counted = shown.getOrDefault(name, new long[7]);
                for (int column : new int[] {0, 3}) {
                    assertThat(counted[column])
                            .as("%s: %s, column %s", context, name, column)
                            .isBetween(row[column] - counts.missing(), row[column]);
                }
            });
        }
    }

    @Test
    void a_million_names_take_the_room_of_the_bound() {
        Counts counts = new Counts(Column.COUNT, 1_000);
        for (int i = 0; i < 1_000_000; i++) {
            counts.of("name-" + i)[0]++;
            if (i % 10 == 0) {
                counts.of("frequent")[0]++;
            }
        }

        assertThat(counts.names()).isLessThanOrEqualTo(1_000);
        assertThat(counts.top(Column.REQUESTS, 1).get(0).name()).isEqualTo("frequent");
        assertThat(counts.top(Column.REQUESTS, 1).get(0).count(Column.REQUESTS))
                .isBetween(100_000 - counts.missing(), 100_000L);
    }

    @Test
    void what_is_written_is_read_again() throws IOException {
        Counts counts = new Counts(Column.COUNT, 2);
        counts.of("a")[0]++;
        counts.of("ü")[6] += Long.MAX_VALUE;
        counts.of("c")[2]++;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        counts.writeTo(new DataOutputStream(bytes));

        Counts again = new Counts(Column.COUNT, 2);
        again.readFrom(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));

        assertThat(again).hasToString(counts.toString());
        assertThat(again.missing()).isEqualTo(counts.missing());
    }
}
