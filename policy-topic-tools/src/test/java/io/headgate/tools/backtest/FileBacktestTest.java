package io.headgate.tools.backtest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.tools.Desk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code headgate policy backtest} says of files. */
class FileBacktestTest {

    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final String REAL_LOG = RESOURCES.resolve("access.log").toString();
    private static final String TEN =
            RESOURCES.resolve("bucket-of-10.policy.yaml").toString();
    private static final String FIVE =
            RESOURCES.resolve("bucket-of-5.policy.yaml").toString();
    private static final String NORTHSTAR = "examples/northstar.policy.yaml";
    private static final String TENANTS = "examples/tenants.yaml";
    private static final String REQUESTS =
            RESOURCES.resolve("northstar.requests.jsonl").toString();
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Desk desk = new Desk();

    @TempDir
    private Path folder;

    @Test
    void a_candidate_that_denies_two_fifths_of_one_addresss_requests_is_seen() throws IOException {
        Path page = folder.resolve("report.html");

        JsonNode report = onRealLog("--html", page.toString());

        assertThat(report.path("newlyDenied").asLong()).isEqualTo(717);
        JsonNode hit = named(report.path("callers").path("top"), "ip:10.0.0.97");
        assertThat(hit.path("requests").asLong()).isEqualTo(273);
        assertThat(hit.path("deniedBefore").asLong()).isEqualTo(55);
        assertThat(hit.path("newlyDenied").asLong()).isEqualTo(111);
        String html = Files.readString(page);
        assertThat(html).contains("ip:10.0.0.97").contains("<td class=\"n\">40.6 %</td>");
    }

    @Test
    void its_figures_are_those_of_evaluate_rule_by_rule_and_key_by_key() throws IOException {
        JsonNode report = onRealLog("--top", "1000");

        for (String side : List.of("Before", "After")) {
            Denials evaluated = evaluate(side.equals("Before") ? TEN : FIVE, "--access-log", REAL_LOG);
            assertThat(counts(report.path("rules"), "id", "denied" + side)).isEqualTo(evaluated.byRule());
            assertThat(evaluated.byKey()).isNotEmpty();
            evaluated
                    .byKey()
                    .forEach((ip, count) -> assertThat(
                                    named(report.path("callers").path("top"), "ip:" + ip)
                                            .path("denied" + side)
                                            .asLong())
                            .as(ip + " " + side)
                            .isEqualTo(count));
        }
    }

    @Test
    void all_stages_plans_and_shadow_rules_of_requests_are_counted_as_evaluate_counts_them() throws IOException {
        assertThat(run(
                        "--candidate",
                        NORTHSTAR,
                        "--baseline",
                        NORTHSTAR,
                        "--tenants",
                        TENANTS,
                        "--requests",
                        REQUESTS,
                        "--output",
                        "json"))
                .isZero();
        JsonNode report = JSON.readTree(desk.out());

        List<JsonNode> answers = answers(NORTHSTAR, "--tenants", TENANTS, "--requests", REQUESTS);
        Map<String, Long> denied = new TreeMap<>();
        Map<String, Long> shadow = new TreeMap<>();
        long undecided = 0;
        for (JsonNode answer : answers) {
            if (answer.path("verdict").asText().equals("DENY")) {
                denied.merge(answer.path("denyingRule").asText(), 1L, Long::sum);
            } else if (!answer.path("allowed").asBoolean()) {
                undecided++;
            }
            answer.path("shadowDenials").forEach(rule -> shadow.merge(rule.asText(), 1L, Long::sum));
        }
        assertThat(denied).isNotEmpty();
        assertThat(shadow).isNotEmpty();
        assertThat(report.path("requests").asLong()).isEqualTo(answers.size());
        assertThat(counts(report.path("rules"), "id", "deniedBefore")).isEqualTo(denied);
        assertThat(counts(report.path("rules"), "id", "deniedAfter")).isEqualTo(denied);
        assertThat(counts(report.path("rules"), "id", "shadowAfter")).isEqualTo(shadow);
        assertThat(report.path("undecidedBefore").asLong()).isEqualTo(undecided);
        assertThat(report.path("newlyDenied").asLong()).isZero();
        assertThat(report.path("newlyAllowed").asLong()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"717, 0", "716, 3", "0, 3", "7.17%, 0", "7.16%, 3", "100 %, 0"})
    void more_newly_denied_than_allowed_is_exit_code_3(String most, int code) {
        assertThat(run("--candidate", FIVE, "--baseline", TEN, "--access-log", REAL_LOG, "--max-newly-denied", most))
                .isEqualTo(code);
        assertThat(desk.err().contains("717 of 10000 requests are newly denied, above the " + most))
                .isEqualTo(code == 3);
        assertThat(desk.out()).contains((code == 3 ? "ABOVE" : "within") + " the threshold of " + most);
    }

