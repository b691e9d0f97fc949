package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.Partitioning;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.Headgate;
import io.headgate.tools.PolicyTopic;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code headgate explain} says of decisions that a processor made. */
class ExplainIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static LocalBroker broker;
    private static AdmissionProcessor processor;
    private static PlainGateway gateway;
    private static String keys;

    @BeforeAll
    static void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers()).publish(LoadPolicy.version(1), "ann", "a first try");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder, Map.of("trace.allows.one.in", "0"));
        LocalShards.awaitReady(processor);
        gateway = new PlainGateway(broker.bootstrapServers());
        keys = Secrets.controlKeys(folder).toString();
    }

    @AfterAll
    static void stop() {
        if (gateway != null) {
            gateway.close();
        }
        if (processor != null) {
            processor.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void a_denial_is_explained_from_its_trace() throws Exception {
        Decision denied = decide("traced", 301).get(300);
        assertThat(denied.verdict()).isEqualTo(Verdict.DENY);

        await().atMost(PATIENCE).untilAsserted(() -> {
            JsonNode json = explain(denied);
            assertThat(json.path("source").asText()).isEqualTo("trace");
            assertThat(json.path("verdict").asText()).isEqualTo("DENY");
            assertThat(json.path("denyingRule").asText()).isEqualTo("budget");
            assertThat(json.path("policy").path("author").asText()).isEqualTo("ann");
            assertThat(json.path("rules").get(0).path("before").asLong()).isZero();
            assertThat(json.path("request").path("route").asText()).isEqualTo(LoadPolicy.SPEND);
        });
    }

    @Test
    void an_admission_without_a_trace_is_folded_again_past_hostile_records() throws Exception {
        int shard = Partitioning.shardOf("folded", LocalShards.SHARDS);
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (byte[] hostile : new byte[][] {{}, {1, 2, 3}, new byte[10_000], null}) {
                producer.send(new ProducerRecord<>(TopicCatalogue.ADMISSION_REQUESTS, shard, null, hostile))
                        .get();
            }
        }
        Decision admitted = decide("folded", 5).get(4);

        JsonNode json = explain(admitted, "--control-keys", keys);

        assertThat(json.path("source").asText()).as(json.toString()).isEqualTo("fold");
        assertThat(json.path("verdict").asText()).isEqualTo("ALLOW");
        assertThat(json.path("policyVersion").asLong()).isEqualTo(admitted.policyVersion());
        JsonNode budget = json.path("rules").get(0);
        assertThat(budget.path("before").asLong()).isEqualTo(296);
        assertThat(budget.path("after").asLong()).isEqualTo(admitted.remaining().orElseThrow());
        assertThat(json.path("rules").get(1).path("said").asText()).isEqualTo("SKIP");
        assertThat(explain(admitted).path("source").asText()).isEqualTo("request");
    }

    @Test
    void where_the_log_does_not_reach_back_there_is_the_request_alone() throws Exception {
        String tenant =
                Asks.tenantOf((Partitioning.shardOf("folded", LocalShards.SHARDS) + 1) % LocalShards.SHARDS, "cut");
        Decision admitted = decide(tenant, 1).get(0);
        TopicPartition log = new TopicPartition(
                TopicCatalogue.ADMISSION_REQUESTS, admitted.id().shard());
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.deleteRecords(Map.of(
                            log, RecordsToDelete.beforeOffset(admitted.id().offset())))
                    .all()
                    .get();
        }

        JsonNode json = explain(admitted, "--control-keys", keys);

        assertThat(json.path("source").asText()).isEqualTo("request");
        assertThat(json.path("request").path("tenant").asText()).isEqualTo(tenant);
        assertThat(json.path("notes").toString())
                .contains("begins at offset " + admitted.id().offset() + ", so it cannot be folded again");
    }

    @Test
    void what_a_rule_in_shadow_would_have_denied_is_told_by_the_processor() throws Exception {
        Command read = new Command.Ask(
                new Admission(
                        Stage.TENANT, new Identity("shaded", "u1", "", "", ""), true, LoadPolicy.READ, Map.of(), 1),
                false,
                Command.NEVER,
                false);
        gateway.ask(new Requests(Optional.empty(), Collections.nCopies(8, read)));

        JsonNode json = run("policy", "shadow", "--admin", "127.0.0.1:" + processor.adminPort(), "--output", "json");

        JsonNode tight = json.path("rules").get(0);
        assertThat(tight.path("rule").asText()).isEqualTo("user-tight");
        assertThat(tight.path("asked").asLong()).isEqualTo(8);
        assertThat(tight.path("denied").asLong()).isEqualTo(3);
        assertThat(tight.path("keys").get(0).path("key").asText()).isEqualTo("shaded");
    }

    private static List<Decision> decide(String tenant, int times) throws Exception {
        return gateway.ask(Asks.spend(tenant, times)).decisions();
    }

    private static JsonNode explain(Decision decision, String... more) throws Exception {
        String[] args = Stream.concat(
                        Stream.of(
                                "explain",
                                decision.id().toString(),
                                "--bootstrap-servers",
                                broker.bootstrapServers(),
                                "--output",
                                "json"),
                        Stream.of(more))
                .toArray(String[]::new);
        return run(args);
    }

    /** Runs {@code headgate …}, which must succeed; what it says. */
    private static JsonNode run(String... args) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(Headgate.run(args, out, err))
                .as(err.toString(StandardCharsets.UTF_8))
                .isZero();
        return new ObjectMapper().readTree(out.toString(StandardCharsets.UTF_8));
    }
}
