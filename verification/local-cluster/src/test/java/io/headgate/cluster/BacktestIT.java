package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Headgate;
import io.headgate.tools.PolicyTopic;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a backtest says of the logs of a cluster that decided: with its own policy, what was decided. */
class BacktestIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ASKED = 100;
    private static final int LIMIT = 80;

    @TempDir
    private static Path folder;

    private static LocalBroker broker;
    private static AdmissionProcessor processor;
    private static int deniedThen;

    /** Nothing comes back by itself, so that the figures do not depend on how fast this machine is. */
    private static String policy(int version, int capacity) {
        return """
                {
                  "apiVersion": "headgate.io/v1",
                  "kind": "PolicySnapshot",
                  "metadata": {"name": "recorded", "version": %d},
                  "spec": {
                    "domain": "recorded",
                    "rules": [
                      {
                        "id": "BUDGET", "stage": "tenant", "reason": "a budget", "algorithm": "token-bucket",
                        "limit": {"capacity": %d, "refill": {"tokens": 0, "per": "1s"}}
                      }
                    ]
                  }
                }
                """.formatted(version, capacity);
    }

    @BeforeAll
    static void record() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers())
                .publish(PolicyDocument.parse(policy(1, LIMIT).getBytes(StandardCharsets.UTF_8)), "test", "first");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
        try (PlainGateway gateway = new PlainGateway(broker.bootstrapServers())) {
            for (String tenant : List.of("atlas", "birch", "cedar")) {
                int count = tenant.equals("atlas") ? ASKED : 30;
                for (int sent = 0; sent < count; sent += 10) {
                    for (Decision decision : gateway.ask(batch(tenant, 10)).decisions()) {
                        deniedThen += decision.verdict() == Verdict.DENY ? 1 : 0;
                    }
                }
            }
            gateway.send(0, new byte[] {1, 2, 3}, new RecordHeaders());
        }
    }

    private static Requests batch(String tenant, int count) {
        List<Command> commands = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Identity who = new Identity(tenant, "", "", "", "");
            commands.add(new Command.Ask(
                    new Admission(Stage.TENANT, who, true, "GET /", Map.of(), 1), false, Command.NEVER, false));
        }
        return new Requests(Optional.empty(), commands);
    }

    @AfterAll
    static void stop() {
        if (processor != null) {
            processor.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void the_policy_that_decided_decides_again_as_it_did_and_a_tighter_one_denies_two_fifths_of_a_tenant()
            throws Exception {
        Path page = folder.resolve("report.html");

        Run run = backtest(40, "--html", page.toString(), "--max-newly-denied", "20%");

        assertThat(run.code()).as(run.err()).isEqualTo(3);
        JsonNode report = JSON.readTree(run.out());
        assertThat(deniedThen).isEqualTo(ASKED - LIMIT);
        assertThat(report.path("requests").asLong()).isEqualTo(160);
        assertThat(report.path("deniedBefore").asLong()).isEqualTo(deniedThen);
        assertThat(report.path("newlyDenied").asLong()).isEqualTo(40);
        assertThat(report.path("unreadable").asLong()).isEqualTo(1);
        JsonNode atlas = report.path("tenants").path("top").get(0);
        assertThat(atlas.path("name").asText()).isEqualTo("atlas");
        assertThat(atlas.path("newlyDenied").asLong()
                        * 100
                        / atlas.path("requests").asLong())
                .isEqualTo(40);
        assertThat(Files.readString(page)).contains("atlas", "<td class=\"n\">40.0 %</td>");
    }

    @Test
    void with_control_keys_the_logs_of_the_processor_are_read_whole() throws Exception {
        Run run = backtest(LIMIT, "--control-keys", Secrets.controlKeys(folder).toString());

        assertThat(run.code()).as(run.err()).isZero();
        JsonNode report = JSON.readTree(run.out());
        assertThat(report.path("deniedAfter").asLong()).isEqualTo(deniedThen);
        assertThat(report.path("newlyDenied").asLong()).isZero();
        assertThat(report.path("unreadable").asLong()).isEqualTo(1);
    }

    @Test
    void a_process_that_was_killed_goes_on_to_the_same_figures() throws Exception {
        String since = "1970-01-01T00:00:01Z";
        String until = Instant.now().toString();
        String whole = backtest(40, "--since", since, "--until", until).out();
        Path checkpoint = folder.resolve("checkpoint");
        String[] goOn = {
            "--since", since, "--until", until, "--checkpoint", checkpoint.toString(), "--checkpoint-seconds", "0"
        };
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Headgate.class.getName()));
        command.addAll(args(40, goOn));
        for (int attempt = 0; attempt < 20 && !Files.exists(checkpoint); attempt++) {
            killAtTheFirstCheckpoint(command, checkpoint);
        }
        assertThat(checkpoint).as("what a killed process left behind").exists();

        Run run = backtest(40, goOn);

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo(whole);
        assertThat(checkpoint).doesNotExist();
    }

    /** One that is done before it can be killed leaves no checkpoint behind. */
    private static void killAtTheFirstCheckpoint(List<String> command, Path checkpoint) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            while (!Files.exists(checkpoint) && process.isAlive()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private record Run(int code, String out, String err) {}

    private static List<String> args(int capacity, String... more) throws Exception {
        Path candidate = folder.resolve("candidate-" + capacity + ".json");
        if (!Files.exists(candidate)) {
            Files.writeString(candidate, policy(2, capacity));
        }
        List<String> args = new ArrayList<>(List.of(
                "policy",
                "backtest",
                "--candidate",
                candidate.toString(),
                "--from-topic",
                "--bootstrap-servers",
                broker.bootstrapServers(),
                "--output",
                "json"));
        args.addAll(List.of(more));
        return args;
    }

    private static Run backtest(int capacity, String... more) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Headgate.run(args(capacity, more).toArray(String[]::new), out, err);
        return new Run(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
