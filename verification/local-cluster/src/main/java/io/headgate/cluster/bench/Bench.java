package io.headgate.cluster.bench;

import io.headgate.cluster.Progress;
import io.headgate.cluster.bench.Comparison.Measured;
import io.headgate.gateway.client.ClientSettings;
import io.headgate.gateway.client.HeadgateClient;
import io.headgate.schemas.trust.TrustSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A client and an echo on one cluster, and what they are put through. */
final class Bench implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Bench.class);

    /** The same callers in every run, and for decisions and echo. */
    private static final long SEED = 1;

    private static final int SECRET_LENGTH = 32;

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Plan plan;
    private final Decisions decisions;
    private final EchoClient echo;

    /** Connects both. */
    private Bench(Plan plan, BenchCluster cluster) throws ExecutionException, InterruptedException {
        this.plan = plan;
        boolean started = false;
        try {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            HeadgateClient client = started(HeadgateClient.start(settings(cluster, "bench"), registry));
            decisions = new Decisions(client, new Population(plan.keys(), SEED), plan.route());
            EchoTopics topics = started(EchoTopics.create(cluster.bootstrapServers(), cluster.shards()));
            started(EchoServer.start(settings(cluster, "bench-echo-server"), topics));
            echo = started(EchoClient.start(
                    settings(cluster, "bench-echo"),
                    topics,
                    new Population(plan.keys(), SEED),
                    RecordSize.of(plan.route()),
                    Plan.MOST_PENDING));
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    static Bench start(Plan plan, BenchCluster cluster) throws ExecutionException, InterruptedException {
        return new Bench(plan, cluster);
    }

    /** What the two loads brought. */
    record Results(Measured openLoop, Measured saturation) {}

    Results run() throws InterruptedException {
        int slicesOfALoad = Comparison.slices(plan.warmUpSeconds()) + Comparison.slices(plan.durationSeconds());
        Progress progress = new Progress(2L * slicesOfALoad);
        AtomicInteger done = new AtomicInteger();
        progress.show(0);
        Comparison comparison =
                new Comparison(decisions, echo, plan.deadlineMillis(), () -> progress.show(done.incrementAndGet()));
        Measured openLoop =
                comparison.run(new OpenLoop(plan.rate(), Ticker.SYSTEM), plan.warmUpSeconds(), plan.durationSeconds());
        Measured saturation = comparison.run(
                new Saturation(plan.inFlight(), Ticker.SYSTEM), plan.warmUpSeconds(), plan.durationSeconds());
        progress.finish(done.get());
        return new Results(openLoop, saturation);
    }

    private ClientSettings settings(BenchCluster cluster, String name) {
        byte[] secret = new byte[SECRET_LENGTH];
        new SecureRandom().nextBytes(secret);
        return new ClientSettings(Map.of(
                ClientSettings.BOOTSTRAP_SERVERS,
                cluster.bootstrapServers(),
                ClientSettings.GATEWAY_NAME,
                name,
                ClientSettings.PSEUDONYM_SECRET,
                HexFormat.of().formatHex(secret),
                TrustSettings.UNSIGNED,
                TrustSettings.ALLOW,
                ClientSettings.DEADLINE_MS,
                Integer.toString(plan.deadlineMillis()),
                ClientSettings.PENDING_MAX,
                Integer.toString(Plan.MOST_PENDING)));
    }

    private <T extends AutoCloseable> T started(T part) {
        parts.push(part);
        return part;
    }

    /** Stops everything, the last part first. A second call does nothing. */
    @Override
    public synchronized void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception failed) {
                // The others still have to stop.
                LOG.warn("a part of the bench did not stop: {}", failed.toString());
            }
        }
    }
}
