package io.headgate.gateway.server.identity;

import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.io.IOException;
import java.text.ParseException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The public keys that tokens are verified with. They are read again from time to time, and when a token names one that is
 * not there; but however many such tokens come, only once in a while. If reading fails, those that were read last stay.
 */
final class TokenKeys implements AutoCloseable {

    /** The most keys in a set: a token that names none is tried with all that fit. */
    static final int MAX_KEYS = 32;

    private static final int LEAST_RSA_BITS = 2_048;
    private static final Logger LOG = LoggerFactory.getLogger(TokenKeys.class);

    private final KeySource source;
    private final long leastNanos;
    private final Counter failures;
    private final ScheduledExecutorService reader = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "headgate-token-keys");
        thread.setDaemon(true);
        return thread;
    });
    private volatile JWKSet keys;
    private volatile long readNanos;
    private long triedNanos;
    private CompletableFuture<Void> reading = CompletableFuture.completedFuture(null);

    private TokenKeys(KeySource source, long leastMillis, MeterRegistry registry) throws IOException {
        this.source = source;
        this.leastNanos = TimeUnit.MILLISECONDS.toNanos(leastMillis);
        this.keys = parsed(source.read());
        this.readNanos = System.nanoTime();
        this.triedNanos = readNanos;
        this.failures = Counter.builder("ratelimit.gateway.token.keys.failures")
                .description("Times that the keys for tokens could not be read, so that older ones stayed")
                .register(registry);
        TimeGauge.builder(
                        "ratelimit.gateway.token.keys.age",
                        this,
                        TimeUnit.NANOSECONDS,
                        self -> System.nanoTime() - self.readNanos)
                .description("How long ago the keys for tokens were read")
                .register(registry);
    }

    /**
     * Reads the keys, and goes on doing so.
     *
     * @param refreshMillis how often
     * @param leastMillis how long after one time it is not done again for the sake of a token
     * @throws IOException if they cannot be read now: a gateway does not start without
     */
    static TokenKeys start(KeySource source, long refreshMillis, long leastMillis, MeterRegistry registry)
            throws IOException {
        TokenKeys keys = new TokenKeys(source, leastMillis, registry);
        var unused = keys.reader.scheduleWithFixedDelay(
                keys::refreshQuietly, refreshMillis, refreshMillis, TimeUnit.MILLISECONDS);
        return keys;
    }

    /** Those that a token may be signed with, as far as its header tells. */
    List<JWK> matching(JWSHeader header) {
        return new JWKSelector(JWKMatcher.forJWSHeader(header)).select(keys);
    }

    /** Completes when the keys are as new as they may be: read again, or read so lately that they are not. */
    synchronized CompletableFuture<Void> refreshed() {
        long now = System.nanoTime();
        if (reading.isDone() && now - triedNanos >= leastNanos) {
            triedNanos = now;
            reading = CompletableFuture.runAsync(this::refreshQuietly, reader);
        }
        return reading;
    }

    private void refreshQuietly() {
        try {
            keys = parsed(source.read());
            readNanos = System.nanoTime();
        } catch (IOException | RuntimeException failed) {
            failures.increment();
            LOG.atWarn()
                    .addKeyValue("reason", reason(failed))
                    .log("the keys for tokens cannot be read; those that were read last stay");
        }
    }

    /** Without the text of an exception, which may hold a URL with a secret in it. */
    private static String reason(Exception failed) {
        return failed instanceof KeySetException
                ? failed.getMessage()
                : failed.getClass().getSimpleName();
    }

    private static JWKSet parsed(String text) throws IOException {
        JWKSet set;
        try {
            set = JWKSet.parse(text);
        } catch (ParseException broken) {
            throw new KeySetException("it is no JSON Web Key Set (RFC 7517)");
        }
        List<JWK> keys = set.getKeys();
        if (keys.isEmpty() || keys.size() > MAX_KEYS) {
            throw new KeySetException("it has " + keys.size() + " keys; it must have 1 to " + MAX_KEYS);
        }
        for (int i = 0; i < keys.size(); i++) {
            check("key " + (i + 1), keys.get(i));
        }
        return set;
    }

    private static void check(String place, JWK key) throws KeySetException {
        if (!(key instanceof AsymmetricJWK) || key.isPrivate()) {
            throw new KeySetException(place + " is secret; only public keys belong here");
        }
        if (key instanceof RSAKey && key.size() < LEAST_RSA_BITS) {
            throw new KeySetException(
                    place + " has " + key.size() + " bits; an RSA key must have " + LEAST_RSA_BITS + " or more");
        }
    }

    @Override
    public void close() {
        reader.shutdownNow();
    }

    /** What is wrong with a set of keys; the message may be shown. */
    static final class KeySetException extends IOException {

        private static final long serialVersionUID = 1L;

        KeySetException(String message) {
            super(message);
        }
    }
}
