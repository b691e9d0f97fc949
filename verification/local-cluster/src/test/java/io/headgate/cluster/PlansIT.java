package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Partitioning;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.ActionRecords;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.PolicyTopic;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Very many plans: nobody is decided for before all of them are there, afterwards everybody by their own, and a plan that
 * changes holds at once. {@code -Dheadgate.plans=1000000} has more of them than the usual number.
 */
class PlansIT {

    private static final int PLANS = Integer.getInteger("headgate.plans", 100_000);

    /** Generous: how long it did take is printed. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final int SAMPLES = 40;

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private LocalBroker broker;
    private KafkaProducer<byte[], byte[]> producer;
    private PlainGateway gateway;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers()).publish(LoadPolicy.version(1), "test", "first");
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "linger.ms",
                        5,
                        // The topics are new: a leader that is not there yet must not see the second batch first.
                        "max.in.flight.requests.per.connection",
                        1),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        gateway = new PlainGateway(broker.bootstrapServers());
    }

    @AfterEach
    void stop() {
        gateway.close();
        producer.close();
        broker.close();
    }

    private static String tenant(int number) {
        return "tenant-" + number;
    }

    /** Tells tenants apart: of four, one is suspended, one is unlimited, and two may spend 3 and 5. */
    private static TenantPlan plan(int number) {
        String tenant = tenant(number);
        return switch (number % 4) {
            case 0 ->
                new TenantPlan(
                        tenant,
                        TenantPlan.Status.SUSPENDED,
                        TenantPlan.DEFAULT,
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        new TreeMap<>());
            case 1 ->
                new TenantPlan(
                        tenant,
                        TenantPlan.Status.ACTIVE,
                        TenantPlan.DEFAULT,
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        new TreeMap<>());
            case 2 -> spending(tenant, 3);
            default -> spending(tenant, 5);
        };
    }

    private static TenantPlan spending(String tenant, long tokens) {
        return new TenantPlan(
                tenant,
                TenantPlan.Status.ACTIVE,
                TenantPlan.DEFAULT,
                false,
                Optional.of("Europe/Zurich"),
                Optional.empty(),
                new TreeMap<>(Map.of("budget", budget(tokens))));
    }

    private static Limit budget(long tokens) {
        return new TokenBucketLimit(tokens, 0, 1_000, Refill.GREEDY);
    }

    private void send(TenantPlan plan, AtomicReference<Exception> failure) {
        PlanRecord record = new PlanRecord(plan, "ada", "test");
        var unused = producer.send(
                new ProducerRecord<>(
                        TopicCatalogue.TENANT_PLANS, shardOf(plan.tenant()), record.key(), record.toBytes()),
                (sent, failed) -> {
                    if (failed != null) {
                        failure.compareAndSet(null, failed);
                    }
                });
    }

    private static int shardOf(String partitionKey) {
        return Partitioning.shardOf(partitionKey, LocalShards.SHARDS);
    }

    private void sendAll() {
        AtomicReference<Exception> failure = new AtomicReference<>();
        for (int number = 0; number < PLANS; number++) {
            send(plan(number), failure);
        }
        producer.flush();
        assertThat(failure.get()).as("what went wrong with sending plans").isNull();
    }

    private List<Verdict> verdicts(String tenant, int times) throws Exception {
        return gateway.ask(Asks.spend(tenant, times)).decisions().stream()
                .map(Decision::verdict)
                .toList();
    }

    private void assertDecidedByPlan(int number) throws Exception {
        List<Verdict> verdicts = verdicts(tenant(number), 6);
        int allowed = switch (number % 4) {
            case 0 -> 0;
            case 1 -> 6;
            case 2 -> 3;
            default -> 5;
        };
        assertThat(verdicts.subList(0, allowed)).as(tenant(number)).allMatch(Verdict.ALLOW::equals);
        assertThat(verdicts.subList(allowed, 6)).as(tenant(number)).allMatch(Verdict.DENY::equals);
    }

