package io.headgate.cluster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.cluster.bench.Bench.Results;
import io.headgate.cluster.bench.Comparison.Measured;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static final Plan PLAN = new Plan(100, 2, 1, 10_000, 50, 1_000, "GET /bench");
    private static final Setting SETTING = new Setting(true, 8, 2, 4_096, "17.0.1", "Linux amd64");

    /** So many answers, with latencies of 1, 2, 3 … times {@code stepMicros}, in a second. */
    private static Tally slice(Outcome outcome, int answers, long stepMicros) {
        Tally tally = new Tally(1_000);
        for (int i = 1; i <= answers; i++) {
            tally.sent(TimeUnit.MICROSECONDS.toNanos(20));
            tally.ended(outcome, null, TimeUnit.MICROSECONDS.toNanos(i * stepMicros));
        }
        tally.ran(TimeUnit.SECONDS.toNanos(1));
        return tally;
    }

    private static Tally withOneUnanswered(Tally tally) {
        tally.sent(0);
        tally.ended(Outcome.unanswered("DEADLINE"), null, 0);
        return tally;
    }

    private static Report report(Tally lastOfDecisions) {
        Measured openLoop = new Measured(
                List.of(slice(Outcome.ALLOW, 100, 20), slice(Outcome.DENY, 100, 10)),
                List.of(slice(Outcome.ECHO, 100, 10), slice(Outcome.ECHO, 100, 10)));
        Measured saturation =
                new Measured(List.of(lastOfDecisions), List.of(slice(Outcome.ECHO, 400, 1), slice(Outcome.ECHO, 0, 1)));
        return new Report(PLAN, SETTING, new Results(openLoop, saturation));
    }

    @Test
    void the_table_shows_both_side_by_side_in_any_locale() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        String table;
        try {
            table = report(withOneUnanswered(slice(Outcome.ALLOW, 99, 2))).table();
        } finally {
            Locale.setDefault(before);
        }

        assertThat(table).isEqualTo("""
                broker and processor in this JVM, 8 shards, 10000 users; 2 processors, 4096 MiB heap, Java 17.0.1, Linux amd64

                open loop, 100/s, 2 s each                      decisions             echo    ratio
                  answered per second                                 100              100     1.00
                  latency p50                                     0.67 ms          0.50 ms     1.34
                  latency p99                                     1.96 ms          0.99 ms     1.98
                  latency p99.9                                   2.00 ms          1.00 ms     2.00
                  latency max                                     2.00 ms          1.00 ms     2.00
                  p99 of the best and the worst slice          1.0-2.0 ms       1.0-1.0 ms
                  sent late p99                                   0.02 ms          0.02 ms
                  sent                                                200              200
                    ALLOW                                             100
                    DENY                                              100
                    ECHO                                                               200
                  not answered                                          0                0

                saturation, 50 under way, 2 s each              decisions             echo    ratio
                  answered per second                                  99              200     0.50
                  latency p50                                     0.10 ms          0.20 ms     0.50
                  latency p99                                     0.20 ms          0.40 ms     0.50
                  latency p99.9                                1000.45 ms          0.40 ms  2501.12
                  latency max                                  1000.45 ms          0.40 ms  2501.12
                  p99 of the best and the worst slice          0.2-0.2 ms       0.0-0.4 ms
                  sent                                                100              400
                    ALLOW                                              99
                    DEADLINE                                            1
                    ECHO                                                               400
                  not answered                                          1                0
                """);
    }

    @Test
    void the_json_has_the_same_figures() throws Exception {
        Report report = report(slice(Outcome.ALLOW, 100, 2));

        assertThat(tree(report.json())).isEqualTo(tree("""
                {
                  "setting": {"embedded": true, "shards": 8, "processors": 2, "maxHeapMebibytes": 4096, "java": "17.0.1", "system": "Linux amd64"},
                  "plan": {"rate": 100, "durationSeconds": 2, "warmUpSeconds": 1, "keys": 10000, "inFlight": 50, "deadlineMillis": 1000, "route": "GET /bench"},
                  "openLoop": {
                    "decisions": {
                      "sent": 200,
                      "answered": 200,
                      "unanswered": 0,
                      "answeredPerSecond": 100,
                      "outcomes": {"ALLOW": 100, "DENY": 100},
                      "latencyMicros": {"p50": 670, "p99": 1960, "p999": 2000, "max": 2000},
                      "sentLateMicrosP99": 20,
                      "slices": [
                        {"answeredPerSecond": 100, "latencyMicros": {"p50": 1000, "p99": 1980, "p999": 2000, "max": 2000}},
                        {"answeredPerSecond": 100, "latencyMicros": {"p50": 500, "p99": 990, "p999": 1000, "max": 1000}}
                      ]
                    },
                    "echo": {
                      "sent": 200,
                      "answered": 200,
                      "unanswered": 0,
                      "answeredPerSecond": 100,
                      "outcomes": {"ECHO": 200},
                      "latencyMicros": {"p50": 500, "p99": 990, "p999": 1000, "max": 1000},
                      "sentLateMicrosP99": 20,
                      "slices": [
                        {"answeredPerSecond": 100, "latencyMicros": {"p50": 500, "p99": 990, "p999": 1000, "max": 1000}},
                        {"answeredPerSecond": 100, "latencyMicros": {"p50": 500, "p99": 990, "p999": 1000, "max": 1000}}
                      ]
                    },
                    "ratio": {"answeredPerSecond": 1.00, "p50": 1.34, "p99": 1.98, "p999": 2.00, "max": 2.00}
                  },
                  "saturation": {
                    "decisions": {
                      "sent": 100,
                      "answered": 100,
                      "unanswered": 0,
                      "answeredPerSecond": 100,
                      "outcomes": {"ALLOW": 100},
                      "latencyMicros": {"p50": 100, "p99": 198, "p999": 200, "max": 200},
                      "sentLateMicrosP99": 20,
                      "slices": [
                        {"answeredPerSecond": 100, "latencyMicros": {"p50": 100, "p99": 198, "p999": 200, "max": 200}}
                      ]
                    },
                    "echo": {
                      "sent": 400,
                      "answered": 400,
                      "unanswered": 0,
                      "answeredPerSecond": 200,
                      "outcomes": {"ECHO": 400},
                      "latencyMicros": {"p50": 200, "p99": 396, "p999": 400, "max": 400},
                      "sentLateMicrosP99": 20,
                      "slices": [
                        {"answeredPerSecond": 400, "latencyMicros": {"p50": 200, "p99": 396, "p999": 400, "max": 400}},
                        {"answeredPerSecond": 0, "latencyMicros": {"p50": 0, "p99": 0, "p999": 0, "max": 0}}
                      ]
                    },
                    "ratio": {"answeredPerSecond": 0.50, "p50": 0.50, "p99": 0.50, "p999": 0.50, "max": 0.50}
                  }
                }
                """));
    }

    private static JsonNode tree(String json) throws Exception {
        return new ObjectMapper().readTree(json);
    }

    @Test
    void is_complete_if_every_request_was_answered() {
        assertThat(report(slice(Outcome.DENY, 10, 1)).complete()).isTrue();
        assertThat(report(withOneUnanswered(slice(Outcome.DENY, 10, 1))).complete())
                .isFalse();
    }

    @Test
    void there_is_no_ratio_to_an_echo_that_never_came() {
        Measured silent = new Measured(List.of(slice(Outcome.ALLOW, 5, 10)), List.of(slice(Outcome.ECHO, 0, 1)));
        Report report = new Report(PLAN, SETTING, new Results(silent, silent));

        assertThat(report.json()).contains("\"answeredPerSecond\" : null");
        assertThat(report.table())
                .contains("  answered per second                                   5                0\n");
    }
}
