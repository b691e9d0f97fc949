package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Partitioning;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.ActionRecords;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.trust.RecordSignature;
import io.headgate.schemas.trust.SignedRecord;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.tools.Headgate;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Somebody who may write the topics of plans and of actions, and has no key, changes nothing, though he has seen every
 * genuine record; and what is genuine counts.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ForgedRecordIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String ATLAS = "{\"tenant\":\"atlas\"}";
    private static final String POLICY = """
            apiVersion: headgate.io/v1
            kind: PolicySnapshot
            metadata: {name: shop, version: 1, author: ann, reason: test}
            spec:
              domain: shop
              plans: {default: {budget: 60}, gold: {budget: 600}}
              rules:
                - id: BUDGET
                  stage: tenant
                  reason: what is spent stays spent
                  algorithm: token-bucket
                  limit: {capacity: {fromPlan: budget}, refill: {tokens: 0, per: 1s}}
            """;

    @TempDir
    private Path folder;

    private final HttpCaller caller = new HttpCaller();
    private LocalBroker broker;
    private SigningPair signing;
    private AdmissionProcessor processor;
    private LocalGateway gateway;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        signing = SigningPair.in(folder);
        Path file = Files.writeString(folder.resolve("shop.policy.yaml"), POLICY);
        operate("policy", "publish", file.toString(), "--key", keyFile(), "--no-wait");
        startProcessor();
        gateway = LocalGateway.start(broker.bootstrapServers(), folder, "one", 0, signing.settings());
    }

    private void startProcessor() throws Exception {
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder, signing.settings());
        LocalShards.awaitReady(processor);
    }

    @AfterEach
    void stop() {
        if (gateway != null) {
            gateway.close();
        }
        if (processor != null) {
            processor.close();
        }
        broker.close();
    }

    private String keyFile() {
        return folder.resolve(SigningPair.KEY_FILE).toString();
    }

    private void operate(String... args) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        String[] all = Stream.concat(Stream.of(args), Stream.of("--bootstrap-servers", broker.bootstrapServers()))
                .toArray(String[]::new);
        assertThat(Headgate.run(all, said, said))
                .as(() -> said.toString(StandardCharsets.UTF_8))
                .isZero();
    }

    private void tenant(String... args) {
        operate(Stream.of(Stream.of("tenant"), Stream.of(args), Stream.of("--author", "ann", "--reason", "test"))
                .flatMap(part -> part)
                .toArray(String[]::new));
    }

    private static int shard() {
        return Partitioning.shardOf("atlas", LocalShards.SHARDS);
    }

    private ProducerRecord<byte[], byte[]> plan(TenantPlan plan) {
        PlanRecord record = new PlanRecord(plan, "mallory", "mine now");
        return new ProducerRecord<>(TopicCatalogue.TENANT_PLANS, shard(), record.key(), record.toBytes());
    }

    private ProducerRecord<byte[], byte[]> action(String id, Action.Effect effect) {
        Subject atlas = new Subject(Stage.TENANT, new Identity("atlas", "", "", "", ""), "", Map.of());
        Action action = new Action(id, "mallory", "mine now", atlas, effect);
        return new ProducerRecord<>(
                TopicCatalogue.QUOTA_ADJUSTMENTS, shard(), ActionRecords.key(action), ActionRecords.encode(action));
    }

    private static ProducerRecord<byte[], byte[]> signed(ProducerRecord<byte[], byte[]> record, SigningKey key) {
        key.sign(new SignedRecord(
                        record.topic(), System.currentTimeMillis(), record.key(), Optional.ofNullable(record.value())))
                .writeTo(record.headers());
        return record;
    }

    private static ProducerRecord<byte[], byte[]> copy(ConsumerRecord<byte[], byte[]> genuine) {
        return new ProducerRecord<>(
                genuine.topic(), genuine.partition(), genuine.key(), genuine.value(), genuine.headers());
    }

    private List<ConsumerRecord<byte[], byte[]>> genuine(String topic) throws Exception {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        PartitionReader.read(broker.bootstrapServers(), new TopicPartition(topic, shard()), records::add);
        return records;
    }

    private void send(List<ProducerRecord<byte[], byte[]>> records) throws Exception {
        Map<String, Object> config = Map.of("bootstrap.servers", broker.bootstrapServers());
        try (KafkaProducer<byte[], byte[]> attacker =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (ProducerRecord<byte[], byte[]> record : records) {
                attacker.send(record).get();
            }
        }
    }

    private JsonNode decision() throws Exception {
        return caller.check(gateway.port(), ATLAS).body();
    }

    private void awaitLimit(long limit) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(decision().path("limit").asLong()).isEqualTo(limit));
    }

    private long refused(String what) throws Exception {
        return caller.metrics(processor.adminPort())
                .lines()
                .filter(line -> line.startsWith("ratelimit_" + what + "_refused_total"))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void who_has_no_key_changes_nothing_and_what_is_genuine_counts() throws Exception {
        tenant("set", "atlas", "--plan", "gold", "--key", keyFile());
        awaitLimit(600);
        tenant("ban", "atlas", "--for", "1h", "--id", "one", "--key", keyFile());
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(decision().path("denyingRule").asText()).isEqualTo("headgate.banned"));
        tenant("lift", "one", "--key", keyFile());
        tenant("set", "atlas", "--plan", "default", "--key", keyFile());
        awaitLimit(60);
        tenant("credit", "atlas", "--rule", "BUDGET", "--tokens", "1", "--id", "gift", "--key", keyFile());
        List<ConsumerRecord<byte[], byte[]>> plans = genuine(TopicCatalogue.TENANT_PLANS);
        List<ConsumerRecord<byte[], byte[]>> actions = genuine(TopicCatalogue.QUOTA_ADJUSTMENTS);
        assertThat(plans).hasSize(2);
        assertThat(actions).hasSize(3);

        SigningKey stranger = SigningKey.newPair("stranger").signingKey();
        SigningKey namesake = SigningKey.newPair("local").signingKey();
        TenantPlan gold = TenantPlan.on("atlas", "gold");
        Action.Ban ban = new Action.Ban(Scope.TENANT, System.currentTimeMillis() + 3_600_000);
        ProducerRecord<byte[], byte[]> edited = plan(gold);
        RecordSignature.of(plans.get(1).headers()).orElseThrow().writeTo(edited.headers());
        List<ProducerRecord<byte[], byte[]>> forgedPlans = new ArrayList<>(List.of(
                plan(gold),
                signed(plan(gold), stranger),
                signed(plan(gold), namesake),
                edited,
                new ProducerRecord<>(
                        TopicCatalogue.TENANT_PLANS, shard(), plans.get(0).key(), null)));
        plans.forEach(record -> forgedPlans.add(copy(record)));
        List<ProducerRecord<byte[], byte[]>> forgedActions = new ArrayList<>(List.of(
                action("two", ban), signed(action("three", ban), stranger), signed(action("four", ban), namesake)));
        actions.forEach(record -> forgedActions.add(copy(record)));
        send(forgedPlans);
        send(forgedActions);

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(refused("plans")).isEqualTo(forgedPlans.size()));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(refused("actions")).isEqualTo(forgedActions.size()));
        assertThat(decision().path("limit").asLong()).isEqualTo(60);

        // The owner that comes next has seen none of it, and refuses all of it once more.
        processor.close();
        send(List.of(copy(plans.get(0)), copy(actions.get(0))));
        startProcessor();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(refused("plans") + refused("actions"))
                        .isEqualTo(forgedPlans.size() + forgedActions.size() + 2));
        long left = decision().path("remaining").asLong();
        assertThat(decision().path("limit").asLong()).isEqualTo(60);
        tenant("credit", "atlas", "--rule", "BUDGET", "--tokens", "1", "--key", keyFile());

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(caller.check(gateway.port(), "{\"tenant\":\"atlas\",\"peek\":true}")
                                .body()
                                .path("remaining")
                                .asLong())
                        .isEqualTo(left));
    }
}
