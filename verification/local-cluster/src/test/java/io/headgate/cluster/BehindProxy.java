package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.headgate.gateway.server.GatewayMain;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.processor.ProcessorSettings;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.PolicyTopic;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A proxy with a recipe of {@code docs/recipes} as it stands there, but for the ports: it asks a gateway, a process of its
 * own, before it passes requests on; shards decide on a real broker. Each test has client addresses of its own, each with a
 * budget of five.
 */
@Tag("external")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BehindProxy {

    private static final Path RECIPES = Path.of("../../docs/recipes");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String LISTENING = "listening on ";
    private static final int ADDRESS_BUDGET = 5;
    private static final int TENANT_BUDGET = 3;
    private static final int CHECKOUT_BUDGET = 2;

    private Path folder;
    private LocalBroker broker;
    private AdmissionProcessor processor;
    private ProxyBackend backend;
    private RSAKey key;
    private ChildJvm gateway;
    private ProxyProcess proxy;

    /** Starts the proxy under test; the gateway and the backend are where {@link #recipe} puts them. */
    abstract ProxyProcess startProxy(Path folder, int port, int gatewayPort) throws IOException;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        this.folder = folder;
        key = new RSAKeyGenerator(2048).keyID("key").generate();
        Files.writeString(folder.resolve("keys.json"), new JWKSet(key.toPublicJWK()).toString());
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers()).publish(policy(), "test", "first");
        Map<String, String> settings = new TreeMap<>(LocalShards.processorSettings(broker.bootstrapServers(), folder));
        settings.put("application.id", "behind-proxy");
        processor = AdmissionProcessor.start(ProcessorSettings.of(settings));
        LocalShards.awaitReady(processor);
        backend = new ProxyBackend();
        gateway = startGateway("gateway");
        proxy = startProxy(folder, ProxyProcess.freePort(), portOf(gateway));
    }

    @AfterAll
    void stop() {
        for (AutoCloseable part : new AutoCloseable[] {proxy, gateway, backend, processor, broker}) {
            close(part);
        }
    }

    private static void close(AutoCloseable part) {
        try {
            if (part != null) {
                part.close();
            }
        } catch (Exception failed) {
            throw new AssertionError(part + " does not close", failed);
        }
    }

    private static PolicyDocument policy() {
        return PolicyDocument.parse(
                """
                {
                  "apiVersion": "headgate.io/v1",
                  "kind": "PolicySnapshot",
                  "metadata": {"name": "shop", "version": 1},
                  "spec": {
                    "domain": "shop",
                    "routes": {"checkout": [{"method": "GET", "path": "/checkout"}]},
                    "responses": {"headers": ["retry-after", "ratelimit-draft10"], "advertiseTo": "everybody"},
                    "rules": [
                      {
                        "id": "address", "stage": "ip", "algorithm": "token-bucket",
                        "limit": {"capacity": %d, "refill": {"tokens": 1, "per": "1h"}}
                      },
                      {
                        "id": "checkout", "stage": "ip", "match": {"routes": ["checkout"]}, "algorithm": "token-bucket",
                        "limit": {"capacity": %d, "refill": {"tokens": 1, "per": "1h"}}
                      },
                      {
                        "id": "tenant", "stage": "tenant", "algorithm": "token-bucket",
                        "limit": {"capacity": %d, "refill": {"tokens": 1, "per": "1h"}}
                      }
                    ]
                  }
                }
                """.formatted(ADDRESS_BUDGET, CHECKOUT_BUDGET, TENANT_BUDGET).getBytes(StandardCharsets.UTF_8));
    }

    /** Starts a gateway that believes proxies on this machine, and waits until it knows the policy. */
    private ChildJvm startGateway(String name) throws Exception {
        List<String> settings = List.of(
                "bootstrap.servers=" + broker.bootstrapServers(),
                "pseudonym.secret=" + Secrets.pseudonymSecret(folder),
                "policies.unsigned=allow",
                "gateway.name=" + name,
                "port=0",
                "admin.port=0",
                "deadline.ms=2000",
                "proxy.peers=127.0.0.1",
                "proxy.request.id.header=X-Headgate-Request",
                "identity.from=jwt",
                "jwt.keys.file=" + folder.resolve("keys.json"),
                "jwt.issuer=https://issuer.example",
                "jwt.audience=shop");
        List<String> arguments = new ArrayList<>();
        settings.forEach(setting -> arguments.addAll(List.of("--set", setting)));
        ChildJvm started = ChildJvm.start(
                folder.resolve(name + ".log"),
                List.of("-Xmx128m", "-XX:+UseSerialGC"),
                GatewayMain.class,
                arguments.toArray(String[]::new));
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest peek = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + portOf(started) + "/v1/check"))
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString("{\"ip\":\"192.0.2.1\",\"peek\":true}"))
                .build();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> http.send(peek, BodyHandlers.ofString())
                        .headers()
                        .firstValue("RateLimit")
                        .isPresent());
        return started;
    }

    static int portOf(ChildJvm gateway) {
        String line = gateway.awaitLine(LISTENING, PATIENCE);
        return Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1).trim());
    }

    /** Copies a recipe into a folder, with other ports. */
    final void recipe(String file, Path into, int port, int gatewayPort) throws IOException {
        String text = Files.readString(RECIPES.resolve(file))
                .replace(":8000", ":" + port)
                .replace(":8080", ":" + gatewayPort)
                .replace(":9000", ":" + backend.port());
        Files.writeString(into.resolve(file), text);
    }

    final ProxyBackend backend() {
        return backend;
    }

    /** The gateway that all tests share. */
    final ChildJvm gateway() {
        return gateway;
    }

    /** A gateway of its own, that a test may end. */
    final ChildJvm anotherGateway(String name) throws Exception {
        return startGateway(name);
    }

    /** A proxy of its own before it. */
    final ProxyProcess anotherProxy(String name, ChildJvm before) throws IOException {
        return startProxy(Files.createDirectory(folder.resolve(name)), ProxyProcess.freePort(), portOf(before));
    }

    private String token(JWTClaimsSet claims) throws JOSEException {
        SignedJWT token = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(), claims);
        token.sign(new RSASSASigner(key));
        return "Authorization: Bearer " + token.serialize();
    }

    private static JWTClaimsSet.Builder claims(String tenant) {
        return new JWTClaimsSet.Builder()
                .issuer("https://issuer.example")
                .audience("shop")
                .subject("U-17")
                .claim("tenant", tenant)
                .expirationTime(Date.from(Instant.now().plusSeconds(3_600)));
    }

    // ---- the same for every proxy

    @Test
    void requests_within_policy_reach_the_backend_exactly_once_and_one_more_gets_429() throws Exception {
        ProxyClient client = proxy.client("127.0.0.11");
        for (int i = 0; i < ADDRESS_BUDGET; i++) {
            ProxyClient.Answer allowed = client.send("POST", "/within/" + i + "?a=b", "a body");

            assertThat(allowed.status()).as(allowed.toString()).isEqualTo(200);
            assertThat(allowed.body()).contains("served");
            assertThat(backend.seen("/within/" + i)).containsExactly("POST /within/" + i + "?a=b");
        }

        ProxyClient.Answer denied = client.send("POST", "/within/more", "a body");

        assertThat(denied.status()).isEqualTo(429);
        assertThat(denied.header("Content-Type")).hasValue("application/problem+json");
        assertThat(Integer.parseInt(denied.header("Retry-After").orElseThrow())).isBetween(3_000, 3_600);
        assertThat(denied.header("RateLimit").orElseThrow()).startsWith("\"address\";r=0");
        assertThat(denied.body()).contains("\"status\":429");
        assertThat(backend.seen("/within/more")).isEmpty();
    }

    @Test
    void an_address_that_a_client_makes_up_is_not_its_address() throws Exception {
        ProxyClient client = proxy.client("127.0.0.12");
        for (int i = 0; i < ADDRESS_BUDGET; i++) {
            client.get("/spoofed/" + i, "X-Forwarded-For: 198.51.100." + i, "Forwarded: for=198.51.100." + i);
        }

        ProxyClient.Answer denied =
                client.get("/spoofed/more", "X-Forwarded-For: 198.51.100.99", "X-Real-IP: 198.51.100.98");

        assertThat(denied.status()).isEqualTo(429);
        assertThat(backend.seen("/spoofed/")).hasSize(ADDRESS_BUDGET);
    }

    @Test
    void a_client_cannot_say_that_it_was_counted_already_or_asks_about_something_else() throws Exception {
        ProxyClient client = proxy.client("127.0.0.13");
        for (int i = 0; i < CHECKOUT_BUDGET; i++) {
            assertThat(checkout(client).status()).isEqualTo(200);
        }

        assertThat(checkout(client).status()).isEqualTo(429);
    }

    private static ProxyClient.Answer checkout(ProxyClient client) throws IOException {
        return client.get(
                "/checkout",
                "Idempotency-Key: same",
                "X-Headgate-Request: same",
                "X-Request-Id: same",
                "X-Forwarded-Method: OPTIONS",
                "X-Forwarded-Uri: /free",
                "X-Original-Uri: /free");
    }

    @Test
    void a_path_that_is_written_another_way_is_the_same_path() throws Exception {
        ProxyClient client = proxy.client("127.0.0.14");
        assertThat(client.get("/%63heckout").status()).isEqualTo(200);
        assertThat(client.get("/./checkout?x=%2e").status()).isEqualTo(200);

        ProxyClient.Answer denied = client.get("/free/../checkout");

        assertThat(denied.status()).isEqualTo(429);
        assertThat(denied.header("RateLimit").orElseThrow()).startsWith("\"checkout\"");
    }

    @Test
    void a_token_names_the_tenant_that_is_counted_wherever_its_users_are() throws Exception {
        String header = token(claims("atlas").build());
        for (int i = 0; i < TENANT_BUDGET; i++) {
            assertThat(proxy.client("127.0.0.2" + i).get("/tenant/" + i, header).status())
                    .isEqualTo(200);
        }

        ProxyClient.Answer denied = proxy.client("127.0.0.23").get("/tenant/more", header);
        ProxyClient.Answer other = proxy.client("127.0.0.23")
                .get("/tenant/other", token(claims("birch").build()));

        assertThat(denied.status()).isEqualTo(429);
        assertThat(denied.header("RateLimit").orElseThrow()).startsWith("\"tenant\"");
        assertThat(other.status()).isEqualTo(200);
        assertThat(backend.seen("/tenant/more")).isEmpty();
    }

    @Test
    void a_token_that_is_not_genuine_gets_401_and_a_tenant_in_a_header_counts_for_nothing() throws Exception {
        ProxyClient client = proxy.client("127.0.0.15");
        JWTClaimsSet expired = claims("s3cret")
                .expirationTime(Date.from(Instant.now().minusSeconds(3_600)))
                .build();
        List<String> forged = List.of(
                token(expired),
                token(claims("s3cret").audience("another").build()),
                "Authorization: Bearer " + new PlainJWT(claims("s3cret").build()).serialize());

        for (String header : forged) {
            ProxyClient.Answer refused = client.get("/forged/token", header);
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.header("WWW-Authenticate").orElseThrow()).startsWith("Bearer");
        }
        ProxyClient.Answer anonymous = client.get("/forged/header", "X-Tenant: s3cret", "X-Headgate-Tenant: s3cret");

        assertThat(backend.seen("/forged/token")).isEmpty();
        assertThat(anonymous.header("RateLimit").orElse("\"address\";r=4"))
                .as("the budget of its address, which none of the refused has touched")
                .startsWith("\"address\";r=4");
        assertThat(Files.readString(folder.resolve("gateway.log"))).doesNotContain("s3cret", "127.0.0.15");
    }

    @Test
    void of_who_asks_only_the_tenant_reaches_a_topic_or_a_log() throws Exception {
        String header =
                token(claims("raw-tenant").subject("raw-user@shop.example").build());
        assertThat(proxy.client("127.0.0.17").get("/raw", header).status()).isEqualTo(200);

        StringBuilder all = new StringBuilder(Files.readString(folder.resolve("gateway.log")));
        for (TopicPartition partition : partitions()) {
            PartitionReader.read(broker.bootstrapServers(), partition, record -> {
                all.append(text(record.key())).append(text(record.value()));
                record.headers().forEach(field -> all.append(text(field.value())));
            });
        }

        assertThat(all.toString())
                .contains("raw-tenant")
                .doesNotContain("raw-user", "127.0.0.17", header.substring(header.lastIndexOf('.') + 1));
    }

    private List<TopicPartition> partitions() throws Exception {
        List<TopicPartition> partitions = new ArrayList<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.describeTopics(admin.listTopics().names().get())
                    .allTopicNames()
                    .get()
                    .forEach((topic, description) -> description
                            .partitions()
                            .forEach(partition -> partitions.add(new TopicPartition(topic, partition.partition()))));
        }
        return partitions;
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @Test
    void requests_get_503_and_never_429_when_the_gateway_hangs_or_is_dead() throws Exception {
        try (ChildJvm mortal = anotherGateway("mortal");
                ProxyProcess before = anotherProxy("before-mortal", mortal)) {
            ProxyClient client = before.client("127.0.0.16");
            assertThat(client.get("/mortal/alive").status()).isEqualTo(200);

            mortal.pause();
            assertUnavailable(client.get("/mortal/hangs"));
            mortal.resume();
            mortal.kill9();
            assertUnavailable(client.get("/mortal/dead"));

            assertThat(backend.seen("/mortal/")).containsExactly("GET /mortal/alive");
        }
    }

    private static void assertUnavailable(ProxyClient.Answer answer) {
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("Retry-After")).hasValue("1");
        assertThat(answer.header("RateLimit")).isEmpty();
    }
}
