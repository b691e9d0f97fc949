package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Account;
import io.headgate.core.shard.Loss;
import io.headgate.core.shard.Partitioning;
import io.headgate.core.shard.ShardView;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdminServerTest {

    private final OwnedShards shards = new OwnedShards();
    private final AtomicBoolean live = new AtomicBoolean(true);
    private final AtomicBoolean ready = new AtomicBoolean();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ShadowTally shadow = new ShadowTally(registry);
    private final HttpClient client = HttpClient.newHttpClient();

    private AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = new AdminServer(loopback(0), shards, live::get, ready::get, registry, shadow);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.timeout(Duration.ofSeconds(20)).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(to(path));
    }

    private HttpResponse<String> acceptLoss(int shard, String form) throws Exception {
        return send(to("/shards/" + shard + "/accept-loss").POST(BodyPublishers.ofString(form)));
    }

    private OwnedShard halted(int number) {
        OwnedShard shard = new OwnedShard(number, view(List.of()));
        shard.reportHalted(Optional.of("its state expects offset 3, but the log goes on at 5"));
        shards.add(shard);
        return shard;
    }

    private static ShardView view(List<Loss> losses) {
        return new ShardView(
                3,
                1_800_000_000_000L,
                Optional.of(SampleLog.initialSettings()),
                0,
                0,
                -1,
                -1,
                new TreeMap<>(),
                7,
                0,
                0,
                true,
                losses);
    }

    @Test
    void health_says_what_is_so() throws Exception {
        assertThat(get("/healthz/live").statusCode()).isEqualTo(200);
        assertThat(get("/healthz/ready").statusCode()).isEqualTo(503);

        live.set(false);
        ready.set(true);

        assertThat(get("/healthz/live").statusCode()).isEqualTo(503);
        assertThat(get("/healthz/ready").statusCode()).isEqualTo(200);
    }

    @Test
    void metrics_are_in_the_text_format_of_prometheus() throws Exception {
        new ProcessorMetrics(registry, shards).deadLetter();

        assertThat(get("/metrics").body())
                .contains("ratelimit_dead_letters_total 1.0")
                .contains("ratelimit_shards_halted 0.0");
    }

    @Test
    void what_rules_in_shadow_said_is_told() throws Exception {
        shadow.see(ShadowTallyTest.rule("TIGHT"), "atlas", true);

        HttpResponse<String> answer = get("/shadow");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(new ObjectMapper()
                        .readTree(answer.body())
                        .path("rules")
                        .get(0)
                        .path("denied")
                        .asLong())
                .isEqualTo(1);
    }

    @Test
    void every_owned_shard_is_described() throws Exception {
        halted(2);
        shards.add(new OwnedShard(5, view(List.of(new Loss(1, 2, "ada", "known")))));

        assertThat(get("/shards").body())
                .isEqualTo("[\n{\"shard\":2,\"status\":\"HALTED\",\"nextOffset\":3,\"logTimeMillis\":1800000000000,"
                        + "\"policyVersion\":7,\"losses\":0,"
                        + "\"halted\":\"its state expects offset 3, but the log goes on at 5\"},\n"
                        + "{\"shard\":5,\"status\":\"READY\",\"nextOffset\":3,\"logTimeMillis\":1800000000000,"
                        + "\"policyVersion\":7,\"losses\":1,\"halted\":null}\n]\n");
    }

    @Test
    void a_loss_is_accepted_with_author_and_reason() throws Exception {
        OwnedShard shard = halted(2);
        CompletableFuture<OwnedShard.Acceptance> taken = CompletableFuture.supplyAsync(() -> await(shard));

        CompletableFuture<HttpResponse<String>> answer = client.sendAsync(
                to("/shards/2/accept-loss")
                        .POST(BodyPublishers.ofString("author=ada+l&reason=disk%20of%20broker%202%20died"))
                        .build(),
                BodyHandlers.ofString());
        taken.get().result().complete(17L);

        assertThat(taken.get().author()).isEqualTo("ada l");
        assertThat(taken.get().reason()).isEqualTo("disk of broker 2 died");
        assertThat(answer.get().statusCode()).isEqualTo(200);
        assertThat(answer.get().body()).isEqualTo("shard 2 goes on at offset 17\n");
    }

    /** What the stream thread does when a record comes. */
    private static OwnedShard.Acceptance await(OwnedShard shard) {
        while (true) {
            Optional<OwnedShard.Acceptance> taken = shard.takeAcceptance();
            if (taken.isPresent()) {
                return taken.get();
            }
            try {
                TimeUnit.MILLISECONDS.sleep(1);
            } catch (InterruptedException stopping) {
                throw new IllegalStateException(stopping);
            }
        }
    }

    @Test
    void a_loss_without_author_or_reason_is_not_accepted() throws Exception {
        OwnedShard shard = halted(2);
        List<String> forms = List.of(
                "",
                "author=ada",
                "reason=known",
                "author=&reason=known",
                "author=+&reason=known",
                "author=ada&reason=%09",
                "author=ada&reason",
                "author%3Dada&reason=known");

        for (String form : forms) {
            assertThat(acceptLoss(2, form).statusCode()).as("form '%s'", form).isEqualTo(400);
        }
        assertThat(shard.takeAcceptance()).isEmpty();
    }

    @Test
    void an_author_of_wide_blanks_does_not_reach_the_shard() throws Exception {
        OwnedShard shard = halted(2);

        HttpResponse<String> answer = acceptLoss(2, "author=%E2%80%83&reason=known");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(shard.takeAcceptance()).isEmpty();
    }

    @Test
    void an_author_or_a_reason_longer_than_a_header_can_carry_is_refused() throws Exception {
        halted(2);

        assertThat(acceptLoss(2, "author=" + "a".repeat(257) + "&reason=known").statusCode())
                .isEqualTo(400);
        assertThat(acceptLoss(2, "author=ada&reason=" + "r".repeat(1_025)).statusCode())
                .isEqualTo(400);
    }

    @Test
    void a_badly_encoded_form_is_answered_400() throws Exception {
        halted(2);

        assertThat(acceptLoss(2, "author=ada&reason=%zz").statusCode()).isEqualTo(400);
    }

    @Test
    void a_shard_that_is_not_halted_is_answered_409_and_one_that_is_elsewhere_404() throws Exception {
        shards.add(new OwnedShard(5, view(List.of())));

        HttpResponse<String> notHalted = acceptLoss(5, "author=ada&reason=known");

        assertThat(notHalted.statusCode()).isEqualTo(409);
        assertThat(notHalted.body()).contains("shard 5 is not halted");
        assertThat(acceptLoss(6, "author=ada&reason=known").statusCode()).isEqualTo(404);
    }

    /** A stream thread that answers with an account of nobody but the one asked for. */
    private static void answerOn(OwnedShard shard, AtomicBoolean stop) {
        while (!stop.get()) {
            shard.answerInquiries(key -> new Account(
                    key,
                    Optional.of(TenantPlan.on(key, "gold")),
                    "gold",
                    false,
                    Optional.of("Europe/Zurich"),
                    new TreeMap<>(Map.of(
                            "export", new TokenBucketLimit(5, 1, 1_000, Refill.GREEDY),
                            "daily", new FixedWindowLimit(7, new Window.Calendar(CalendarUnit.DAY, "tenant")))),
                    List.of(new Action(
                            "ban-1",
                            "ada \"the\" first",
                            "misbehaves",
                            new Subject(Stage.TENANT, new Identity(key, "u1", "", "", ""), "", Map.of()),
                            new Action.Ban(Scope.USER, 1_800_000_000_000L)))));
            try {
                TimeUnit.MILLISECONDS.sleep(1);
            } catch (InterruptedException stopping) {
                throw new IllegalStateException(stopping);
            }
        }
    }

    @Test
    void an_account_is_told_of_by_its_partition_key() throws Exception {
        OwnedShard shard = new OwnedShard(5, view(List.of()));
        shards.add(shard);
        String tenant = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "a/b +ü" + i)
                .filter(name -> Partitioning.shardOf(name, SampleLog.SHARDS) == 5)
                .findFirst()
                .orElseThrow();
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Void> thread = CompletableFuture.runAsync(() -> answerOn(shard, stop));

        HttpResponse<String> answer = get("/shards/5/accounts/"
                + URLEncoder.encode(tenant, StandardCharsets.UTF_8).replace("+", "%20"));

        stop.set(true);
        thread.get();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        JsonNode json = new ObjectMapper().readTree(answer.body());
        assertThat(json.get("partitionKey").asText()).isEqualTo(tenant);
        assertThat(json.get("known").asBoolean()).isTrue();
        assertThat(json.get("tenantPlan").get("status").asText()).isEqualTo("ACTIVE");
        assertThat(json.get("terms").get("zone").asText()).isEqualTo("Europe/Zurich");
        assertThat(json.get("terms")
                        .get("overrides")
                        .get("export")
                        .get("tokens")
                        .asLong())
                .isEqualTo(5);
        assertThat(json.get("terms")
                        .get("overrides")
                        .get("daily")
                        .get("calendarUnit")
                        .asText())
                .isEqualTo("day");
        assertThat(json.get("actions").get(0)).isEqualTo(new ObjectMapper().readTree("""
                                {"id": "ban-1", "author": "ada \\"the\\" first", "reason": "misbehaves", "kind": "BAN",
                                 "scope": "user", "untilMillis": 1800000000000,
                                 "subject": {"stage": "tenant", "tenant": "%s", "user": "u1"}}
                                """.formatted(tenant)));
    }

    @Test
    void an_account_that_cannot_be_read_is_answered_500_with_what_is_wrong() throws Exception {
        OwnedShard shard = new OwnedShard(5, view(List.of()));
        shards.add(shard);
        String tenant = SampleLog.tenantOf(5, 0);
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Void> thread = CompletableFuture.runAsync(() -> {
            while (!stop.get()) {
                shard.answerInquiries(key -> {
                    throw new IllegalStateException("its entry is unreadable");
                });
                Thread.onSpinWait();
            }
        });

        HttpResponse<String> answer = get("/shards/5/accounts/" + tenant);

        stop.set(true);
        thread.get();
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).contains("shard 5 cannot say: its entry is unreadable");
    }

    @Test
    void an_account_of_another_shard_is_answered_404_and_told_where() throws Exception {
        shards.add(new OwnedShard(5, view(List.of())));
        String stranger = SampleLog.tenantOf(6, 0);

        HttpResponse<String> answer = get("/shards/5/accounts/" + stranger);

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("belongs to shard 6 of 8");
        assertThat(get("/shards/6/accounts/" + stranger).statusCode()).isEqualTo(404);
        assertThat(get("/shards/5/accounts/" + "x".repeat(273)).statusCode()).isEqualTo(400);
        assertThat(get("/shards/5/accounts/").statusCode()).isEqualTo(404);
    }

    @Test
    void a_shard_that_does_not_say_in_time_is_answered_503_and_so_is_one_asker_too_many() throws Exception {
        shards.add(new OwnedShard(5, view(List.of())));
        String path = "/shards/5/accounts/" + SampleLog.tenantOf(5, 0);
        List<CompletableFuture<HttpResponse<String>>> asked = IntStream.range(0, 5)
                .mapToObj(i -> client.sendAsync(to(path).build(), BodyHandlers.ofString()))
                .toList();

        List<String> said = new ArrayList<>();
        for (CompletableFuture<HttpResponse<String>> answer : asked) {
            assertThat(answer.get().statusCode()).isEqualTo(503);
            said.add(answer.get().body());
        }

        assertThat(said)
                .filteredOn(body -> body.contains("did not say in time"))
                .hasSize(4);
        assertThat(said)
                .filteredOn(body -> body.contains("4 others are asking already"))
                .hasSize(1);
        assertThat(get("/healthz/live").statusCode()).isEqualTo(200);
    }

    @Test
    void other_methods_and_paths_are_refused() throws Exception {
        assertThat(get("/shards/2/accept-loss").statusCode()).isEqualTo(405);
        assertThat(send(to("/shards").POST(BodyPublishers.ofString("x"))).statusCode())
                .isEqualTo(405);
        assertThat(get("/").statusCode()).isEqualTo(404);
        assertThat(get("/shards/123456/accept-loss").statusCode()).isEqualTo(404);
    }

    @Test
    void a_taken_port_is_said_to_be_taken() {
        assertThatThrownBy(
                        () -> new AdminServer(loopback(server.port()), shards, live::get, ready::get, registry, shadow))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("in use");
    }
}