    @ParameterizedTest
    @CsvSource({"json, backtest.json", "csv, backtest.csv"})
    void json_and_csv_are_as_the_golden_files_say(String format, String golden) throws IOException {
        assertThat(run(
                        "--candidate",
                        FIVE,
                        "--baseline",
                        TEN,
                        "--access-log",
                        REAL_LOG,
                        "--output",
                        format,
                        "--examples",
                        "2",
                        "--top",
                        "3"))
                .isZero();

        // What a document's hash is, is the business of its format.
        String out = desk.out().replaceAll("\"[0-9a-f]{64}\"", "\"HASH\"");
        assertThat(out).isEqualTo(Files.readString(RESOURCES.resolve(golden)));
    }

    @Test
    void what_strangers_named_stays_text_in_the_page_and_in_csv() throws IOException {
        String tenant = "<script>alert(1)</script>";
        Path requests = Files.writeString(folder.resolve("requests.jsonl"), """
                {"t":1000,"tenant":"%s","route":"GET /\\"><img src=x>"}
                {"t":1000,"tenant":"=1+1","route":"GET /a"}
                """.formatted(tenant));
        Path page = folder.resolve("report.html");

        assertThat(run(
                        "--candidate",
                        denyAll(2).toString(),
                        "--baseline",
                        allowAll().toString(),
                        "--requests",
                        requests.toString(),
                        "--output",
                        "csv",
                        "--html",
                        page.toString()))
                .isZero();

        assertThat(desk.out()).contains("tenant,'=1+1,").doesNotContain(",=1+1");
        String html = Files.readString(page);
        assertThat(html)
                .contains("&lt;script&gt;alert(1)&lt;/script&gt;")
                .doesNotContain("<script")
                .doesNotContain("<img");
    }

    @Test
    void the_page_needs_nothing_from_anywhere() throws IOException {
        Path page = folder.resolve("report.html");

        onRealLog("--html", page.toString());

        String html = Files.readString(page);
        assertThat(html)
                .contains("default-src 'none'")
                .contains("prefers-color-scheme:dark")
                .contains("<svg ")
                .contains("not backed off")
                .doesNotContain("http:")
                .doesNotContain("https:")
                .doesNotContain("url(")
                .doesNotContain("@import")
                .doesNotContain("src=");
    }

    @Test
    void lines_that_cannot_be_read_are_counted_and_the_first_named() throws IOException {
        StringBuilder lines = new StringBuilder("{\"t\":1,\"ip\":\"a\"}\n");
        for (int i = 0; i < 12; i++) {
            lines.append("{\"t\":-1}\n");
        }
        Path one = Files.writeString(folder.resolve("one.jsonl"), lines + "\u0000\n");
        Path other = Files.writeString(folder.resolve("other.jsonl"), "x".repeat(70_000) + "\n{\"t\":5,\"ip\":\"a\"}");

        assertThat(run(
                        "--candidate",
                        denyAll(2).toString(),
                        "--baseline",
                        allowAll().toString(),
                        "--requests",
                        one.toString(),
                        other.toString(),
                        "--output",
                        "json"))
                .isZero();

        JsonNode report = JSON.readTree(desk.out());
        assertThat(report.path("requests").asLong()).isEqualTo(2);
        assertThat(report.path("unreadable").asLong()).isEqualTo(14);
        assertThat(report.path("firstUnreadable")).hasSize(Tally.BAD_NAMED);
        assertThat(report.path("firstUnreadable").get(0).asText()).startsWith(one + ":2 has t -1; it must be");
    }