    @Test
    void nobody_is_decided_for_before_all_plans_are_there_and_a_changed_plan_holds_at_once() throws Exception {
        sendAll();
        long startedNanos = System.nanoTime();

        try (AdmissionProcessor processor = LocalShards.startProcessor(broker.bootstrapServers(), folder)) {
            int asksBefore = askUntilReady(processor);
            Duration ready = Duration.ofNanos(System.nanoTime() - startedNanos);

            for (int i = 0; i < SAMPLES; i++) {
                assertDecidedByPlan((int) ((long) i * (PLANS - 1) / (SAMPLES - 1)));
            }
            Duration changed = changeAPlan(3);
            Duration banned = ban(tenant(5));
            assertThat(account(processor, tenant(5)).body())
                    .contains("\"known\" : true", "\"author\" : \"grace\"", "\"reason\" : \"misbehaves\"", "\"ban-1\"");

            System.out.println(PLANS + " plans: every shard decides " + ready.toMillis()
                    + " ms after the start of a processor without state (" + asksBefore
                    + " batches answered NOT_READY before); a changed plan decides after " + changed.toMillis()
                    + " ms, a ban after " + banned.toMillis() + " ms");
            assertThat(ready).isLessThan(PATIENCE);
            assertThat(changed).isLessThan(Duration.ofSeconds(5));
            assertThat(banned).isLessThan(Duration.ofSeconds(5));
        }
    }

    /**
     * Asks one tenant's shard again and again while it is brought up: it says NOT_READY, or decides by the tenant's plan,
     * which is the last on its topic. Returns how often it said NOT_READY.
     */
    private int askUntilReady(AdmissionProcessor processor) throws Exception {
        int last = lastSuspended();
        int asked = 0;
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        Verdict verdict = Verdict.NOT_READY;
        while (verdict == Verdict.NOT_READY) {
            verdict = verdicts(tenant(last), 1).get(0);
            asked += verdict == Verdict.NOT_READY ? 1 : 0;
            assertThat(verdict).isIn(Verdict.NOT_READY, Verdict.DENY);
            assertThat(System.nanoTime()).as("time to get ready").isLessThan(giveUpAt);
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(asked).isPositive();
        LocalShards.awaitReady(processor);
        return asked;
    }

    private static int lastSuspended() {
        return (PLANS - 1) / 4 * 4;
    }

    /** From the plan's being produced to the first decision by it. */
    private Duration changeAPlan(int number) throws Exception {
        String tenant = tenant(number);
        AtomicReference<Exception> failure = new AtomicReference<>();
        long sentNanos = System.nanoTime();
        send(spending(tenant, 8), failure);
        long giveUpAt = sentNanos + PATIENCE.toNanos();
        while (gateway.ask(Asks.spend(tenant, 1)).decisions().get(0).limit().orElse(0) != 8) {
            assertThat(System.nanoTime()).as("time to change a plan").isLessThan(giveUpAt);
        }
        assertThat(failure.get()).isNull();
        return Duration.ofNanos(System.nanoTime() - sentNanos);
    }

    private Duration ban(String tenant) throws Exception {
        Subject whole = new Subject(Stage.TENANT, new Identity(tenant, "", "", "", ""), "", Map.of());
        Action ban = new Action(
                "ban-1",
                "grace",
                "misbehaves",
                whole,
                new Action.Ban(Scope.TENANT, System.currentTimeMillis() + 600_000));
        long sentNanos = System.nanoTime();
        producer.send(new ProducerRecord<>(
                        TopicCatalogue.QUOTA_ADJUSTMENTS,
                        shardOf(tenant),
                        ActionRecords.key(ban),
                        ActionRecords.encode(ban)))
                .get();
        long giveUpAt = sentNanos + PATIENCE.toNanos();
        while (verdicts(tenant, 1).get(0) != Verdict.DENY) {
            assertThat(System.nanoTime()).as("time to ban").isLessThan(giveUpAt);
        }
        return Duration.ofNanos(System.nanoTime() - sentNanos);
    }

    private HttpResponse<String> account(AdmissionProcessor processor, String tenant) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + processor.adminPort() + "/shards/"
                                + shardOf(tenant) + "/accounts/" + tenant))
                        .timeout(Duration.ofSeconds(30))
                        .build(),
                BodyHandlers.ofString(StandardCharsets.UTF_8));
    }
}
