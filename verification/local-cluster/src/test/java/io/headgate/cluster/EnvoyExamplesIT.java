package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.protobuf.Struct;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.headgate.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.headgate.envoy.service.ratelimit.v3.RateLimitRequest;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.headgate.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.headgate.gateway.client.ClientSettings;
import io.headgate.gateway.client.HeadgateClient;
import io.headgate.gateway.server.GatewayServer;
import io.headgate.gateway.server.ServerSettings;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.RateLimitDescriptor.Entry;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.trust.TrustSettings;
import io.headgate.tools.Headgate;
import io.headgate.tools.imports.EnvoyModel;
import io.headgate.tools.imports.EnvoyModel.Outcome;
import io.headgate.tools.imports.EnvoyRequests;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of envoyproxy/ratelimit: imported with {@code headgate policy import}, published, asked over gRPC through a
 * real broker, and the answers compared with a model of that service. The model is told the time that the log gave to each
 * request, so that no window ends unnoticed.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class EnvoyExamplesIT {

    private static final Path EXAMPLES = Path.of("../../policy-topic-tools/src/test/resources/envoy-ratelimit");
    private static final int REQUESTS = 60;
    private static final int SAME_AGAIN = 6;
    private static final int CHOICE = 4;
    private static final long PATIENCE_SECONDS = 30;

    @TempDir
    private Path folder;

    private final List<EnvoyModel> models = new ArrayList<>();
    private LocalBroker broker;
    private AdmissionProcessor processor;
    private HeadgateClient client;
    private GatewayServer server;
    private ManagedChannel channel;

    @BeforeEach
    void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        PolicyOperator operator = new PolicyOperator(broker.bootstrapServers());
        operator.does(
                0,
                "publish",
                imported(),
                "--unsigned",
                "--author",
                "ann",
                "--reason",
                "from envoyproxy/ratelimit",
                "--no-wait");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        client = HeadgateClient.start(
                new ClientSettings(Map.of(
                        ClientSettings.BOOTSTRAP_SERVERS,
                        broker.bootstrapServers(),
                        ClientSettings.GATEWAY_NAME,
                        "one",
                        ClientSettings.PSEUDONYM_SECRET,
                        Secrets.pseudonymSecret(folder),
                        ClientSettings.DEADLINE_MS,
                        "10000",
                        TrustSettings.UNSIGNED,
                        TrustSettings.ALLOW)),
                registry);
        server = GatewayServer.start(
                new ServerSettings(Map.of(
                        ServerSettings.PORT,
                        "0",
                        ServerSettings.ADMIN_PORT,
                        "0",
                        ServerSettings.DRAIN_QUIET_MS,
                        "0",
                        "rls.deadline.ms",
                        "10000")),
                client,
                registry);
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .build();
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (channel != null) {
            channel.shutdownNow().awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        Stream.of(server, client, processor, broker).forEach(EnvoyExamplesIT::close);
    }

    private static void close(AutoCloseable part) {
        try {
            if (part != null) {
                part.close();
            }
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    /** One policy of all examples; each has its domain to itself, since several of the README's are called alike. */
    private String imported() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("policy", "import", "envoy-ratelimit"));
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            for (Path file : files.sorted().toList()) {
                String yaml = Files.readString(file);
                String own = yaml.replaceFirst("(?m)^domain: *(\\S+)", "domain: $1-" + models.size());
                Path copy = folder.resolve(file.getFileName());
                Files.writeString(copy, own);
                arguments.add(copy.toString());
                models.add(new EnvoyModel(own));
            }
        }
        assertThat(models).hasSize(17);
        Path policy = folder.resolve("examples.policy.yaml");
        arguments.addAll(List.of("--domain", "examples", "--out", policy.toString()));
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int code = Headgate.run(arguments.toArray(String[]::new), said, said);
        assertThat(code).as(said.toString(StandardCharsets.UTF_8)).isZero();
        return policy.toString();
    }

    private RateLimitResponse ask(RateLimitRequest request) {
        return RateLimitServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .shouldRateLimit(request);
    }

    private static RateLimitRequest request(String domain, List<List<Entry>> descriptors) {
        RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain(domain);
        for (List<Entry> entries : descriptors) {
            RateLimitDescriptor.Builder descriptor = request.addDescriptorsBuilder();
            entries.forEach(
                    entry -> descriptor.addEntriesBuilder().setKey(entry.key()).setValue(entry.value()));
        }
        return request.build();
    }

    /** A request of one descriptor, and what came of it. */
    private record Exchange(List<Entry> entries, RateLimitResponse response) {

        String decisionId() {
            return metadata(response).getFieldsOrThrow("decision_id").getStringValue();
        }
    }

    private static Struct metadata(RateLimitResponse response) {
        return response.getDynamicMetadata();
    }

    @Test
    void every_example_is_answered_as_the_model_says() throws Exception {
        int denied = 0;
        int shadowed = 0;
        Map<EnvoyModel, List<Exchange>> exchanges = new HashMap<>();
        for (EnvoyModel model : models) {
            EnvoyRequests requests = new EnvoyRequests(model.root(), new Random(models.indexOf(model)));
            List<Exchange> all = new ArrayList<>();
            List<Entry> entries = List.of();
            for (int i = 0; i < REQUESTS; i++) {
                entries = i % SAME_AGAIN > 0 ? entries : next(model, requests);
                all.add(new Exchange(entries, ask(request(model.domain(), List.of(entries)))));
            }
            exchanges.put(model, all);
        }

        Map<String, Long> logTimes = logTimes();
        for (EnvoyModel model : models) {
            for (Exchange exchange : exchanges.get(model)) {
                Long nowMillis = logTimes.get(place(exchange.decisionId()));
                Outcome expected = model.ask(exchange.entries(), 1, nowMillis);
                if (!expected.found().pattern()) {
                    assertAnswer(model, exchange, expected);
                    denied += expected.denied() ? 1 : 0;
                    shadowed += expected.exceeded() && !expected.denied() ? 1 : 0;
                }
            }
        }
        assertThat(denied).as("requests over a limit").isGreaterThan(20);
        assertThat(shadowed).as("requests over a limit in shadow").isPositive();
    }

    /** Of some requests the first with a limit that can be reached here; if there is none, the last. */
    private static List<Entry> next(EnvoyModel model, EnvoyRequests requests) {
        List<Entry> entries = List.of();
        for (int i = 0; i < CHOICE; i++) {
            entries = addressed(requests.next());
            JsonNode limit = model.find(entries)
                    .node()
                    .map(node -> node.path("rate_limit").path("requests_per_unit"))
                    .orElse(MissingNode.getInstance());
            if (limit.isNumber() && limit.asInt() < SAME_AGAIN) {
                return entries;
            }
        }
        return entries;
    }

    private static void assertAnswer(EnvoyModel model, Exchange exchange, Outcome expected) {
        String asked = model.domain() + " " + exchange.entries();
        Code code = expected.denied() ? Code.OVER_LIMIT : Code.OK;
        assertThat(exchange.response().getOverallCode()).as(asked).isEqualTo(code);
        DescriptorStatus status = exchange.response().getStatuses(0);
        assertThat(status.getCode()).as(asked).isEqualTo(code);
        assertThat(metadata(exchange.response())
                        .getFieldsOrThrow("shadow_would_deny")
                        .getBoolValue())
                .as(asked)
                .isEqualTo(expected.exceeded() && !expected.denied());
        JsonNode node = expected.found().node().orElse(null);
        JsonNode limit = node == null ? null : node.path("rate_limit");
        if (limit == null) {
            assertThat(status)
                    .as(asked)
                    .isEqualTo(DescriptorStatus.newBuilder().setCode(Code.OK).build());
        } else if (limit.path("unlimited").asBoolean()) {
            assertThat(Integer.toUnsignedLong(status.getLimitRemaining()))
                    .as(asked)
                    .isEqualTo(4_294_967_295L);
        } else if (!node.path("shadow_mode").asBoolean()) {
            assertThat(status.getCurrentLimit().getRequestsPerUnit())
                    .as(asked)
                    .isEqualTo(limit.path("requests_per_unit").asInt());
            assertThat(status.getCurrentLimit().getUnit().name())
                    .as(asked)
                    .isEqualToIgnoringCase(limit.path("unit").asText());
        }
    }

    /** What calls itself an address must be one here, and of one caller. */
    private static List<Entry> addressed(List<Entry> entries) {
        String address = entries.stream()
                .map(Entry::value)
                .filter(value -> value.matches("[0-9]+(\\.[0-9]+){3}"))
                .findFirst()
                .orElse("192.0.2." + Math.floorMod(entries.hashCode(), 4));
        return entries.stream()
                .map(entry -> entry.key().equals("remote_address") ? new Entry(entry.key(), address) : entry)
                .toList();
    }

    /** When each record of the shards was appended, by shard and offset. */
    private Map<String, Long> logTimes() throws Exception {
        Map<String, Long> times = new HashMap<>();
        for (int shard = 0; shard < LocalShards.SHARDS; shard++) {
            String prefix = shard + "-";
            PartitionReader.read(
                    broker.bootstrapServers(),
                    new TopicPartition(TopicCatalogue.ADMISSION_REQUESTS, shard),
                    record -> times.put(prefix + record.offset(), record.timestamp()));
        }
        return times;
    }

    private static String place(String decisionId) {
        return decisionId.substring(0, decisionId.lastIndexOf('-'));
    }

    /** Example 2: there, each of these would count the first descriptor. */
    @Test
    void of_several_descriptors_none_is_charged_when_one_is_over_its_limit() {
        String domain = models.stream()
                .map(EnvoyModel::domain)
                .filter(name -> name.startsWith("messaging-"))
                .findFirst()
                .orElseThrow();
        List<Entry> scarce = List.of(new Entry("to_number", "2061111111"));
        List<Entry> other = List.of(new Entry("to_number", "2062222222"));
        assertThat(ask(request(domain, List.of(scarce)).toBuilder()
                                .setHitsAddend(100)
                                .build())
                        .getOverallCode())
                .isEqualTo(Code.OK);

        for (int i = 0; i < 10; i++) {
            RateLimitResponse refused = ask(request(domain, List.of(other, scarce)));

            assertThat(refused.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
            assertThat(refused.getStatusesList())
                    .extracting(DescriptorStatus::getCode)
                    .containsExactly(Code.OK, Code.OVER_LIMIT);
        }

        RateLimitResponse passed = ask(request(domain, List.of(other)));
        assertThat(passed.getStatuses(0).getLimitRemaining()).isEqualTo(99);
    }

    /** No value of a descriptor stands on the topic as it is, unless the policy names it. */
    @Test
    void what_may_name_somebody_is_on_no_topic() throws Exception {
        EnvoyModel model = models.get(0);
        ask(request(model.domain(), List.of(List.of(new Entry("remote_address", "203.0.113.77")))));
        ask(request(model.domain(), List.of(List.of(new Entry("user", "erika.mustermann@example.org")))));

        StringBuilder log = new StringBuilder();
        for (int shard = 0; shard < LocalShards.SHARDS; shard++) {
            PartitionReader.read(
                    broker.bootstrapServers(),
                    new TopicPartition(TopicCatalogue.ADMISSION_REQUESTS, shard),
                    record -> log.append(new String(record.value(), StandardCharsets.ISO_8859_1)));
        }
        assertThat(log)
                .contains("RLS /" + model.domain() + "/remote_address/")
                .contains("RLS /" + model.domain() + "/user/")
                .doesNotContain("203.0.113.77")
                .doesNotContain("mustermann");
    }
}
