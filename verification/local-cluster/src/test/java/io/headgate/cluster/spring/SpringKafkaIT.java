package io.headgate.cluster.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.cluster.LocalBroker;
import io.headgate.cluster.LocalShards;
import io.headgate.cluster.spring.JsonAsking.Question;
import io.headgate.core.shard.Partitioning;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.wire.Command;
import io.headgate.schemas.wire.DecisionRecord;
import io.headgate.schemas.wire.Op;
import io.headgate.schemas.wire.ReplyBatch;
import io.headgate.schemas.wire.RequestBatch;
import io.headgate.schemas.wire.StageName;
import io.headgate.schemas.wire.VerdictName;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyTopic;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.requestreply.KafkaReplyTimeoutException;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;
import org.springframework.kafka.requestreply.RequestReplyFuture;
import org.springframework.kafka.support.KafkaHeaders;

/** Spring Kafka's own request/reply, which has nothing of ours but the schemas, against a processor on a real broker. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpringKafkaIT {

    private static final int MY_PARTITION = 5;

    /** A loaded machine must not look like a missing answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Where no answer is what is expected. */
    private static final Duration IN_VAIN = Duration.ofSeconds(2);

    private LocalBroker broker;
    private AdmissionProcessor processor;
    private final List<ReplyingKafkaTemplate<?, ?, ?>> started = new ArrayList<>();
    private ReplyingKafkaTemplate<String, RequestBatch, ReplyBatch> avro;
    private ReplyingKafkaTemplate<String, Object, JsonNode> json;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers(), LocalShards.SHARDS);
        new PolicyTopic(broker.bootstrapServers()).publish(PolicyFile.northstar(), "test", "first");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder, Map.of());
        LocalShards.awaitReady(processor);
        avro = started(AvroAsking.template(broker.bootstrapServers(), SpringClients.onePartition(MY_PARTITION)));
        json = started(JsonAsking.template(broker.bootstrapServers(), SpringClients.onePartition(MY_PARTITION)));
    }

    @AfterAll
    void stop() {
        started.forEach(ReplyingKafkaTemplate::destroy);
        if (processor != null) {
            processor.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    private <T extends ReplyingKafkaTemplate<?, ?, ?>> T started(T template) throws InterruptedException {
        started.add(template);
        template.afterPropertiesSet();
        template.start();
        assertThat(template.waitForAssignment(PATIENCE)).isTrue();
        return template;
    }

    private static Command.Builder command(String tenant) {
        return Command.newBuilder()
                .setOp(Op.ADMIT)
                .setStage(StageName.TENANT)
                .setTenant(tenant)
                .setUser("u1")
                .setAuthenticated(true)
                .setRoute("GET /catalog");
    }

    private static Question read(String tenant) {
        return new Question(tenant, "u1", "GET /catalog", null, null);
    }

    private static Map<String, Object> batch(List<?> commands) {
        return Map.of("commands", commands);
    }

    private static ReplyBatch ask(ReplyingKafkaTemplate<String, RequestBatch, ReplyBatch> template, Command... commands)
            throws Exception {
        return template.sendAndReceive(AvroAsking.question(commands), PATIENCE)
                .get()
                .value();
    }

    private JsonNode ask(String tenant, Object question) throws Exception {
        return json.sendAndReceive(JsonAsking.question(tenant, question), PATIENCE)
                .get()
                .value();
    }

    private static List<String> verdicts(JsonNode reply) {
        return reply.path("decisions").findValuesAsText("verdict");
    }

    private static List<VerdictName> verdicts(ReplyBatch reply) {
        return reply.getDecisions().stream().map(DecisionRecord::getVerdict).toList();
    }

    /** In one batch, so that no refill comes between. */
    @Test
    void in_avro_a_bucket_of_20_admits_20_and_says_when_there_is_more() throws Exception {
        Command[] reads = Collections.nCopies(21, command("atlas").build()).toArray(Command[]::new);

        ReplyBatch reply = ask(avro, reads);

        assertThat(verdicts(reply).subList(0, 20)).containsOnly(VerdictName.ALLOW);
        DecisionRecord denied = reply.getDecisions().get(20);
        assertThat(denied.getVerdict()).isEqualTo(VerdictName.DENY);
        assertThat(denied.getDenyingRule()).isEqualTo("P-READ");
        assertThat(denied.getRemaining()).isZero();
        assertThat(denied.getRetryAfterMillis()).isEqualTo(500);
    }

    @Test
    void in_json_a_bucket_of_20_admits_20_and_says_when_there_is_more() throws Exception {
        JsonNode reply = ask("birch", batch(Collections.nCopies(21, read("birch"))));

        assertThat(verdicts(reply).subList(0, 20)).containsOnly("ALLOW");
        JsonNode denied = reply.path("decisions").path(20);
        assertThat(denied.path("verdict").asText()).isEqualTo("DENY");
        assertThat(denied.path("denyingRule").asText()).isEqualTo("P-READ");
        assertThat(denied.path("remaining").asInt()).isZero();
        assertThat(denied.path("retryAfterMillis").asInt()).isEqualTo(500);
    }

    /** The template leaves the partition to the record's key, as any Java client does. */
    @Test
    void finds_the_shard_of_every_tenant_in_either_encoding() throws Exception {
        Map<String, RequestReplyFuture<String, RequestBatch, ReplyBatch>> inAvro = new LinkedHashMap<>();
        Map<String, RequestReplyFuture<String, Object, JsonNode>> inJson = new LinkedHashMap<>();
        for (int i = 0; i < 100; i++) {
            for (String tenant : List.of("tenant-" + i, "Zürich-" + i, "☃".repeat(1 + i % 7) + i, "😀" + i)) {
                inAvro.put(
                        tenant,
                        avro.sendAndReceive(AvroAsking.question(command(tenant).build()), PATIENCE));
                inJson.put(tenant, json.sendAndReceive(JsonAsking.question(tenant, read(tenant)), PATIENCE));
            }
        }

        for (String tenant : inAvro.keySet()) {
            int shard = Partitioning.shardOf(tenant, LocalShards.SHARDS);
            ReplyBatch avroReply = inAvro.get(tenant).get().value();
            assertThat(avroReply.getShard()).as(tenant).isEqualTo(shard);
            assertThat(verdicts(avroReply)).as(tenant).containsExactly(VerdictName.ALLOW);
            JsonNode jsonReply = inJson.get(tenant).get().value();
            assertThat(jsonReply.path("shard").asInt()).as(tenant).isEqualTo(shard);
            assertThat(verdicts(jsonReply)).as(tenant).containsExactly("ALLOW");
        }
    }

    /** The answer names the partition that the template named, and no other reads along. */
    @Test
    void the_answer_comes_to_the_partition_that_the_template_named_in_the_encoding_of_the_question() throws Exception {
        ConsumerRecord<String, ReplyBatch> inAvro = avro.sendAndReceive(
                        AvroAsking.question(command("cedar").build()), PATIENCE)
                .get();
        ConsumerRecord<String, JsonNode> inJson = json.sendAndReceive(
                        JsonAsking.question("cedar", read("cedar")), PATIENCE)
                .get();

        assertThat(inAvro.partition()).isEqualTo(MY_PARTITION);
        assertThat(inAvro.headers().lastHeader("content-type")).isNull();
        assertThat(inJson.partition()).isEqualTo(MY_PARTITION);
        assertThat(inJson.headers().lastHeader("content-type").value())
                .asString()
                .isEqualTo("application/json");
    }

    @Test
    void a_callers_key_admits_once_and_another_request_under_it_conflicts() throws Exception {
        Question keyed = new Question("doum", "u1", "GET /catalog", null, "order-1");
        Question dearer = new Question("doum", "u1", "GET /catalog", 2L, "order-1");

        JsonNode first = ask("doum", keyed);
        JsonNode second = ask("doum", keyed);
        JsonNode other = ask("doum", dearer);
        ReplyBatch inAvro = ask(
                avro, command("doum").setIdempotencyKey("order-1").setCost(2).build());

        assertThat(verdicts(first)).containsExactly("ALLOW");
        assertThat(verdicts(second)).containsExactly("ALLOW");
        assertThat(second.path("decisions").path(0).path("replayed").asBoolean())
                .isTrue();
        assertThat(second.path("decisions").path(0).path("decisionId"))
                .isEqualTo(first.path("decisions").path(0).path("decisionId"));
        assertThat(verdicts(other)).containsExactly("CONFLICT");
        assertThat(verdicts(inAvro)).containsExactly(VerdictName.CONFLICT);
    }

    @Test
    void a_question_that_is_none_fails_with_the_reason() {
        RequestReplyFuture<String, Object, JsonNode> asked =
                json.sendAndReceive(JsonAsking.question("elm", Map.of("commands", "all")), PATIENCE);

        assertThatThrownBy(asked::get)
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("refused: commands is a string");
    }

    @Test
    void what_is_wrong_with_one_command_is_its_own_affair() throws Exception {
        JsonNode reply = ask("fir", batch(List.of(read("fir"), Map.of("tenant", "fir", "cost", "much"), read("fir"))));

        assertThat(verdicts(reply)).containsExactly("ALLOW", "ERROR", "ALLOW");
    }

    @Test
    void a_tenant_under_another_tenants_key_is_misrouted_and_debited_nothing() throws Exception {
        String elsewhere = "stray-" + shardNextTo("ginkgo");

        JsonNode astray = ask(elsewhere, new Question("ginkgo", "u1", "GET /catalog", 20L, null));
        JsonNode after = ask("ginkgo", new Question("ginkgo", "u1", "GET /catalog", 20L, null));

        assertThat(verdicts(astray)).containsExactly("MISROUTED");
        assertThat(verdicts(after)).containsExactly("ALLOW");
    }

    private static int shardNextTo(String tenant) {
        int shard = Partitioning.shardOf(tenant, LocalShards.SHARDS);
        int candidate = 0;
        while (Partitioning.shardOf("stray-" + candidate, LocalShards.SHARDS) == shard) {
            candidate++;
        }
        return candidate;
    }

    /** It costs that answer and nothing else: the request is decided, and the shard goes on. */
    @Test
    void a_bad_reply_address_costs_that_answer_alone() throws Exception {
        for (Map<String, byte[]> address : List.of(
                Map.of(KafkaHeaders.REPLY_TOPIC, "policies".getBytes(UTF_8)),
                Map.of(KafkaHeaders.REPLY_TOPIC, "no-such-topic".getBytes(UTF_8)),
                Map.of(
                        KafkaHeaders.REPLY_TOPIC,
                        "admission-replies".getBytes(UTF_8),
                        KafkaHeaders.REPLY_PARTITION,
                        ByteBuffer.allocate(4).putInt(10_000).array()))) {
            String tenant = "hazel-" + address.hashCode();
            ProducerRecord<String, Object> all =
                    JsonAsking.question(tenant, new Question(tenant, "u1", "GET /catalog", 20L, null));
            address.forEach((name, value) -> all.headers().add(name, value));

            RequestReplyFuture<String, Object, JsonNode> unanswered = json.sendAndReceive(all, IN_VAIN);

            assertThatThrownBy(unanswered::get).hasCauseInstanceOf(KafkaReplyTimeoutException.class);
            JsonNode after = ask(tenant, new Question(tenant, "u1", "GET /catalog", 20L, null));
            assertThat(verdicts(after)).containsExactly("DENY");
        }
    }

    @Test
    void two_that_share_a_reply_partition_get_their_own_answers() throws Exception {
        ReplyingKafkaTemplate<String, RequestBatch, ReplyBatch> neighbour =
                started(AvroAsking.template(broker.bootstrapServers(), SpringClients.onePartition(MY_PARTITION)));
        neighbour.setBinaryCorrelation(false);

        assertEachIsAnswered(avro, neighbour);
    }

    /** Without a partition in the headers the answer may come to any, so each process reads them all. */
    @Test
    void two_that_read_the_whole_reply_topic_get_their_own_answers() throws Exception {
        ReplyingKafkaTemplate<String, RequestBatch, ReplyBatch> one = readingTheWholeTopic("shop-1");
        ReplyingKafkaTemplate<String, RequestBatch, ReplyBatch> two = readingTheWholeTopic("shop-2");

        assertEachIsAnswered(one, two);
    }

    private ReplyingKafkaTemplate<String, RequestBatch, ReplyBatch> readingTheWholeTopic(String group)
            throws InterruptedException {
        ContainerProperties replies = SpringClients.wholeTopic(group);
        return started(AvroAsking.template(broker.bootstrapServers(), replies));
    }

    private static void assertEachIsAnswered(
            ReplyingKafkaTemplate<String, RequestBatch, ReplyBatch> one,
            ReplyingKafkaTemplate<String, RequestBatch, ReplyBatch> two)
            throws Exception {
        List<RequestReplyFuture<String, RequestBatch, ReplyBatch>> answers = new ArrayList<>();
        List<Integer> shards = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            String tenant = "pair-" + i;
            shards.add(Partitioning.shardOf(tenant, LocalShards.SHARDS));
            answers.add((i % 2 == 0 ? one : two).sendAndReceive(question(tenant), PATIENCE));
        }
        for (int i = 0; i < answers.size(); i++) {
            ReplyBatch reply = answers.get(i).get().value();
            assertThat(reply.getShard()).isEqualTo(shards.get(i));
            assertThat(verdicts(reply)).containsExactly(VerdictName.ALLOW);
        }
    }

    private static ProducerRecord<String, RequestBatch> question(String tenant) {
        return AvroAsking.question(command(tenant).build());
    }
}