    @Test
    void access_logs_are_sorted_together_and_an_example_names_its_file_and_line() throws IOException {
        String line = "10.0.0.1 - - [17/May/2015:10:05:%02d +0000] \"GET / HTTP/1.1\" 200 1\n";
        Path late = Files.writeString(folder.resolve("late.log"), line.formatted(3) + line.formatted(1));
        Path early = Files.writeString(folder.resolve("early.log"), line.formatted(2));

        assertThat(run(
                        "--candidate",
                        policy("one", 2, "ip", "{requests: 1, per: 1h}").toString(),
                        "--baseline",
                        allowAll().toString(),
                        "--access-log",
                        late.toString(),
                        early.toString(),
                        "--output",
                        "json"))
                .isZero();

        JsonNode examples = JSON.readTree(desk.out()).path("firstNewlyDenied");
        assertThat(examples).hasSize(2);
        assertThat(examples.get(0).path("place").asText()).isEqualTo(early + ":1");
        assertThat(examples.get(1).path("place").asText()).isEqualTo(late + ":1");
    }

    @Test
    void a_baseline_can_be_a_version_on_the_topic_or_the_newest() {
        desk.publish(text("on-topic", 1, "ip", "{requests: 1000000, per: 1h}"));
        desk.publish(text("on-topic", 2, "ip", "{requests: 0, per: 1h}"));

        assertThat(run("--candidate", TEN, "--access-log", REAL_LOG, "--bootstrap-servers", "memory:1"))
                .isZero();
        assertThat(desk.out()).contains("baseline        on-topic version 2, topic policies", "newly allowed   9935");

        assertThat(run(
                        "--candidate",
                        TEN,
                        "--baseline",
                        "1",
                        "--access-log",
                        REAL_LOG,
                        "--bootstrap-servers",
                        "memory:1"))
                .isZero();
        assertThat(desk.out())
                .contains("baseline        on-topic version 1, topic policies", "newly denied    65 (0.6 %)");

        assertThat(run(
                        "--candidate",
                        TEN,
                        "--baseline",
                        "7",
                        "--access-log",
                        REAL_LOG,
                        "--bootstrap-servers",
                        "memory:1"))
                .isEqualTo(1);
        assertThat(desk.err()).contains("there is no policy version 7 on topic policies; the newest is 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--access-log a.log | Missing required option: '--baseline=VERSION|FILE'",
                "--baseline b | Error: Missing required argument",
                "--baseline b --access-log a.log --requests r | mutually exclusive",
                "--baseline b --access-log a.log --since 2026-03-01T00:00:00Z | --since is for --from-topic",
                "--baseline b --access-log a.log --checkpoint c | --checkpoint is for --from-topic",
                "--baseline b --access-log a.log --top 0 | Invalid value for --top: 0; it must be 1 to 1000",
                "--baseline b --access-log a.log --examples 1001 | Invalid value for --examples: 1001; it must be 0 to",
                "--baseline b --from-topic --tenants t | --tenants is for files",
                "--from-topic --since 2026-03-02T00:00:00Z --until 2026-03-01T00:00:00Z | is not before --until",
                "--from-topic --max-newly-denied 101% | neither a number of requests, such as 250, nor a share",
                "--from-topic --checkpoint-seconds 3601 | it must be 0 to 3600",
            })
    void wrong_usage_says_what_is_wrong(String options, String message) {
        String[] args = ("--candidate " + TEN + " " + options.strip()).split(" ");

        assertThat(run(args)).as(desk.err()).isEqualTo(2);
        assertThat(desk.err()).contains(message.strip());
    }

