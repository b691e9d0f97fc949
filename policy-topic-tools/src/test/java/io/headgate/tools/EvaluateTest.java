package io.headgate.tools;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EvaluateTest {

    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final Path REAL_LOG = RESOURCES.resolve("access.log");
    private static final Path NORTHSTAR = Path.of("examples/northstar.policy.yaml");
    private static final Path TENANTS = Path.of("examples/tenants.yaml");
    private static final Path REQUESTS = RESOURCES.resolve("northstar.requests.jsonl");

    private static final int MAX_IDS = 100_000;

    @TempDir
    Path folder;

    /** What a run left behind. */
    private record Run(int exitCode, byte[] out, String err) {

        String text() {
            return new String(out, StandardCharsets.UTF_8);
        }

        List<String> errLines() {
            return err.lines().toList();
        }
    }

    @Test
    void denies_5_requests_of_the_real_log_with_a_window_of_20() {
        Run run = evaluateRealLog("window-of-20");

        assertThat(run.errLines())
                .containsExactly(
                        "requests        10000",
                        "bad lines       0",
                        "time            2015-05-17T10:05:00Z to 2015-05-20T21:05:59Z",
                        "out of order    4915",
                        "allowed         9995",
                        "denied          5",
                        "  P-ANON 5",
                        "           5  10.0.0.97",
                        "errors          0",
                        "shadow denials  0");
        assertThat(run.text().lines()).hasSize(10_000);
        assertThat(run.text().lines().filter(line -> line.contains("\"verdict\":\"DENY\"")))
                .hasSize(5);
    }

    @Test
    void denies_65_requests_of_the_real_log_with_a_bucket_of_10() {
        Run run = evaluateRealLog("bucket-of-10");

        assertThat(run.errLines())
                .containsSubsequence(
                        "denied          65", "  P-ANON 65", "          55  10.0.0.97", "          10  10.0.4.138");
    }

    @Test
    void denies_108_requests_of_the_real_log_with_a_window_of_10() {
        assertThat(evaluateRealLog("window-of-10").errLines()).contains("denied          108");
    }

    @Test
    void answers_as_the_golden_file_says() throws IOException {
        Run run = run(
                "evaluate",
                "--policy",
                NORTHSTAR.toString(),
                "--tenants",
                TENANTS.toString(),
                "--requests",
                REQUESTS.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(run.text()).isEqualTo(Files.readString(RESOURCES.resolve("northstar.answers.jsonl")));
        assertThat(run.err()).isEqualTo(Files.readString(RESOURCES.resolve("northstar.summary.txt")));
    }

    @Test
    void writes_the_same_bytes_each_time_to_stdout_or_to_a_file() throws IOException {
        Path output = Files.writeString(folder.resolve("answers.jsonl"), "old ".repeat(10_000));

        Run first = run("evaluate", "--policy", NORTHSTAR.toString(), "--requests", REQUESTS.toString());
        Run second = run(
                "evaluate",
                "--policy",
                NORTHSTAR.toString(),
                "--requests",
                REQUESTS.toString(),
                "--output",
                output.toString());

        assertThat(second.exitCode()).isZero();
        assertThat(second.out()).isEmpty();
        assertThat(Files.readAllBytes(output)).isEqualTo(first.out());
        assertThat(second.err()).isEqualTo(first.err());
    }

    @Test
    void takes_a_user_of_a_log_as_authenticated() throws IOException {
        String line = "10.0.0.1 - %s [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1\n";
        Path log = Files.writeString(folder.resolve("a.log"), line.formatted("-") + line.formatted("frank"));

        Run run = run("evaluate", "--policy", NORTHSTAR.toString(), "--access-log", log.toString());

        assertThat(run.text().lines().map(answer -> answer.contains("\"decisionId\":null")))
                .containsExactly(false, true);
        assertThat(run.errLines()).contains("allowed         2, 1 of them that no rule speaks of");
    }

    @Test
    void names_a_line_of_a_log_that_no_gateway_would_accept() throws IOException {
        String line = "10.0.0.1 - - [17/May/2015:10:05:03 +0000] \"GET /%s HTTP/1.1\" 200 1\n";
        Path log = Files.writeString(
                folder.resolve("a.log"), line.formatted("a".repeat(4_091)) + line.formatted("a".repeat(4_092)));

        Run run = run("evaluate", "--policy", NORTHSTAR.toString(), "--access-log", log.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(run.errLines()).contains("requests        1", "bad lines       1");
        assertThat(run.err())
                .contains("  line 2 is refused: route has 4097 characters; at most 4096 are allowed: 10.0");
    }

    @Test
    void names_every_mistake_at_once() throws IOException {
        Path policy = Files.writeString(folder.resolve("p.yaml"), "apiVersion: 1\nkind: 2\n");
        Path requests = folder.resolve("gone.jsonl");

        Run run = run("evaluate", "--policy", policy.toString(), "--requests", requests.toString(), "--output", ".");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines())
                .hasSizeGreaterThan(3)
                .endsWith(requests + ": does not exist", ".: cannot be written: is a folder");
        assertThat(run.errLines().get(0)).startsWith(policy + ":1: apiVersion ");
    }

    @Test
    void names_what_is_wrong_with_the_plans_of_the_tenants() throws IOException {
        String head = "apiVersion: headgate.io/v1\nkind: TenantPlans\ntenants:\n";
        Path bad = Files.writeString(
                folder.resolve("bad.yaml"), head + "  atlas: {plan: 7, overrides: {P-NONE: {limit: {}}}}\n");
        Path unknownZone = Files.writeString(folder.resolve("zone.yaml"), head + "  atlas: {zone: Mars/Olympus}\n");
        Path gone = folder.resolve("gone.yaml");

        assertThat(evaluateTenants(bad).errLines())
                .containsExactly(
                        bad
                                + ":4: tenants.atlas.plan is 7; it must be a name of 1 to 64 letters, digits, dots, hyphens and"
                                + " underscores",
                        bad
                                + ":4: tenants.atlas.overrides.P-NONE.algorithm is missing, and the policy has no rule 'P-NONE' to"
                                + " take it from; it must be one of [token-bucket, fixed-window, sliding-window-counter,"
                                + " sliding-log, gcra, unlimited]");
        assertThat(evaluateTenants(unknownZone).errLines())
                .containsExactly(
                        unknownZone + ":4: tenants.atlas.zone is \"Mars/Olympus\", which is no time zone that this"
                                + " Java platform knows; it must be the name of a time zone, such as Europe/Zurich");
        assertThat(evaluateTenants(gone).errLines()).containsExactly(gone + ": does not exist");
        assertThat(evaluateTenants(gone).exitCode()).isEqualTo(1);
    }

    @Test
    void says_what_of_a_plan_has_no_effect_and_goes_on() throws IOException {
        Path tenants = Files.writeString(
                folder.resolve("t.yaml"),
                "apiVersion: headgate.io/v1\nkind: TenantPlans\ntenants:\n"
                        + IntStream.range(0, 12)
                                .mapToObj(i -> "  t" + i + ": {plan: gold}\n")
                                .collect(joining()));

        Run run = evaluateTenants(tenants);

        assertThat(run.exitCode()).isZero();
        assertThat(run.errLines())
                .startsWith("note: " + tenants
                        + ": tenants.t0.plan is 'gold', which is no plan of the policy, so the default"
                        + " holds; there are [default, enterprise, standard]")
                .contains(
                        "note: " + tenants + ": and 2 more",
                        "requests        21, 1 of them peeked, 2 of them replayed");
    }

    @Test
    void refuses_a_policy_with_a_zone_that_nobody_knows() throws IOException {
        Path policy = Files.writeString(folder.resolve("p.yaml"), """
                apiVersion: headgate.io/v1
                kind: PolicySnapshot
                metadata: {name: n, version: 1}
                spec:
                  domain: d
                  rules:
                    - id: R
                      stage: tenant
                      algorithm: fixed-window
                      limit: {requests: 20, per: day, align: calendar, zone: Europe/Zurick}
                """);

        Run run = run("evaluate", "--policy", policy.toString(), "--requests", REQUESTS.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines())
                .containsExactly(
                        policy + ":10: spec.rules[0].limit.zone is \"Europe/Zurick\", which is no time zone that this"
                                + " Java platform knows; it must be the name of a time zone, such as Europe/Zurich");
    }

    @Test
    void refuses_to_write_over_what_it_reads() {
        Run run = run(
                "evaluate",
                "--policy",
                NORTHSTAR.toString(),
                "--requests",
                REQUESTS.toString(),
                "--output",
                REQUESTS.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo(REQUESTS + ": cannot be written: is read from\n");
    }

    @Test
    void says_that_it_cannot_write() {
        Path nowhere = folder.resolve("none/a.jsonl");

        Run run = run(
                "evaluate",
                "--policy",
                NORTHSTAR.toString(),
                "--requests",
                REQUESTS.toString(),
                "--output",
                nowhere.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo(nowhere + ": cannot be written: its folder does not exist\n");
    }

    @Test
    void says_that_the_reader_of_stdout_is_gone() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] args = {"evaluate", "--policy", NORTHSTAR.toString(), "--requests", REQUESTS.toString()};

        int exitCode = Headgate.run(args, closed, err);

        assertThat(exitCode).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("stdout: cannot be written: Broken pipe\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "evaluate~headgate evaluate: Missing required option: '--policy=FILE' (see headgate evaluate --help)",
                "evaluate --policy p.yaml~headgate evaluate: Error: Missing required argument (specify one of these):"
                        + " (--requests=FILE | --access-log=FILE) (see headgate evaluate --help)",
                "evaluate --policy p --requests r --access-log a~headgate evaluate: Error: --requests=FILE,"
                        + " --access-log=FILE are mutually exclusive (specify only one) (see headgate evaluate --help)",
                "evaluate --policy p --requests r --outptu x~headgate evaluate: Unknown options: '--outptu', 'x';"
                        + " did you mean --output? (see headgate evaluate --help)",
                "xyzzy~headgate: Unmatched argument at index 0: 'xyzzy' (see headgate --help)",
            })
    void says_in_a_line_what_is_wrong_with_the_arguments(String args, String line) {
        Run run = run(args.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines()).containsExactly(line);
    }

    @Test
    void tells_apart_as_many_request_ids_as_it_says() throws UnreadableLineException {
        Evaluation evaluation = new Evaluation(PolicyFile.northstar(), List.of(), MAX_IDS);
        String request = "{\"t\":%d,\"tenant\":\"atlas\",\"requestId\":\"%d\"}";
        for (int i = 0; i < MAX_IDS; i++) {
            evaluation.answer(Request.parse(request.formatted(i * 20L, i)));
        }

        Request known = Request.parse(request.formatted(MAX_IDS * 20L, MAX_IDS - 1));
        Request tooMany = Request.parse(request.formatted(MAX_IDS * 20L, MAX_IDS));

        assertThat(evaluation.answer(known).decisive().orElseThrow().replayed()).isTrue();
        assertThat(catchThrowable(() -> evaluation.answer(tooMany)))
                .hasMessage("has one requestId too many; at most 100000 are told apart");
        assertThat(evaluation.stateSize()).isLessThan(10_000);
    }

    @Test
    void keeps_its_state_small_however_many_addresses_come() throws UnreadableLineException {
        Evaluation evaluation = new Evaluation(PolicyFile.northstar());
        int largest = 0;

        for (int i = 0; i < 300_000; i++) {
            evaluation.answer(Request.parse("{\"t\":%d,\"ip\":\"%d\"}".formatted(i * 5L, i)));
            largest = Math.max(largest, evaluation.stateSize());
        }

        assertThat(largest).isLessThan(10_000);
    }

    private static Run evaluateTenants(Path tenants) {
        return run(
                "evaluate",
                "--policy",
                NORTHSTAR.toString(),
                "--tenants",
                tenants.toString(),
                "--requests",
                REQUESTS.toString());
    }

    private static Run evaluateRealLog(String policy) {
        Path file = RESOURCES.resolve(policy + ".policy.yaml");
        Run run = run("evaluate", "--policy", file.toString(), "--access-log", REAL_LOG.toString());
        assertThat(run.exitCode()).isZero();
        return run;
    }

    private static Run run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = Headgate.run(args, out, err);
        return new Run(exitCode, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }
}
