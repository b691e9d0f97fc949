package io.headgate.tools.backtest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Desk;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code headgate policy backtest --from-topic} says of the logs of shards. */
class TopicBacktestTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long T = Desk.NOW.toEpochMilli();
    private static final byte[] SECRET = new byte[32];
    private static final ControlKey KEY = new ControlKey("k1", SECRET);

    private final Desk desk = new Desk();

    @TempDir
    private Path folder;

    @BeforeEach
    void create() {
        desk.cluster().create(TopicCatalogue.ADMISSION_REQUESTS, Desk.SHARDS);
        desk.publish(policy(1, 10));
    }

    @Test
    void a_candidate_that_denies_two_fifths_of_one_tenants_requests_is_seen() throws IOException {
        for (int i = 0; i < 10; i++) {
            ask("atlas", T + i);
            ask("birch", T + i);
        }
        for (int i = 0; i < 4; i++) {
            ask("birch", T + 100_000);
        }

        JsonNode report = report(6);

        assertThat(report.path("requests").asLong()).isEqualTo(24);
        assertThat(report.path("deniedBefore").asLong()).isZero();
        assertThat(report.path("newlyDenied").asLong()).isEqualTo(8);
        JsonNode atlas = tenant(report, "atlas");
        assertThat(atlas.path("requests").asLong()).isEqualTo(10);
        assertThat(atlas.path("newlyDenied").asLong()).isEqualTo(4);
        int shard = Partitioning.shardOf("atlas", Desk.SHARDS);
        assertThat(report.path("firstNewlyDenied"))
                .extracting(example -> example.path("place").asText())
                .anyMatch(place -> place.matches(shard + "-[0-9]+-0"));
    }

    @Test
    void only_what_was_appended_between_the_two_times_counts() throws IOException {
        for (int i = 0; i < 10; i++) {
            ask("atlas", T + 1_000L * i);
        }

        JsonNode report = report(6, "--since", Desk.NOW.plusSeconds(3).toString(), "--until", "2026-03-01T10:00:05Z");

        assertThat(report.path("requests").asLong()).isEqualTo(2);
        assertThat(report.path("fromMillis").asLong()).isEqualTo(T + 3_000);
        assertThat(report.path("remarks").get(0).asText()).contains("begin 2026-03-01T10:00:03Z");
    }

    @Test
    void plans_are_those_of_the_topic_as_they_are_now() throws IOException {
        desk.put(plan("atlas", TenantPlan.Status.SUSPENDED), T + 1_000_000);
        ask("atlas", T);

        JsonNode report = report(6);

        assertThat(report.path("deniedBefore").asLong()).isEqualTo(1);
        assertThat(report.path("rules").get(0).path("id").asText()).isEqualTo("headgate.suspended");
        assertThat(report.path("remarks").toString()).contains("as they are now");
    }

    @Test
    void with_control_keys_plans_and_bans_count_from_where_they_stand_in_the_log() throws IOException {
        desk.put(plan("atlas", TenantPlan.Status.SUSPENDED), T + 1_000_000);
        ask("atlas", T);
        control(
                "atlas",
                new Control.ApplyPlans(
                        0,
                        -1,
                        List.of(plan("atlas", TenantPlan.Status.SUSPENDED).plan())),
                T);
        ask("atlas", T);
        control("birch", new Control.ApplyAction(7, 3, ban("birch")), T);
        ask("birch", T);
        put("birch", new byte[] {1, 2, 3}, T);
        Path keys =
                Files.writeString(folder.resolve("keys"), "k1=" + HexFormat.of().formatHex(SECRET));

        JsonNode report = report(6, "--control-keys", keys.toString());

        assertThat(report.path("requests").asLong()).isEqualTo(3);
        assertThat(report.path("deniedBefore").asLong()).isEqualTo(2);
        assertThat(report.path("rules"))
                .extracting(rule -> rule.path("id").asText())
                .containsExactly("headgate.banned", "headgate.suspended");
        assertThat(report.path("unreadable").asLong()).isEqualTo(1);
    }

    @Test
    void a_control_record_under_a_key_that_is_not_there_is_unreadable_and_not_obeyed() throws IOException {
        ControlKey forged =
                new ControlKey("k1", "somebody else's secret, 32 bytes".getBytes(StandardCharsets.US_ASCII));
        put(
                "atlas",
                ControlRecords.encode(
                        Partitioning.shardOf("atlas", Desk.SHARDS),
                        new Control.ApplyAction(7, 3, ban("atlas")),
                        forged),
                T);
        ask("atlas", T);
        Path keys =
                Files.writeString(folder.resolve("keys"), "k1=" + HexFormat.of().formatHex(SECRET));

        JsonNode report = report(6, "--control-keys", keys.toString());

        assertThat(report.path("unreadable").asLong()).isEqualTo(1);
        assertThat(report.path("firstUnreadable").get(0).asText()).contains("not genuine");
        assertThat(report.path("deniedBefore").asLong()).isZero();
    }

    @Test
    void hostile_records_and_commands_are_counted_and_the_rest_stands() throws IOException {
        put("atlas", null, T);
        put("atlas", new byte[0], T);
        put("atlas", new byte[100_000], T);
        Identity elsewhere = new Identity("atlas", "", "", "", "");
        int wrong = (Partitioning.shardOf("atlas", Desk.SHARDS) + 1) % Desk.SHARDS;
        desk.cluster().put(TopicCatalogue.ADMISSION_REQUESTS, wrong, null, batch(elsewhere, Command.NEVER), T);
        desk.cluster()
                .put(
                        TopicCatalogue.ADMISSION_REQUESTS,
                        Partitioning.shardOf("atlas", Desk.SHARDS),
                        null,
                        batch(elsewhere, T - 1),
                        T);
        ask("atlas", T);

        JsonNode report = report(6);

        assertThat(report.path("unreadable").asLong()).isEqualTo(3);
        assertThat(report.path("requests").asLong()).isEqualTo(3);
        assertThat(report.path("undecidedBefore").asLong()).isEqualTo(2);
        assertThat(report.path("undecidedAfter").asLong()).isEqualTo(2);
    }

    @Test
    void a_run_that_was_stopped_anywhere_goes_on_to_the_same_figures() throws IOException {
        traffic();
        desk.put(plan("tenant-3", TenantPlan.Status.SUSPENDED), T);
        JsonNode whole = report(3, "--examples", "50");
        assertThat(whole.path("newlyDenied").asLong()).isGreaterThan(50);
        Path checkpoint = folder.resolve("checkpoint");
        int stops = 0;

        for (int records = 11; records < 400; records += 53) {
            desk.cluster().failAfter(records);
            String[] args =
                    args(3, "--examples", "50", "--checkpoint", checkpoint.toString(), "--checkpoint-seconds", "0");
            int code = desk.run(args);
            while (code == 1 && desk.err().contains("the cluster is gone")) {
                stops++;
                assertThat(Files.exists(checkpoint)).isTrue();
                desk.cluster().failAfter(records);
                code = desk.run(args);
            }
            desk.cluster().failAfter(Integer.MAX_VALUE);
            assertThat(code).as(desk.err()).isZero();
            assertThat(JSON.readTree(desk.out()))
                    .as("stopped every %s records", records)
                    .isEqualTo(whole);
            assertThat(checkpoint).doesNotExist();
        }
        assertThat(stops).isGreaterThan(20);
    }

    @Test
    void what_is_appended_after_the_beginning_is_not_part_of_a_run_that_goes_on() throws IOException {
        traffic();
        JsonNode whole = report(3);
        Path checkpoint = folder.resolve("checkpoint");
        String[] args = args(3, "--checkpoint", checkpoint.toString(), "--checkpoint-seconds", "0");
        desk.cluster().failAfter(30);
        assertThat(desk.run(args)).isEqualTo(1);
        desk.cluster().failAfter(Integer.MAX_VALUE);

        traffic();
        assertThat(desk.run(args)).as(desk.err()).isZero();

        assertThat(JSON.readTree(desk.out())).isEqualTo(whole);
    }

    @Test
    void a_checkpoint_of_other_inputs_or_a_damaged_one_is_refused() throws IOException {
        traffic();
        Path checkpoint = folder.resolve("checkpoint");
        String[] last = {"--checkpoint", checkpoint.toString(), "--checkpoint-seconds", "0"};
        desk.cluster().failAfter(30);
        assertThat(desk.run(args(3, last))).isEqualTo(1);
        desk.cluster().failAfter(Integer.MAX_VALUE);

        assertThat(desk.run(args(4, last))).isEqualTo(1);
        assertThat(desk.err()).contains("belongs to another backtest", "delete it to begin anew");

        byte[] bytes = Files.readAllBytes(checkpoint);
        for (int length : new int[] {0, 1, 30, bytes.length / 2, bytes.length - 1}) {
            Files.write(checkpoint, Arrays.copyOf(bytes, length));
            assertThat(desk.run(args(3, last)))
                    .as("%s of %s bytes", length, bytes.length)
                    .isEqualTo(1);
            assertThat(desk.err()).contains("checkpoint " + checkpoint).contains("delete it to begin anew");
        }
        Files.writeString(checkpoint, "\0\5hello");
        assertThat(desk.run(args(3, last))).isEqualTo(1);
        assertThat(desk.err()).contains("it is none, or one of another release");
    }

    @Test
    void many_keys_stay_within_the_bounds_and_the_counts_say_that_they_are_approximate() throws Exception {
        List<Command> commands = new ArrayList<>();
        String shardKey = "";
        for (int i = 0; i < Tally.MAX_NAMES * 2; i++) {
            Identity who = new Identity("tenant-" + i, "", "", "", "");
            if (Partitioning.shardOf(who.tenant(), Desk.SHARDS) != 0) {
                continue;
            }
            shardKey = who.tenant();
            commands.add(new Command.Ask(
                    new Admission(Stage.TENANT, who, true, "GET /", Map.of(), 1), false, Command.NEVER, false));
            if (commands.size() == Requests.MAX_COMMANDS) {
                put(shardKey, RequestRecords.encode(new Requests(Optional.empty(), commands)), T);
                commands.clear();
            }
        }
        Tally small = new Tally(
                PolicyDocument.parse(json(1)).policy(),
                PolicyDocument.parse(json(2)).policy(),
                0,
                1_000);

        new TopicTraffic(
                        desk.cluster(),
                        PolicyDocument.parse(json(1)),
                        PolicyDocument.parse(json(2)),
                        Optional.empty(),
                        small,
                        Optional.empty(),
                        0,
                        new Progress(new PrintWriter(Writer.nullWriter()), false))
                .compare(0, Long.MAX_VALUE);

        assertThat(small.total(Column.REQUESTS)).isGreaterThan(10_000);
        assertThat(small.tenants().names()).isLessThanOrEqualTo(1_000);
        assertThat(small.tenants().missing()).isPositive();
    }

    private static byte[] json(int version) {
        return """
                {"apiVersion": "headgate.io/v1", "kind": "PolicySnapshot", "metadata": {"name": "p", "version": %d},
                 "spec": {"domain": "test", "rules": [{"id": "R", "stage": "tenant", "algorithm": "fixed-window",
                 "limit": {"requests": 1, "per": "1h"}}]}}
                """.formatted(version).getBytes(StandardCharsets.UTF_8);
    }

    private void traffic() {
        for (int i = 0; i < 400; i++) {
            ask("tenant-" + i % 20, T + i * 25L);
        }
        put("tenant-1", new byte[] {7}, T + 100_000);
    }

    private void ask(String tenant, long millis) {
        put(tenant, batch(new Identity(tenant, "", "", "", ""), Command.NEVER), millis);
    }

    private static byte[] batch(Identity who, long deadlineMillis) {
        Admission admission = new Admission(Stage.TENANT, who, true, "GET /", Map.of(), 1);
        return RequestRecords.encode(
                new Requests(Optional.empty(), List.of(new Command.Ask(admission, false, deadlineMillis, false))));
    }

    private void control(String tenant, Control control, long millis) {
        put(tenant, ControlRecords.encode(Partitioning.shardOf(tenant, Desk.SHARDS), control, KEY), millis);
    }

    private void put(String tenant, byte[] value, long millis) {
        int shard = Partitioning.shardOf(tenant, Desk.SHARDS);
        desk.cluster().put(TopicCatalogue.ADMISSION_REQUESTS, shard, new byte[0], value, millis);
    }

    private static PlanRecord plan(String tenant, TenantPlan.Status status) {
        return new PlanRecord(
                new TenantPlan(
                        tenant, status, TenantPlan.DEFAULT, false, Optional.empty(), Optional.empty(), new TreeMap<>()),
                "ann",
                "because");
    }

    private static Action ban(String tenant) {
        Subject whom = new Subject(Stage.TENANT, new Identity(tenant, "", "", "", ""), "", Map.of());
        return new Action("ban-1", "ann", "because", whom, new Action.Ban(Scope.TENANT, T + 1_000_000));
    }

    private JsonNode report(int limit, String... more) throws IOException {
        assertThat(desk.run(args(limit, more))).as(desk.err()).isZero();
        return JSON.readTree(desk.out());
    }

    private String[] args(int limit, String... more) throws IOException {
        Path candidate = Files.writeString(folder.resolve("candidate.yaml"), policy(2, limit));
        List<String> all = new ArrayList<>(List.of(
                "policy",
                "backtest",
                "--candidate",
                candidate.toString(),
                "--from-topic",
                "--bootstrap-servers",
                "memory:1",
                "--output",
                "json"));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private static JsonNode tenant(JsonNode report, String name) {
        for (JsonNode row : report.path("tenants").path("top")) {
            if (row.path("name").asText().equals(name)) {
                return row;
            }
        }
        throw new AssertionError("there is no " + name + " in " + report.path("tenants"));
    }

    private static String policy(int version, int requests) {
        return """
                apiVersion: headgate.io/v1
                kind: PolicySnapshot
                metadata: {name: topic, version: %d}
                spec:
                  domain: test
                  rules:
                    - {id: BUDGET, stage: tenant, algorithm: fixed-window, limit: {requests: %d, per: 10s}}
                """.formatted(version, requests);
    }
}
