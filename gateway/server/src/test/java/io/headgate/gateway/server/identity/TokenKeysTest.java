package io.headgate.gateway.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TokenKeysTest {

    private static final long NEVER_MILLIS = TimeUnit.HOURS.toMillis(1);
    private static final RSAKey FIRST = rsa("first", 2048);
    private static final RSAKey SECOND = rsa("second", 2048);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicReference<String> text = new AtomicReference<>(set(FIRST));
    private final AtomicInteger reads = new AtomicInteger();

    private static RSAKey rsa(String id, int bits) {
        try {
            return new RSAKeyGenerator(bits, true).keyID(id).generate();
        } catch (JOSEException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static String set(RSAKey... keys) {
        List<JWK> all = new ArrayList<>();
        for (RSAKey key : keys) {
            all.add(key.toPublicJWK());
        }
        return new JWKSet(all).toString();
    }

    private String read() throws IOException {
        reads.incrementAndGet();
        if (text.get().isEmpty()) {
            throw new IOException("nobody answers");
        }
        return text.get();
    }

    private TokenKeys start(long refreshMillis, long leastMillis) throws IOException {
        return TokenKeys.start(this::read, refreshMillis, leastMillis, registry);
    }

    private static List<JWK> matching(TokenKeys keys, RSAKey key) {
        return keys.matching(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build());
    }

    @Test
    void the_keys_are_read_again_for_a_token_that_names_an_unknown_one() throws Exception {
        try (TokenKeys keys = start(NEVER_MILLIS, 0)) {
            text.set(set(FIRST, SECOND));
            assertThat(matching(keys, SECOND)).isEmpty();

            keys.refreshed().join();

            assertThat(matching(keys, SECOND)).hasSize(1);
            assertThat(reads).hasValue(2);
        }
    }

    @Test
    void however_many_tokens_name_unknown_keys_they_are_not_read_more_often_than_may_be() throws Exception {
        try (TokenKeys keys = start(NEVER_MILLIS, NEVER_MILLIS)) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                all.add(keys.refreshed());
            }
            all.forEach(CompletableFuture::join);

            assertThat(reads).hasValue(1);
        }
    }

    @Test
    void the_last_good_keys_stay_when_they_cannot_be_read_and_that_is_counted() throws Exception {
        try (TokenKeys keys = start(20, NEVER_MILLIS)) {
            for (String broken : List.of("", "not json", "{}", "{\"keys\":[]}", set(rsa("weak", 1024)))) {
                text.set(broken);
                double before = registry.counter("ratelimit.gateway.token.keys.failures")
                        .count();
                await().atMost(Duration.ofSeconds(30)).until(() -> failures() > before);

                assertThat(matching(keys, FIRST)).hasSize(1);
            }
            text.set(set(SECOND));
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> matching(keys, SECOND).size() == 1);

            assertThat(matching(keys, FIRST)).isEmpty();
        }
    }

    private double failures() {
        return registry.counter("ratelimit.gateway.token.keys.failures").count();
    }

    @Test
    void secret_and_weak_keys_are_refused() throws Exception {
        text.set(new JWKSet(FIRST).toString(false));
        assertThatThrownBy(() -> start(NEVER_MILLIS, 1)).hasMessage("key 1 is secret; only public keys belong here");

        OctetSequenceKey secret = new OctetSequenceKey.Builder("x".repeat(32).getBytes(StandardCharsets.UTF_8)).build();
        text.set(new JWKSet(List.of(FIRST.toPublicJWK(), secret)).toString(false));
        assertThatThrownBy(() -> start(NEVER_MILLIS, 1)).hasMessage("key 2 is secret; only public keys belong here");

        text.set(set(rsa("weak", 1024)));
        assertThatThrownBy(() -> start(NEVER_MILLIS, 1))
                .hasMessage("key 1 has 1024 bits; an RSA key must have 2048 or more");
    }

    @Test
    void there_may_be_32_keys_and_not_one_more() throws Exception {
        RSAKey[] most = new RSAKey[32];
        for (int i = 0; i < most.length; i++) {
            most[i] = new RSAKey.Builder(FIRST.toPublicJWK()).keyID("key-" + i).build();
        }
        text.set(set(most));
        start(NEVER_MILLIS, 1).close();

        text.set(new JWKSet(withOneMore(most)).toString());
        assertThatThrownBy(() -> start(NEVER_MILLIS, 1)).hasMessage("it has 33 keys; it must have 1 to 32");
    }

    private static List<JWK> withOneMore(RSAKey... most) {
        List<JWK> all = new ArrayList<>(List.of(most));
        all.add(SECOND.toPublicJWK());
        return all;
    }

    @Test
    void they_come_from_a_file(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("keys.json"), set(FIRST));
        KeySource source = KeySource.of(
                new JwtSettings(Settings.config(Settings.jwt(Map.of(JwtSettings.KEYS_FILE, file.toString())))));

        assertThat(source.read()).isEqualTo(set(FIRST));
        Files.writeString(file, " ".repeat(KeySource.MAX_LENGTH + 1));
        assertThatThrownBy(source::read).hasMessage("it is longer than 262144 bytes");
    }

    @Test
    void they_come_from_a_url_and_neither_a_long_nor_a_slow_answer_hurts() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        CompletableFuture<Void> end = new CompletableFuture<>();
        AtomicReference<String> answer = new AtomicReference<>(set(FIRST));
        server.createContext("/keys", exchange -> {
            if (answer.get().isEmpty()) {
                end.join();
            }
            byte[] bytes = answer.get().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        try {
            KeySource source = KeySource.of(new JwtSettings(Settings.config(Settings.jwt(Map.of(
                    JwtSettings.KEYS_FILE,
                    "",
                    JwtSettings.KEYS_URL,
                    "http://127.0.0.1:" + server.getAddress().getPort() + "/keys",
                    JwtSettings.KEYS_TIMEOUT_MS,
                    "1000")))));
            assertThat(source.read()).isEqualTo(set(FIRST));

            answer.set(" ".repeat(KeySource.MAX_LENGTH + 1));
            assertThatThrownBy(source::read).isInstanceOf(IOException.class);
            answer.set("");
            assertThatThrownBy(source::read).isInstanceOf(IOException.class);
        } finally {
            end.complete(null);
            server.stop(0);
        }
    }
}
