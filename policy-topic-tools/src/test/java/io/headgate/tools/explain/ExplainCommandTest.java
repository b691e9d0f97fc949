package io.headgate.tools.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.Partitioning;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.TraceRecords;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.TrustedKeysDocument;
import io.headgate.schemas.trust.Permission;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.schemas.trust.TrustedKey;
import io.headgate.schemas.trust.TrustedKeys;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Desk;
import io.headgate.tools.MemoryCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainCommandTest {

    private static final ControlKey KEY = new ControlKey("k1", new byte[32]);
    private static final int TRACES = 4;

    private static final PolicyDocument POLICY =
            PolicyDocument.parse("""
            {"apiVersion": "headgate.io/v1", "kind": "PolicySnapshot",
             "metadata": {"name": "p", "version": 7},
             "spec": {"domain": "d", "rules": [
               {"id": "TWO", "stage": "tenant", "algorithm": "fixed-window", "limit": {"requests": 2, "per": "1d"}},
               {"id": "ONE", "stage": "tenant", "algorithm": "fixed-window", "limit": {"requests": 1, "per": "1d"},
                "enforcement": {"mode": "shadow"}},
               {"id": "ANON", "stage": "tenant", "match": {"authenticated": false}, "algorithm": "unlimited"}]}}
            """.getBytes(StandardCharsets.UTF_8)).as(7, "ann", "spring sale");

    private final Desk desk = new Desk();
    private final MemoryCluster cluster = desk.cluster();
    private int shard;
    private String keyFile;

    @TempDir
    Path folder;

    @BeforeEach
    void write_a_log() throws Exception {
        cluster.create(TopicCatalogue.ADMISSION_REQUESTS, Desk.SHARDS);
        cluster.create(TopicCatalogue.DECISION_TRACE, TRACES);
        PolicyRecord record = PolicyRecord.of(POLICY, List.of());
        cluster.put(TopicCatalogue.POLICIES, 0, new byte[1], new byte[] {1, 2, 3});
        cluster.put(TopicCatalogue.POLICIES, 0, record.key(), record.toBytes());
        shard = Partitioning.shardOf("atlas", Desk.SHARDS);
        control(new Control.ApplySettings(
                0, -1, new ShardSettings(1, Desk.SHARDS, "k1", 30_000, 1_024, 16, 3_600_000, 1_000)));
        control(new Control.ApplyPolicy(1, -1, POLICY.canonicalBytes()));
        append(new byte[] {9, 9, 9});
        control(new Control.CaughtUp());
        keyFile = Files.writeString(folder.resolve("control.keys"), "k1=" + "00".repeat(32) + "\n")
                .toString();
    }

    @Test
    void without_a_trace_the_log_is_folded_again() throws Exception {
        ask(1);
        long offset = ask(2);

        JsonNode json = json(shard + "-" + offset + "-1", "--control-keys", keyFile);

        assertThat(json.path("source").asText()).isEqualTo("fold");
        assertThat(json.path("verdict").asText()).isEqualTo("DENY");
        assertThat(json.path("because").asText()).contains("rule TWO is the first that denies");
        assertThat(json.path("policy").path("author").asText()).isEqualTo("ann");
        assertThat(json.path("policy").path("reason").asText()).isEqualTo("spring sale");
        JsonNode rules = json.path("rules");
        assertThat(rules.get(0).path("rule").asText()).isEqualTo("TWO");
        assertThat(rules.get(0).path("said").asText()).isEqualTo("DENY");
        assertThat(rules.get(0).path("before").asLong()).isZero();
        assertThat(rules.get(0).path("retryAfterMillis").asLong()).isPositive();
        assertThat(rules.get(1).path("enforcement").asText()).isEqualTo("shadow");
        assertThat(rules.get(2).path("said").asText()).isEqualTo("SKIP");

        assertThat(explain(shard + "-" + offset + "-0", "--control-keys", keyFile))
                .isZero();
        assertThat(desk.out())
                .contains("decision " + shard + "-" + offset + "-0  ALLOW")
                .contains("because every rule that is enforced permits it")
                .contains("policy version 7, published 2026-03-01T10:00:00Z by ann: spring sale")
                .contains("├─ PASS  TWO  limit 2, before 1, cost 1, after 0")
                .contains("├─ DENY  ONE  (shadow: changes nothing)  limit 1, before 0, cost 1, after 0")
                .contains("└─ SKIP  ANON  does not speak of it")
                .contains("there is no trace of it");
    }

    @Test
    void a_trace_is_enough_when_the_log_is_gone() {
        long offset = ask(1);
        DecisionId id = new DecisionId(shard, offset, 0);
        trace(trace(id, "atlas", 2));
        ask(1);
        cluster.expire(TopicCatalogue.ADMISSION_REQUESTS, shard, offset + 1);

        assertThat(explain(id.toString())).isZero();

        assertThat(desk.out())
                .contains("from its trace")
                .contains("is not in the log any more, which begins at offset " + (offset + 1))
                .contains("PASS  TWO  limit 2, before 2, cost 1, after 1");
    }

    @Test
    void a_trace_of_somebody_else_under_the_same_id_is_passed_over() {
        long offset = ask(1);
        DecisionId id = new DecisionId(shard, offset, 0);
        for (int partition = 0; partition < TRACES; partition++) {
            cluster.put(TopicCatalogue.DECISION_TRACE, partition, new byte[0], new byte[] {1});
            cluster.put(TopicCatalogue.DECISION_TRACE, partition, new byte[0], null);
            cluster.put(
                    TopicCatalogue.DECISION_TRACE,
                    partition,
                    new byte[0],
                    TraceRecords.encode(trace(id, "mallory", 99)));
        }

        assertThat(explain(id.toString())).isZero();

        assertThat(desk.out())
                .contains("decision " + id + "  NOT KNOWN")
                .contains("the request alone")
                .contains("tenant  atlas")
                .contains("give the processors' --control-keys");
    }

    @Test
    void a_log_that_has_lost_nothing_but_its_first_record_does_not_reach_back() {
        long offset = ask(1);
        cluster.expire(TopicCatalogue.ADMISSION_REQUESTS, shard, 1);

        assertThat(explain(shard + "-" + offset + "-0", "--control-keys", keyFile))
                .isZero();

        assertThat(desk.out())
                .contains("the log of shard " + shard + " begins at offset 1, so it cannot be folded again")
                .contains("the request alone");
    }

    @Test
    void names_nobody_as_the_publisher_whom_readers_do_not_believe() throws Exception {
        long offset = ask(1);
        SigningKey.Pair ann = SigningKey.newPair("ann");
        TrustedKey trusted = new TrustedKey(
                "ann",
                ann.publicKey(),
                "",
                new TreeSet<>(),
                EnumSet.of(Permission.PUBLISH),
                new TreeSet<>(),
                TrustedKey.FOR_EVER);
        Path keys = Files.writeString(
                folder.resolve("trusted.json"),
                TrustedKeysDocument.written(new TrustedKeys(List.of(trusted))).toString());

        String[] asked = {shard + "-" + offset + "-0", "--control-keys", keyFile, "--trusted-keys", keys.toString()};
        assertThat(explain(asked)).isZero();
        assertThat(desk.out())
                .contains("policy version 7 is not on the topic of policies")
                .doesNotContain("spring sale");

        PolicyRecord signed = PolicyRecord.of(POLICY, List.of(ann.signingKey().sign(POLICY)));
        cluster.put(TopicCatalogue.POLICIES, 0, signed.key(), signed.toBytes());
        assertThat(explain(asked)).isZero();
        assertThat(desk.out()).contains("by ann: spring sale");
    }

    @Test
    void says_plainly_when_the_log_does_not_reach_back() {
        ask(1);
        long offset = ask(1);
        cluster.expire(TopicCatalogue.ADMISSION_REQUESTS, shard, 3);

        assertThat(explain(shard + "-" + offset + "-0", "--control-keys", keyFile))
                .isZero();

        assertThat(desk.out())
                .contains("the log of shard " + shard + " begins at offset 3, so it cannot be folded again")
                .contains("user  u-1");
    }

    @Test
    void a_gap_another_key_and_a_state_too_large_stop_the_fold() throws Exception {
        long offset = ask(1);
        String other = Files.writeString(folder.resolve("other.keys"), "k2=" + "01".repeat(32) + "\n")
                .toString();

        assertThat(explain(shard + "-" + offset + "-0", "--control-keys", other))
                .isZero();
        assertThat(desk.out())
                .contains("no genuine control record stands before the decision")
                .contains("the first names key 'k1', which the key file does not have");

        DecisionId id = new DecisionId(shard, offset, 0);
        ControlKeys keys = ControlKeys.read(Path.of(keyFile));
        assertThatThrownBy(() -> Refold.run(cluster, id, keys, 2, at -> {}))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("has more than 2 entries at offset");

        append(new byte[] {1});
        long behind = ask(1);
        cluster.remove(TopicCatalogue.ADMISSION_REQUESTS, shard, behind - 1);
        assertThat(explain(shard + "-" + behind + "-0", "--control-keys", keyFile))
                .isZero();
        assertThat(desk.out()).contains("has a gap: after offset " + (behind - 2) + " comes " + behind);
    }

    @Test
    void a_batch_that_came_again_points_at_the_first() {
        LogRecord.Requests batch =
                new LogRecord.Requests(Optional.of(new LogRecord.Attempt("gateway", 1, 1)), List.of(command("u")));
        long first = append(RequestRecords.encode(batch));
        long again = append(RequestRecords.encode(batch));

        assertThat(explain(shard + "-" + again + "-0", "--control-keys", keyFile))
                .isZero();

        assertThat(desk.out()).contains("it repeats decision " + shard + "-" + first + "-0 and debited nothing");
    }

    @Test
    void hostile_text_stays_on_its_line() {
        long offset = append(RequestRecords.encode(
                new LogRecord.Requests(Optional.empty(), List.of(command("u\u001b[2J\n" + "x".repeat(200))))));

        assertThat(explain(shard + "-" + offset + "-0")).isZero();

        assertThat(desk.out()).contains("user  u?[2J?xxx").doesNotContain("\u001b");
    }

    @Test
    void what_is_no_decision_is_refused_with_a_reason() {
        long offset = ask(1);

        for (String id : List.of("1", "1-2", "a-b-c", "1-2-3-4", "1-99999999999999999999-0", "1-2-3 ")) {
            assertThat(explain(id)).as(id).isEqualTo(2);
            assertThat(desk.err()).contains("it must be shard-offset-index");
        }
        assertThat(explain("")).isEqualTo(2);
        assertThat(explain("-1-2-3")).isEqualTo(2);
        assertThat(explain(shard + "-2-0")).isEqualTo(1);
        assertThat(desk.err()).contains("stands no request but");
        assertThat(explain(shard + "-1-0")).isEqualTo(1);
        assertThat(desk.err()).contains("stands no request but: a control record");
        assertThat(explain(shard + "-" + offset + "-1")).isEqualTo(1);
        assertThat(desk.err()).contains("a batch of 1; it has no index 1");
        assertThat(explain(shard + "-" + (offset + 1) + "-0")).isEqualTo(1);
        assertThat(desk.err()).contains("the log of shard " + shard + " ends at offset " + (offset + 1));
        assertThat(explain("8-0-0")).isEqualTo(1);
        assertThat(desk.err()).contains("there is no shard 8; there are 8");
        cluster.expire(TopicCatalogue.ADMISSION_REQUESTS, shard, 3);
        assertThat(explain(shard + "-1-0")).isEqualTo(1);
        assertThat(desk.err()).contains("nothing is known of decision");
        assertThat(explain("1-0-0", "--control-keys", folder.resolve("none").toString()))
                .isEqualTo(2);
        assertThat(desk.err()).contains("cannot be read: does not exist");
    }

    private static Trace trace(DecisionId id, String partitionKey, long before) {
        return new Trace(
                id,
                Desk.NOW.toEpochMilli(),
                Stage.TENANT,
                partitionKey,
                Optional.empty(),
                Verdict.ALLOW,
                7,
                Optional.empty(),
                List.of(),
                List.of(new Trace.Line(
                        "TWO",
                        "enforce",
                        "requests",
                        1,
                        OptionalLong.of(2),
                        OptionalLong.of(before),
                        OptionalLong.of(before - 1),
                        Decision.RuleOutcome.Said.PASS,
                        OptionalLong.empty())));
    }

    private void trace(Trace trace) {
        cluster.put(
                TopicCatalogue.DECISION_TRACE,
                Partitioning.shardOf(trace.partitionKey(), TRACES),
                TraceRecords.key(trace),
                TraceRecords.encode(trace));
    }

    private long ask(int commands) {
        List<Command> asked = new ArrayList<>();
        for (int i = 0; i < commands; i++) {
            asked.add(command("u-1"));
        }
        return append(RequestRecords.encode(new LogRecord.Requests(Optional.empty(), asked)));
    }

    private static Command command(String user) {
        return new Command.Ask(
                new Admission(Stage.TENANT, new Identity("atlas", user, "", "", ""), true, "GET /", Map.of(), 1),
                false,
                Command.NEVER,
                false);
    }

    private void control(Control control) {
        append(ControlRecords.encode(shard, control, KEY));
    }

    private long append(byte[] value) {
        return cluster.put(TopicCatalogue.ADMISSION_REQUESTS, shard, new byte[0], value);
    }

    private JsonNode json(String... args) throws Exception {
        String[] all = new String[args.length + 2];
        System.arraycopy(args, 0, all, 0, args.length);
        all[args.length] = "--output";
        all[args.length + 1] = "json";
        assertThat(explain(all)).as(desk.err()).isZero();
        return new ObjectMapper().readTree(desk.out());
    }

    private int explain(String... args) {
        String[] all = new String[args.length + 3];
        all[0] = "explain";
        all[1] = "--bootstrap-servers";
        all[2] = "memory:1";
        System.arraycopy(args, 0, all, 3, args.length);
        return desk.run(all);
    }
}
