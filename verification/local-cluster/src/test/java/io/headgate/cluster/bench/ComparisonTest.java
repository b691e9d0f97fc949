package io.headgate.cluster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.cluster.bench.Comparison.Measured;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    private final List<String> turns = new ArrayList<>();
    private final Target decisions = () -> CompletableFuture.completedFuture(Outcome.ALLOW);
    private final Target echo = () -> CompletableFuture.completedFuture(Outcome.ECHO);
    private final Comparison comparison = new Comparison(decisions, echo, 1_000, () -> turns.add("|"));

    /** Asks once a slice. */
    private final Load once = (target, durationNanos, tally) -> {
        turns.add((target == decisions ? "decisions " : "echo ") + TimeUnit.NANOSECONDS.toMillis(durationNanos));
        tally.sent(0);
        tally.ended(target.ask().join(), null, 1);
    };

    @Test
    void takes_turns_and_changes_who_comes_first() throws Exception {
        comparison.run(once, 0, 4);

        assertThat(turns)
                .containsExactly("decisions 2000", "|", "echo 2000", "|", "echo 2000", "|", "decisions 2000", "|");
    }

    @Test
    void does_not_count_the_warm_up() throws Exception {
        Measured measured = comparison.run(once, 2, 6);

        assertThat(turns).filteredOn("|"::equals).hasSize(Comparison.slices(2) + Comparison.slices(6));
        assertThat(measured.decisions())
                .hasSize(3)
                .allSatisfy(slice -> assertThat(slice.outcomes()).containsOnlyKeys("ALLOW"));
        assertThat(measured.echo())
                .hasSize(3)
                .allSatisfy(slice -> assertThat(slice.outcomes()).containsOnlyKeys("ECHO"));
    }

    @Test
    void a_time_that_is_no_multiple_of_a_slice_is_spread_over_shorter_ones() throws Exception {
        comparison.run(once, 0, 3);

        assertThat(turns).filteredOn("decisions 1500"::equals).hasSize(2);
        assertThat(turns).filteredOn("echo 1500"::equals).hasSize(2);
    }
}
