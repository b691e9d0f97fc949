package io.headgate.cluster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.cluster.LocalBroker;
import io.headgate.cluster.LocalCommands;
import io.headgate.tools.PolicyFile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code headgate bench} at a low rate. How fast it is, is nobody's concern here. */
class BenchIT {

    private static final int RATE = 100;
    private static final int SECONDS = 3;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int bench(String... more) {
        List<String> args = new ArrayList<>(List.of(
                "bench", "--rate", Integer.toString(RATE), "--duration", Integer.toString(SECONDS), "--warm-up", "0"));
        args.addAll(List.of("--keys", "50", "--in-flight", "20", "--deadline", "10000", "--output", "json"));
        args.addAll(List.of(more));
        return new CommandLine(new LocalCommands())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err, true))
                .execute(args.toArray(new String[0]));
    }

    private static void assertAddsUp(JsonNode part, Collection<String> outcomes) {
        long sent = part.path("sent").asLong();
        long counted = 0;
        for (JsonNode count : part.path("outcomes")) {
            counted += count.asLong();
        }
        assertThat(counted).isEqualTo(sent);
        assertThat(part.path("answered").asLong()).isEqualTo(sent);
        assertThat(part.path("unanswered").asLong()).isZero();
        assertThat(part.path("answeredPerSecond").asLong()).isPositive();
        assertThat(outcomes).containsAll(() -> part.path("outcomes").fieldNames());
        assertThat(part.path("slices")).hasSize(2);
        JsonNode micros = part.path("latencyMicros");
        assertThat(List.of(micros.path("p50"), micros.path("p99"), micros.path("p999"), micros.path("max")))
                .extracting(JsonNode::asLong)
                .isSorted()
                .allMatch(value -> value > 0);
    }

    private void assertReport(Collection<String> outcomes) throws Exception {
        JsonNode report = new ObjectMapper().readTree(out.toString());
        for (String load : List.of("openLoop", "saturation")) {
            assertAddsUp(report.path(load).path("decisions"), outcomes);
            assertAddsUp(report.path(load).path("echo"), List.of("ECHO"));
            assertThat(report.path(load).path("ratio").path("p50").isNumber()).isTrue();
        }
        for (String target : List.of("decisions", "echo")) {
            assertThat(report.path("openLoop").path(target).path("sent").asLong())
                    .isEqualTo((long) RATE * SECONDS);
        }
    }

    @Test
    void every_request_on_a_cluster_of_its_own_is_counted_once() throws Exception {
        assertThat(bench("--shards", "3", "--set", "threads=1"))
                .as(err.toString())
                .isEqualTo(LocalCommands.OK);

        assertReport(List.of("ALLOW"));
        JsonNode setting = new ObjectMapper().readTree(out.toString()).path("setting");
        assertThat(setting.path("embedded").asBoolean()).isTrue();
        assertThat(setting.path("shards").asInt()).isEqualTo(3);
        try (Stream<Path> here = Files.list(Path.of(""))) {
            assertThat(here.map(Path::toString)).noneMatch(name -> name.startsWith(".headgate-bench"));
        }
    }

    @Test
    void a_cluster_that_is_there_decides_by_its_own_policy_and_keeps_nothing_of_the_bench() throws Exception {
        try (BenchCluster cluster = BenchCluster.inThisJvm(2, PolicyFile.northstar(), Map.of());
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
            assertThat(bench("--bootstrap-servers", cluster.bootstrapServers(), "--route", "GET /catalog"))
                    .as(err.toString())
                    .isEqualTo(LocalCommands.OK);

            assertReport(List.of("ALLOW", "DENY"));
            assertThat(admin.listTopics().names().get())
                    .contains("admission-requests")
                    .noneMatch(name -> name.startsWith("bench-"));
        }
    }

    @Test
    void a_setting_that_no_processor_has_ends_with_exit_code_1() {
        assertThat(bench("--set", "thread=4")).isEqualTo(LocalCommands.FAILED);

        assertThat(err.toString()).contains("headgate bench: ", "thread");
    }

    @Test
    void brokers_without_shards_end_with_exit_code_1(@TempDir Path folder) {
        try (LocalBroker broker = LocalBroker.start(LocalBroker.Settings.in(folder))) {
            assertThat(bench("--bootstrap-servers", broker.bootstrapServers())).isEqualTo(LocalCommands.FAILED);
        }

        assertThat(err.toString()).contains("headgate bench: there is no topic admission-requests");
        assertThat(out.toString()).isEmpty();
    }
}
