package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.gateway.server.GatewayMain;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.processor.ProcessorSettings;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.AccessLog;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyTopic;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Gateways in front of a real broker and a real processor. */
class GatewayIT {

    private static final Path ACCESS_LOG = Path.of("../../policy-topic-tools/src/test/resources/access.log");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String LISTENING = "listening on ";
    private static final String HEALTH = "health and metrics on ";

    @TempDir
    private Path folder;

    private final HttpCaller caller = new HttpCaller();
    private LocalBroker broker;
    private AdmissionProcessor processor;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
    }

    @AfterEach
    void stop() {
        if (processor != null) {
            processor.close();
        }
        broker.close();
    }

    private void decideBy(PolicyDocument policy) throws Exception {
        new PolicyTopic(broker.bootstrapServers()).publish(policy, "test", "test");
        Map<String, String> settings = new TreeMap<>(LocalShards.processorSettings(broker.bootstrapServers(), folder));
        settings.put("application.id", "gateways");
        processor = AdmissionProcessor.start(ProcessorSettings.of(settings));
        LocalShards.awaitReady(processor);
    }

    private LocalGateway gateway(String name) throws Exception {
        return LocalGateway.start(broker.bootstrapServers(), folder, name, 0);
    }

    @Test
    void forty_callers_at_two_gateways_share_one_budget_to_the_unit() throws Exception {
        decideBy(PolicyFile.read("twenty.json", twentyForEver()));
        try (LocalGateway one = gateway("one");
                LocalGateway two = gateway("two")) {
            for (int round = 0; round < 10; round++) {
                String question = HttpCaller.spend("tenant-" + round);
                List<CompletableFuture<HttpCaller.Answer>> answers = IntStream.range(0, 40)
                        .mapToObj(i -> caller.checkAsync(i % 2 == 0 ? one.port() : two.port(), question))
                        .toList();

                List<Integer> statuses = answers.stream()
                        .map(CompletableFuture::join)
                        .map(HttpCaller.Answer::status)
                        .toList();

                assertThat(statuses).as("round %s", round).containsOnly(200, 429);
                assertThat(statuses)
                        .as("round %s", round)
                        .filteredOn(status -> status == 200)
                        .hasSize(20);
            }
        }
    }

    @Test
    void a_login_name_is_protected_however_many_addresses_try_it() throws Exception {
        decideBy(PolicyFile.northstar());
        try (LocalGateway gateway = gateway("one")) {
            for (int i = 0; i < 5; i++) {
                assertThat(caller.check(gateway.port(), login("ann", "203.0.113." + i, 2))
                                .status())
                        .as("attempt %s", i)
                        .isEqualTo(200);
            }

            HttpCaller.Answer sixth = caller.check(gateway.port(), login("ann", "203.0.113.99", 1));
            HttpCaller.Answer other = caller.check(gateway.port(), login("bob", "203.0.113.99", 1));

            assertThat(sixth.status()).isEqualTo(429);
            assertThat(sixth.body().path("stage").asText()).isEqualTo("target");
            assertThat(sixth.body().path("denyingRule").asText()).isEqualTo("P-LOGIN");
            assertThat(sixth.body().path("earlierDecisionIds")).hasSize(1);
            assertThat(other.status()).isEqualTo(200);
        }
    }

    @Test
    void one_request_is_counted_by_its_network_and_by_its_tenant_as_long_as_the_policy_has_rules_for_both()
            throws Exception {
        decideBy(budgets(1, "ip", "tenant"));
        try (LocalGateway gateway = gateway("one")) {
            awaitPolicy(gateway, 1);

            HttpCaller.Answer first = caller.check(gateway.port(), from("2001:db8::1", "atlas"));
            HttpCaller.Answer second = caller.check(gateway.port(), from("2001:0DB8:0:0::2", "borea"));
            HttpCaller.Answer third = caller.check(gateway.port(), from("2001:db8::3", "borea"));
            HttpCaller.Answer fourth = caller.check(gateway.port(), from("2001:db8::4", "cetus"));
            HttpCaller.Answer elsewhere = caller.check(gateway.port(), from("2001:db8:0:1::4", "cetus"));

            for (HttpCaller.Answer allowed : List.of(first, second, third, elsewhere)) {
                assertThat(allowed.status()).isEqualTo(200);
                assertThat(allowed.body().path("stage").asText()).isEqualTo("tenant");
                assertThat(allowed.body().path("earlierDecisionIds")).hasSize(1);
            }
            assertThat(third.body().path("remaining").asInt()).isEqualTo(1);
            assertThat(fourth.status()).isEqualTo(429);
            assertThat(fourth.body().path("denyingRule").asText()).isEqualTo("ip");

            new PolicyTopic(broker.bootstrapServers()).publish(budgets(2, "tenant"), "test", "test");
            awaitPolicy(gateway, 2);
            HttpCaller.Answer fifth = caller.check(gateway.port(), from("2001:db8::5", "cetus"));

            assertThat(fifth.status()).isEqualTo(200);
            assertThat(fifth.body().path("earlierDecisionIds")).isEmpty();
        }
    }

    @Test
    void a_request_under_one_idempotency_key_is_debited_once_through_any_gateway() throws Exception {
        decideBy(budgets(1, "tenant"));
        try (LocalGateway one = gateway("one");
                LocalGateway two = gateway("two")) {
            String order = "{\"tenant\":\"atlas\",\"route\":\"POST /orders\",\"idempotencyKey\":\"order-1\"%s}";

            HttpCaller.Answer first = caller.check(one.port(), order.formatted(""));
            HttpCaller.Answer again = caller.check(two.port(), order.formatted(""));
            HttpCaller.Answer another = caller.check(two.port(), order.formatted(",\"cost\":2"));
            HttpCaller.Answer peek = caller.check(one.port(), "{\"tenant\":\"atlas\",\"peek\":true}");

            assertThat(List.of(first.status(), again.status())).containsExactly(200, 200);
            assertThat(first.body().path("replayed").asBoolean()).isFalse();
            assertThat(again.body().path("replayed").asBoolean()).isTrue();
            assertThat(again.body().path("decisionId")).isEqualTo(first.body().path("decisionId"));
            assertThat(another.status()).isEqualTo(409);
            assertThat(another.body().path("title").asText()).isEqualTo("Idempotency key used for another request");
            assertThat(peek.body().path("remaining").asInt()).isEqualTo(2);
        }
    }

    private static String login(String target, String ip, int cost) {
        return "{\"target\":\"" + target + "\",\"ip\":\"" + ip + "\",\"route\":\"POST /login\",\"cost\":" + cost + "}";
    }

    private static String from(String ip, String tenant) {
        return "{\"ip\":\"" + ip + "\",\"tenant\":\"" + tenant + "\"}";
    }

    /** Three requests for ever for each key of a stage, by a rule that is named after it. */
    private static PolicyDocument budgets(long version, String... stages) {
        List<String> rules = new ArrayList<>();
        for (String stage : stages) {
            rules.add("""
                    {"id": "%1$s", "stage": "%1$s", "reason": "never comes back", "algorithm": "token-bucket",
                     "limit": {"capacity": 3, "refill": {"tokens": 0, "per": "1s"}}}""".formatted(stage));
        }
        return PolicyDocument.parse(
                """
                {"apiVersion": "headgate.io/v1", "kind": "PolicySnapshot", "metadata": {"name": "budgets", "version": %d},
                 "spec": {"domain": "budgets", "rules": [%s]}}""".formatted(version, String.join(",", rules)).getBytes(StandardCharsets.UTF_8));
    }

    /** Waits until the gateway chooses stages by a version. */
    private void awaitPolicy(LocalGateway gateway, long version) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> caller.metrics(gateway.adminPort())
                        .lines()
                        .anyMatch(line -> line.equals("ratelimit_client_policy_version " + version + ".0")));
    }

    @Test
    void a_replay_of_a_real_log_gets_an_answer_to_every_request() throws Exception {
        decideBy(PolicyFile.northstar());
        AccessLog log = AccessLog.read(ACCESS_LOG);
        try (LocalGateway gateway = gateway("replay")) {
            ReplayReport report =
                    new Replay(URI.create("http://127.0.0.1:" + gateway.port()), 0, 64).run(log.entries());

            assertThat(report.sent()).isEqualTo(10_000);
            assertThat(report.answered()).isEqualTo(10_000);
            System.out.println(report.print(log));
        }
    }

    @Test
    void callers_get_503_and_not_429_while_nobody_decides() throws Exception {
        decideBy(PolicyFile.northstar());
        try (LocalGateway gateway = gateway("one")) {
            assertThat(caller.check(gateway.port(), HttpCaller.spend("atlas")).status())
                    .isEqualTo(200);
            processor.close();
            processor = null;

            HttpCaller.Answer answer = caller.check(gateway.port(), HttpCaller.spend("atlas"));

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.body().path("type").asText()).contains("limiter-unavailable");
        }
    }

    @Test
    void kill_9_of_a_gateway_changes_nothing_that_was_decided() throws Exception {
        decideBy(LoadPolicy.version(1));
        AtomicInteger allowed = new AtomicInteger();
        int asked = 0;
        for (int life = 0; life < 3; life++) {
            try (ChildJvm gateway = startGateway(life)) {
                int port = portOf(gateway);
                List<CompletableFuture<Void>> answers = new ArrayList<>();
                for (int i = 0; i < 120; i++) {
                    asked++;
                    answers.add(
                            caller.checkAsync(port, HttpCaller.spend("victim")).handle((answer, broken) -> {
                                if (broken == null && answer.status() == 200) {
                                    allowed.incrementAndGet();
                                }
                                return null;
                            }));
                    if (i == 80) {
                        TimeUnit.MILLISECONDS.sleep(2);
                        gateway.kill9();
                    }
                }
                answers.forEach(CompletableFuture::join);
            }
        }
        int allowedByTheLast = 0;
        try (LocalGateway gateway = gateway("gateway")) {
            while (caller.check(gateway.port(), HttpCaller.spend("victim")).status() == 200) {
                allowedByTheLast++;
            }
        }
        processor.close();
        processor = null;

        assertThat(allowed.get() + allowedByTheLast).isLessThanOrEqualTo((int) LoadPolicy.BUDGET);
        assertThat(asked + allowedByTheLast).isGreaterThanOrEqualTo((int) LoadPolicy.BUDGET);
        ControlKeys keys = ControlKeys.read(Secrets.controlKeys(folder));
        for (int shard = 0; shard < LocalShards.SHARDS; shard++) {
            ShardState committed = ShardState.committed(broker.bootstrapServers(), "gateways", shard);
            long end = committed.view().nextOffset();
            ShardState folded = IndependentFold.of(broker.bootstrapServers(), shard, keys, end)
                    .state();
            assertThat(committed.differences(folded)).as("shard %s", shard).isEmpty();
        }
    }

    @Test
    void a_gateway_that_is_told_to_stop_says_that_it_is_not_ready_and_serves_on_until_the_quiet_time_is_over()
            throws Exception {
        decideBy(LoadPolicy.version(1));
        try (ChildJvm gateway = startGateway(0, 4_000)) {
            int port = portOf(gateway);
            int adminPort = portIn(gateway.awaitLine(HEALTH, PATIENCE));
            assertThat(caller.status(adminPort, "/healthz/ready")).isEqualTo(200);

            gateway.terminate();
            Awaitility.await().atMost(PATIENCE).until(() -> caller.status(adminPort, "/healthz/ready") == 503);
            int servedOn = caller.check(port, HttpCaller.spend("victim")).status();

            assertThat(servedOn).isEqualTo(200);
            assertThat(gateway.awaitExitCode(PATIENCE)).isEqualTo(128 + 15);
        }
    }

    private ChildJvm startGateway(int life) throws Exception {
        return startGateway(life, 0);
    }

    private ChildJvm startGateway(int life, int quietMillis) throws Exception {
        return ChildJvm.start(
                folder.resolve("gateway-" + life + ".log"),
                List.of("-Xmx128m", "-XX:+UseSerialGC"),
                GatewayMain.class,
                "--set",
                "bootstrap.servers=" + broker.bootstrapServers(),
                "--set",
                "pseudonym.secret=" + Secrets.pseudonymSecret(folder),
                "--set",
                "policies.unsigned=allow",
                "--set",
                "gateway.name=gateway",
                "--set",
                "port=0",
                "--set",
                "admin.port=0",
                "--set",
                "drain.quiet.ms=" + quietMillis);
    }

    private static int portOf(ChildJvm gateway) {
        return portIn(gateway.awaitLine(LISTENING, PATIENCE));
    }

    private static int portIn(String line) {
        return Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1).trim());
    }

    private static byte[] twentyForEver() throws Exception {
        String load = new String(LoadPolicy.version(1).canonicalBytes(), StandardCharsets.UTF_8);
        return load.replace("\"capacity\":" + LoadPolicy.BUDGET, "\"capacity\":20")
                .getBytes(StandardCharsets.UTF_8);
    }
}