    @Test
    void files_that_are_missing_are_named_all_at_once() {
        assertThat(run("--candidate", FIVE, "--baseline", TEN, "--requests", "a.jsonl", "b.jsonl"))
                .isEqualTo(1);
        assertThat(desk.err()).contains("a.jsonl: does not exist", "b.jsonl: does not exist");
    }

    private JsonNode onRealLog(String... more) throws IOException {
        List<String> args = new ArrayList<>(
                List.of("--candidate", FIVE, "--baseline", TEN, "--access-log", REAL_LOG, "--output", "json"));
        args.addAll(List.of(more));
        assertThat(run(args.toArray(String[]::new))).isZero();
        return JSON.readTree(desk.out());
    }

    private int run(String... args) {
        List<String> all = new ArrayList<>(List.of("policy", "backtest"));
        all.addAll(List.of(args));
        return desk.run(all.toArray(String[]::new));
    }

    private record Denials(Map<String, Long> byRule, Map<String, Long> byKey) {}

    /** What the summary of evaluate says: a line a rule, the worst ten keys below it. */
    private Denials evaluate(String policy, String... input) {
        List<String> args = new ArrayList<>(List.of("evaluate", "--policy", policy));
        args.addAll(List.of(input));
        assertThat(desk.run(args.toArray(String[]::new))).isZero();
        Map<String, Long> byRule = new TreeMap<>();
        Map<String, Long> byKey = new TreeMap<>();
        Matcher rule = Pattern.compile("(?m)^  (P-[A-Z]+) ([0-9]+)$").matcher(desk.err());
        while (rule.find()) {
            byRule.put(rule.group(1), Long.parseLong(rule.group(2)));
        }
        Matcher key = Pattern.compile("(?m)^ {4,}([0-9]+)  ([0-9.]+)$").matcher(desk.err());
        while (key.find()) {
            byKey.put(key.group(2), Long.parseLong(key.group(1)));
        }
        return new Denials(byRule, byKey);
    }

    private List<JsonNode> answers(String policy, String... input) throws IOException {
        List<String> args = new ArrayList<>(List.of("evaluate", "--policy", policy));
        args.addAll(List.of(input));
        assertThat(desk.run(args.toArray(String[]::new))).isZero();
        List<JsonNode> answers = new ArrayList<>();
        for (String line : desk.out().lines().toList()) {
            answers.add(JSON.readTree(line));
        }
        return answers;
    }

    /** Those that are not 0. */
    private static Map<String, Long> counts(JsonNode rows, String name, String field) {
        Map<String, Long> counts = new TreeMap<>();
        rows.forEach(row -> {
            if (row.path(field).asLong() > 0) {
                counts.put(row.path(name).asText(), row.path(field).asLong());
            }
        });
        return counts;
    }

    private static JsonNode named(JsonNode rows, String name) {
        for (JsonNode row : rows) {
            if (row.path("name").asText().equals(name)) {
                return row;
            }
        }
        throw new AssertionError("there is no " + name + " in " + rows);
    }

    private Path allowAll() throws IOException {
        return policy("open", 1, "tenant", "{requests: 1000000, per: 1h}");
    }

    private Path denyAll(int version) throws IOException {
        return policy("shut", version, "tenant", "{requests: 0, per: 1h}");
    }

    private Path policy(String name, int version, String stage, String limit) throws IOException {
        return Files.writeString(folder.resolve(name + ".yaml"), text(name, version, stage, limit));
    }

    private static String text(String name, int version, String stage, String limit) {
        return """
                apiVersion: headgate.io/v1
                kind: PolicySnapshot
                metadata: {name: %s, version: %d}
                spec:
                  domain: test
                  rules:
                    - {id: R, stage: %s, algorithm: fixed-window, reason: test, limit: %s}
                """.formatted(name, version, stage, limit);
    }
}
