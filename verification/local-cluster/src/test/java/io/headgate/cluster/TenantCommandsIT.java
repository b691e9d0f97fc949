package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Headgate;
import io.headgate.tools.PolicyTopic;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator says on the command line is what callers of a gateway get. */
class TenantCommandsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Nothing comes back by itself, so that what is left tells what was done. */
    private static final String POLICY = """
            {
              "apiVersion": "headgate.io/v1",
              "kind": "PolicySnapshot",
              "metadata": {"name": "tenants", "version": 1},
              "spec": {
                "domain": "tenants",
                "plans": {"default": {"budget": 60}, "pro": {"budget": 600}},
                "rules": [
                  {
                    "id": "ADDRESS", "stage": "ip", "reason": "a budget", "algorithm": "token-bucket",
                    "limit": {"capacity": 1000, "refill": {"tokens": 0, "per": "1s"}}
                  },
                  {
                    "id": "BUDGET", "stage": "tenant", "reason": "a budget", "algorithm": "token-bucket",
                    "limit": {"capacity": {"fromPlan": "budget"}, "refill": {"tokens": 0, "per": "1s"}}
                  }
                ]
              }
            }
            """;

    @TempDir
    private static Path folder;

    private static LocalBroker broker;
    private static AdmissionProcessor processor;
    private static LocalGateway gateway;
    private static String secretFile;

    private final HttpCaller caller = new HttpCaller();

    @BeforeAll
    static void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers())
                .publish(PolicyDocument.parse(POLICY.getBytes(StandardCharsets.UTF_8)), "test", "first");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
        gateway = LocalGateway.start(broker.bootstrapServers(), folder, "one", 0);
        secretFile = Files.writeString(folder.resolve("tools.secret"), Secrets.pseudonymSecret(folder))
                .toString();
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
    void a_plan_decides_from_when_it_is_set_until_the_tenant_is_removed() throws Exception {
        assertThat(peek("atlas").path("limit").asLong()).isEqualTo(60);

        signed("set", "atlas", "--plan", "pro");
        awaitField("atlas", "limit", "600");

        signed("set", "atlas", "--override", "BUDGET={limit: {capacity: 7, refill: {tokens: 0, per: 1s}}}");
        awaitField("atlas", "limit", "7");

        signed("set", "atlas", "--suspend");
        awaitField("atlas", "denyingRule", "headgate.suspended");

        signed("set", "atlas", "--activate", "--no-override", "BUDGET");
        awaitField("atlas", "limit", "600");
        assertThat(tenant("list", "--plan", "pro")).contains("atlas  ");

        signed("remove", "atlas");
        awaitField("atlas", "limit", "60");
        assertThat(tenant("list")).doesNotContain("atlas  ");
    }

    @Test
    void a_ban_denies_one_user_by_its_id_until_it_is_lifted() throws Exception {
        String erika = "{\"tenant\":\"birch\",\"user\":\"erika\",\"peek\":true}";
        assertThat(check(erika).path("allowed").asBoolean()).isTrue();

        signed(
                "ban",
                "birch",
                "--user",
                "erika",
                "--pseudonym-secret-file",
                secretFile,
                "--for",
                "2h",
                "--id",
                "ban-7");
        await().atMost(PATIENCE).until(() -> !check(erika).path("allowed").asBoolean());

        JsonNode denied = check(erika);
        assertThat(denied.path("denyingRule").asText()).isEqualTo("headgate.banned");
        assertThat(denied.path("scope").asText()).isEqualTo("user");
        assertThat(denied.path("actions").toString()).isEqualTo("[\"ban-7\"]");
        assertThat(peek("birch").path("allowed").asBoolean()).isTrue();

        JsonNode shown = JSON.readTree(
                tenant("show", "birch", "--admin", "127.0.0.1:" + processor.adminPort(), "--output", "json"));
        assertThat(shown.path("inForce").get(0).path("id").asText()).isEqualTo("ban-7");
        JsonNode shardSays = shown.path("shardSays").path("actions").get(0);
        assertThat(shardSays.path("id").asText()).isEqualTo("ban-7");
        assertThat(shardSays.path("author").asText()).isEqualTo("ann");
        assertThat(shardSays.path("reason").asText()).isEqualTo("because");
        assertThat(shardSays.path("untilMillis").asLong())
                .isEqualTo(shown.path("inForce").get(0).path("untilMillis").asLong());

        signed("lift", "ban-7");
        await().atMost(PATIENCE).until(() -> check(erika).path("allowed").asBoolean());
        assertThat(tenant("show", "birch")).contains("no override and no ban is in force");
    }

    @Test
    void a_ban_of_an_address_holds_for_its_network_before_anybody_is_known() throws Exception {
        String question = "{\"ip\":\"2001:db8::99\",\"peek\":true}";

        signed("ban", "--ip", "2001:DB8:0:0::1", "--pseudonym-secret-file", secretFile, "--for", "2h");

        await().atMost(PATIENCE).until(() -> !check(question).path("allowed").asBoolean());
        assertThat(check(question).path("denyingRule").asText()).isEqualTo("headgate.banned");
        assertThat(check("{\"ip\":\"2001:db8:0:1::99\",\"peek\":true}")
                        .path("allowed")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void an_override_is_seen_in_the_decision_with_its_id() throws Exception {
        signed(
                "override",
                "cedar",
                "--rule",
                "BUDGET",
                "--limit",
                "{capacity: 5000, refill: {tokens: 0, per: 1s}}",
                "--for",
                "2h",
                "--id",
                "sale");

        awaitField("cedar", "limit", "5000");
        assertThat(peek("cedar").path("actions").toString()).isEqualTo("[\"sale\"]");

        signed("lift", "sale");
        awaitField("cedar", "limit", "60");
    }

    @Test
    void a_credit_and_a_reset_give_back_what_was_spent() throws Exception {
        check("{\"tenant\":\"dogwood\",\"cost\":10}");
        awaitField("dogwood", "remaining", "50");

        signed("credit", "dogwood", "--rule", "BUDGET", "--tokens", "4", "--id", "credit-1");
        awaitField("dogwood", "remaining", "54");
        signed("credit", "dogwood", "--rule", "BUDGET", "--tokens", "4", "--id", "credit-1");
        signed("credit", "dogwood", "--rule", "BUDGET", "--tokens", "1");
        awaitField("dogwood", "remaining", "55");

        signed("reset", "dogwood", "--rule", "BUDGET");
        awaitField("dogwood", "remaining", "60");
    }

    @Test
    void a_cluster_that_is_not_there_is_named() {
        String nobody = "127.0.0.1:1";
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Path config = folder.resolve("impatient.properties");

        int code = Headgate.run(
                new String[] {"tenant", "list", "--bootstrap-servers", nobody, "--config", impatient(config)},
                new ByteArrayOutputStream(),
                err);

        assertThat(code).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("no broker at " + nobody + " answered in time");
    }

    private static String impatient(Path config) {
        try {
            return Files.writeString(config, "default.api.timeout.ms=2000\nrequest.timeout.ms=1000\n")
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitField(String tenant, String field, String value) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(peek(tenant).path(field).asText()).isEqualTo(value));
    }

    private JsonNode peek(String tenant) throws Exception {
        return check("{\"tenant\":\"" + tenant + "\",\"user\":\"u\",\"peek\":true}");
    }

    private JsonNode check(String question) throws Exception {
        HttpCaller.Answer answer = caller.check(gateway.port(), question);
        assertThat(answer.status()).as(answer.body().toString()).isIn(200, 429);
        return answer.body();
    }

    private static String signed(String... args) {
        return tenant(Stream.concat(Stream.of(args), Stream.of("--author", "ann", "--reason", "because"))
                .toArray(String[]::new));
    }

    /** Runs {@code headgate tenant …}, which must succeed; what it says. */
    private static String tenant(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        String[] all = Stream.of(
                        Stream.of("tenant"),
                        Stream.of(args),
                        Stream.of("--bootstrap-servers", broker.bootstrapServers()))
                .flatMap(part -> part)
                .toArray(String[]::new);
        int code = Headgate.run(all, out, err);
        assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }
}
