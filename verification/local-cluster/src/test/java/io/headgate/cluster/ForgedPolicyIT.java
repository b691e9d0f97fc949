package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.Signature;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.tools.PolicyFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Somebody who may write the topic of policies, and has no key, changes nothing; and the next genuine version counts. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ForgedPolicyIT {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String ATLAS = "{\"tenant\":\"atlas\"}";

    @TempDir
    private Path folder;

    private final HttpCaller caller = new HttpCaller();
    private LocalBroker broker;
    private PolicyOperator operator;
    private SigningPair signing;
    private AdmissionProcessor processor;
    private LocalGateway gateway;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        operator = new PolicyOperator(broker.bootstrapServers());
        signing = SigningPair.in(folder);
        publish(1, 20, "--no-wait");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder, signing.settings());
        LocalShards.awaitReady(processor);
        gateway = LocalGateway.start(broker.bootstrapServers(), folder, "one", 0, signing.settings());
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

    private static String policy(long version, long capacity) {
        return """
                apiVersion: headgate.io/v1
                kind: PolicySnapshot
                metadata: {name: shop, version: %d, author: ann, reason: test}
                spec:
                  domain: shop
                  rules:
                    - id: BUDGET
                      stage: tenant
                      reason: what is spent stays spent
                      algorithm: token-bucket
                      limit: {capacity: %d, refill: {tokens: 0, per: 1s}}
                """.formatted(version, capacity);
    }

    private void publish(long version, long capacity, String... more) throws Exception {
        Path file = Files.writeString(folder.resolve("shop.policy.yaml"), policy(version, capacity));
        operator.does(
                0, operator.with(more, "publish", file.toString(), "--key", keyFile(), "--trusted-keys", trustFile()));
    }

    private String keyFile() {
        return folder.resolve(SigningPair.KEY_FILE).toString();
    }

    private String trustFile() {
        return folder.resolve(SigningPair.TRUST_FILE).toString();
    }

    private static PolicyDocument document(long version, long capacity) throws Exception {
        return PolicyFile.read("forged.yaml", policy(version, capacity).getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] record(PolicyDocument document, Signature... signatures) {
        return PolicyRecord.of(document, List.of(signatures)).toBytes();
    }

    /** What an attacker can think of; the genuine version 2 is one that was signed and is not published. */
    private List<byte[]> forgeries(byte[] genuineFirst) throws Exception {
        SigningKey stranger = SigningKey.newPair("stranger").signingKey();
        SigningKey namesake = SigningKey.newPair("local").signingKey();
        PolicyDocument wide = document(2, 1_000_000);
        PolicyDocument genuine = document(2, 50);
        Signature bySigner = signing.key().sign(genuine);
        byte[] flipped = bySigner.ed25519().clone();
        flipped[7] ^= 1;
        return List.of(
                record(wide),
                record(wide, stranger.sign(wide)),
                record(wide, namesake.sign(wide)),
                record(wide, bySigner),
                record(genuine, new Signature("local", flipped)),
                record(genuine.as(2, "mallory", "mine now"), bySigner),
                record(document(1, 1_000_000), stranger.sign(document(1, 1_000_000))),
                "no policy".getBytes(StandardCharsets.UTF_8),
                genuineFirst);
    }

    private void attack(List<byte[]> values, byte[] keyOfFirst) throws Exception {
        Map<String, Object> config = Map.of("bootstrap.servers", broker.bootstrapServers());
        try (KafkaProducer<byte[], byte[]> attacker =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (byte[] value : values) {
                attacker.send(new ProducerRecord<>(TopicCatalogue.POLICIES, 0, new byte[] {'k'}, value))
                        .get();
            }
            attacker.send(new ProducerRecord<>(TopicCatalogue.POLICIES, 0, keyOfFirst, null))
                    .get();
        }
    }

    private JsonNode decision() throws Exception {
        HttpCaller.Answer answer = caller.check(gateway.port(), ATLAS);
        assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void who_has_no_key_changes_nothing_and_the_next_genuine_version_counts() throws Exception {
        PolicyRecord first =
                PolicyRecord.of(document(1, 20), List.of(signing.key().sign(document(1, 20))));
        assertThat(decision().path("remaining").asLong()).isEqualTo(19);
        List<byte[]> forgeries = forgeries(first.toBytes());

        attack(forgeries, first.key());

        // All but the genuine version 1, which stands there already; and the null that would delete it.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(refused(caller.metrics(processor.adminPort())))
                        .isEqualTo(forgeries.size()));
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(refused(caller.metrics(gateway.adminPort()))).isEqualTo(forgeries.size()));
        JsonNode after = decision();
        assertThat(after.path("policyVersion").asLong()).isEqualTo(1);
        assertThat(after.path("remaining").asLong()).isEqualTo(18);
        operator.does(0, "list", "--trusted-keys", trustFile());
        assertThat(operator.out()).contains("nobody has signed it", "no such key is trusted", "does not fit");

        publish(2, 50, "--wait", "90s");

        JsonNode genuine = decision();
        assertThat(genuine.path("policyVersion").asLong()).isEqualTo(2);
        assertThat(genuine.path("remaining").asLong()).as("of 50, after 3").isEqualTo(47);
    }

    private static long refused(String metrics) {
        return metrics.lines()
                .filter(line -> line.startsWith("ratelimit_policy_rejected_total")
                        || line.startsWith("ratelimit_client_policy_refusals_total"))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
