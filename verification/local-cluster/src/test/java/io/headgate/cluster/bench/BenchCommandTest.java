package io.headgate.cluster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.cluster.LocalCommands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What {@code headgate bench} refuses before it starts anything. */
class BenchCommandTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int bench(String... options) {
        String[] args = new String[options.length + 1];
        args[0] = "bench";
        System.arraycopy(options, 0, args, 1, options.length);
        return new CommandLine(new LocalCommands())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    @ParameterizedTest
    @CsvSource({
        "--rate, 0, 1 to 1000000",
        "--rate, 1000001, 1 to 1000000",
        "--duration, 0, 1 to 3600",
        "--duration, 3601, 1 to 3600",
        "--warm-up, -1, 0 to 3600",
        "--warm-up, 3601, 0 to 3600",
        "--keys, 0, 1 to 10000000",
        "--keys, 10000001, 1 to 10000000",
        "--shards, 0, 1 to 1000",
        "--shards, 1001, 1 to 1000",
        "--in-flight, 0, 1 to 20000",
        "--in-flight, 20001, 1 to 20000",
        "--deadline, 49, 50 to 10000",
        "--deadline, 10001, 50 to 10000",
    })
    void a_number_out_of_range_is_wrong_usage(String option, String value, String range) {
        assertThat(bench(option + "=" + value)).isEqualTo(2);

        assertThat(err.toString()).startsWith(option + " is " + value + "; it must be " + range);
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"--rate, many", "--output, xml", "--speed, 3"})
    void what_cannot_be_understood_is_wrong_usage(String option, String value) {
        assertThat(bench(option, value)).isEqualTo(2);

        assertThat(err.toString()).contains(option);
    }

    @ParameterizedTest
    @CsvSource({"--shards, 4", "--policy, some.yaml", "--set, threads=4"})
    void a_cluster_that_is_there_has_its_own_shards_and_policy(String option, String value) {
        assertThat(bench("--bootstrap-servers", "127.0.0.1:1", option, value)).isEqualTo(2);

        assertThat(err.toString())
                .startsWith(option + " cannot be given with --bootstrap-servers: that cluster has its own");
    }

    @Test
    void no_broker_is_wrong_usage() {
        assertThat(bench("--bootstrap-servers", " ")).isEqualTo(2);

        assertThat(err.toString()).startsWith("--bootstrap-servers names no broker");
    }

    @Test
    void an_address_that_is_none_ends_with_exit_code_1() {
        assertThat(bench("--bootstrap-servers", "somewhere")).isEqualTo(LocalCommands.FAILED);

        assertThat(err.toString())
                .startsWith("headgate bench: the cluster at somewhere cannot be used: ")
                .contains("somewhere");
    }

    @Test
    void a_policy_that_cannot_be_read_ends_with_exit_code_1(@TempDir Path folder) throws Exception {
        Path broken = Files.writeString(folder.resolve("broken.yaml"), "kind: Nonsense\n");

        assertThat(bench("--policy", broken.toString())).isEqualTo(LocalCommands.FAILED);
        assertThat(bench("--policy", folder.resolve("none.yaml").toString())).isEqualTo(LocalCommands.FAILED);

        assertThat(err.toString()).contains("headgate bench: ", "broken.yaml", "none.yaml: does not exist");
    }

    @Test
    void help_lists_the_exit_codes() {
        assertThat(bench("--help")).isZero();

        assertThat(out.toString()).contains("every request was answered", "wrong usage", "--bootstrap-servers");
    }
}
