package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.shard.Loss;
import io.headgate.core.shard.ShardView;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.processor.ProcessorSettings;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.PolicyTopic;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A hole in a shard's log stops that shard, with a message; the others go on, and an operator's word resumes it. */
class OffsetGapIT {

    private static final String APPLICATION = "headgate-admission";
    private static final int HOLED = 2;
    private static final int WHOLE = 6;
    private static final int BUDGET = Math.toIntExact(LoadPolicy.BUDGET);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String holedTenant = Asks.tenantOf(HOLED, "t");
    private final String wholeTenant = Asks.tenantOf(WHOLE, "t");
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    private Path folder;

    private LocalBroker broker;
    private AdmissionProcessor processor;
    private PlainGateway gateway;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers()).publish(LoadPolicy.version(1), "test", "first");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
        gateway = new PlainGateway(broker.bootstrapServers());
    }

    @AfterEach
    void stop() {
        gateway.close();
        processor.close();
        broker.close();
    }

    private List<Verdict> spend(String tenant, int times) throws Exception {
        return gateway.ask(Asks.spend(tenant, times)).decisions().stream()
                .map(Decision::verdict)
                .toList();
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + processor.adminPort() + path))
                .timeout(PATIENCE);
    }

    /** Appends requests that nobody folds, and deletes them. */
    private void makeHole() throws Exception {
        long last = 0;
        for (int i = 0; i < 3; i++) {
            last = gateway.send(HOLED, RequestRecords.encode(Asks.spend(holedTenant, 1)), new RecordHeaders());
        }
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.deleteRecords(Map.of(
                            new TopicPartition(TopicCatalogue.ADMISSION_REQUESTS, HOLED),
                            RecordsToDelete.beforeOffset(last + 1)))
                    .all()
                    .get();
        }
    }

    private void awaitShards(String what, int times) {
        Awaitility.await("shards " + what)
                .atMost(PATIENCE)
                .until(() -> get("/shards").body().split("\"" + what + "\"", -1).length - 1 == times);
    }

    @Test
    void a_hole_stops_its_shard_until_the_loss_is_accepted_and_no_other() throws Exception {
        assertThat(spend(holedTenant, BUDGET - 2)).containsOnly(Verdict.ALLOW);
        assertThat(spend(wholeTenant, BUDGET - 2)).containsOnly(Verdict.ALLOW);
        processor.close();
        long expected = ShardState.committed(broker.bootstrapServers(), APPLICATION, HOLED)
                .view()
                .nextOffset();
        makeHole();

        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        awaitShards("HALTED", 1);
        awaitShards("READY", LocalShards.SHARDS - 1);

        assertThat(get("/healthz/ready").statusCode()).isEqualTo(503);
        assertThat(get("/healthz/live").statusCode()).isEqualTo(200);
        assertThat(get("/metrics").body()).contains("ratelimit_shards_halted 1.0");
        assertThat(get("/shards").body())
                .contains("\"its state expects offset " + expected + ", but the log goes on at " + (expected + 3));
        Decision halted = gateway.ask(Asks.spend(holedTenant, 1)).decisions().get(0);
        assertThat(halted.verdict()).isEqualTo(Verdict.NOT_READY);
        assertThat(halted.reason()).startsWith("this shard is halted: its state expects offset " + expected);
        assertThat(spend(wholeTenant, 1)).containsExactly(Verdict.ALLOW);

        HttpResponse<String> accepted = client.send(
                request("/shards/" + HOLED + "/accept-loss")
                        .POST(BodyPublishers.ofString("author=ada&reason=a+test+made+a+hole"))
                        .build(),
                BodyHandlers.ofString());

        assertThat(accepted.body()).startsWith("shard " + HOLED + " goes on at offset ");
        assertThat(accepted.statusCode()).isEqualTo(200);
        assertThat(get("/healthz/ready").statusCode()).isEqualTo(200);
        assertThat(spend(holedTenant, 3))
                .as("what was spent before the hole stays spent")
                .containsExactly(Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY);
        assertThat(spend(wholeTenant, 2)).containsExactly(Verdict.ALLOW, Verdict.DENY);
        processor.close();
        ShardView view = ShardState.committed(broker.bootstrapServers(), APPLICATION, HOLED)
                .view();
        assertThat(view.losses()).singleElement().satisfies(loss -> {
            assertThat(loss.fromOffset()).isEqualTo(expected);
            assertThat(loss.toOffset()).isGreaterThanOrEqualTo(expected + 3);
            assertThat(loss).extracting(Loss::author, Loss::reason).containsExactly("ada", "a test made a hole");
        });
        assertOthersAreAsTheirLogsSay();
    }

    private void assertOthersAreAsTheirLogsSay() throws Exception {
        ControlKeys keys = ControlKeys.read(Secrets.controlKeys(folder));
        for (int shard : Asks.allShards()) {
            if (shard != HOLED) {
                ShardState committed = ShardState.committed(broker.bootstrapServers(), APPLICATION, shard);
                IndependentFold fold = IndependentFold.of(
                        broker.bootstrapServers(), shard, keys, committed.view().nextOffset());
                assertThat(committed.differences(fold.state()))
                        .as("state of shard %d", shard)
                        .isEmpty();
                assertThat(committed.view().losses()).isEmpty();
            }
        }
    }

    /** Whoever deletes the changelog and the local state has emptied every bucket's memory; nobody may be let through. */
    @Test
    void an_empty_state_beside_committed_offsets_stops_every_shard() throws Exception {
        assertThat(spend(wholeTenant, BUDGET)).containsOnly(Verdict.ALLOW);
        processor.close();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.deleteTopics(List.of(APPLICATION + "-admission-state-changelog"))
                    .all()
                    .get();
        }

        Path elsewhere = folder.resolve("elsewhere");
        Map<String, String> settings = LocalShards.processorSettings(broker.bootstrapServers(), folder);
        settings.put("state.dir", elsewhere.toString());
        processor = AdmissionProcessor.start(ProcessorSettings.of(settings));
        awaitShards("HALTED", LocalShards.SHARDS);

        assertThat(get("/shards").body()).contains("(the state is empty)");
        assertThat(spend(wholeTenant, 2)).isEqualTo(Collections.nCopies(2, Verdict.NOT_READY));
    }
}
