package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.processor.AdmissionProcessor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A policy from the file to a decision and back, as an operator goes. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PolicyCommandsIT {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private final HttpCaller caller = new HttpCaller();
    private LocalBroker broker;
    private PolicyOperator operator;
    private AdmissionProcessor processor;
    private LocalGateway gateway;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        operator = new PolicyOperator(broker.bootstrapServers());
        publish(1, 20, "--no-wait");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
        gateway = LocalGateway.start(broker.bootstrapServers(), folder, "one", 0);
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

    private String policy(long version, long capacity) throws Exception {
        return Files.writeString(folder.resolve("shop.policy.yaml"), """
                apiVersion: headgate.io/v1
                kind: PolicySnapshot
                metadata: {name: shop, version: %d}
                spec:
                  domain: shop
                  rules:
                    - id: BUDGET
                      stage: tenant
                      reason: what is spent stays spent
                      algorithm: token-bucket
                      limit: {capacity: %d, refill: {tokens: 0, per: 1s}}
                """.formatted(version, capacity))
                .toString();
    }

    private void publish(long version, long capacity, String... more) throws Exception {
        operator.does(
                0,
                operator.with(
                        more,
                        "publish",
                        policy(version, capacity),
                        "--unsigned",
                        "--author",
                        "ann",
                        "--reason",
                        "test"));
    }

    private JsonNode decision(String tenant) throws Exception {
        HttpCaller.Answer answer = caller.check(gateway.port(), "{\"tenant\":\"" + tenant + "\"}");
        assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void a_policy_is_planned_published_in_force_everywhere_and_taken_back() throws Exception {
        assertThat(decision("atlas").path("policyVersion").asLong()).isEqualTo(1);

        operator.does(5, "plan", policy(2, 50));
        assertThat(operator.out()).contains("limit.capacity 20 → 50");
        publish(2, 50, "--wait", "90s");
        assertThat(operator.out()).contains("every shard (8) and every gateway (1) has it");
        operator.does(0, "status");
        assertThat(operator.out())
                .contains("shard/7", "gateway/one/", "current")
                .doesNotContain("behind");

        JsonNode under2 = decision("atlas");
        assertThat(under2.path("policyVersion").asLong()).isEqualTo(2);
        assertThat(under2.path("remaining").asLong()).as("of 50, after 2").isEqualTo(48);

        operator.does(0, "rollback", "1", "--unsigned", "--author", "bob", "--reason", "oops", "--wait", "90s");
        assertThat(operator.err()).contains("every budget goes on");

        JsonNode under3 = decision("atlas");
        assertThat(under3.path("policyVersion").asLong()).isEqualTo(3);
        assertThat(under3.path("remaining").asLong()).as("of 20, after 3").isEqualTo(17);
        operator.does(0, "log");
        assertThat(operator.out())
                .containsSubsequence(
                        "version 3", "bob", "oops", "limit.capacity 50 → 20", "version 2", "ann", "version 1");
    }

    @Test
    void who_has_not_taken_a_version_over_is_named_and_so_it_is_when_they_have() throws Exception {
        processor.close();
        processor = null;

        operator.does(3, "publish", policy(2, 50), "--unsigned", "--author", "ann", "--reason", "test", "--wait", "2s");
        assertThat(operator.err()).contains("8 have not taken it over", "shard/0 ");
        operator.does(3, "status");

        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
        await().atMost(PATIENCE).until(() -> operator.code("status") == 0);
        operator.does(0, "status", "--output", "json");
        assertThat(JSON.readTree(operator.out()).path("allCurrent").asBoolean()).isTrue();
        assertThat(decision("birch").path("policyVersion").asLong()).isEqualTo(2);
    }
}
