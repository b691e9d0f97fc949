package io.headgate.schemas;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one process says on {@code policy-status}: of each of its reporters at once when something has changed, and
 * otherwise at intervals; and that it has stopped. Nothing here ever waits. What finds no way out is said again a little
 * later, and a topic that is not there costs a warning.
 *
 * <p>For one thread.
 */
public final class PolicyStatusReports implements AutoCloseable {

    /** The least time between words, in milliseconds. */
    public static final long LEAST_INTERVAL_MILLIS = 100;

    /** The most time between words, in milliseconds. */
    public static final long MOST_INTERVAL_MILLIS = 600_000;

    private static final Logger LOG = LoggerFactory.getLogger(PolicyStatusReports.class);

    private static final int LONGEST_REFUSAL = 1_000;
    private static final long FIRST_RETRY_MILLIS = 250;
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final Producer<byte[], byte[]> producer;
    private final long everyMillis;
    private final String process = ManagementFactory.getRuntimeMXBean().getName();
    private final Map<String, PolicyStatus> said = new HashMap<>();
    private volatile boolean failing;
    private long notBeforeMillis;
    private long retryMillis = FIRST_RETRY_MILLIS;

    /**
     * Says nothing yet.
     *
     * @param producer closed with this; its {@code max.block.ms} must be 0
     * @param everyMillis how often to say what has not changed
     */
    public PolicyStatusReports(Producer<byte[], byte[]> producer, long everyMillis) {
        this.producer = producer;
        this.everyMillis = everyMillis;
    }

    /**
     * Which versions a reporter goes by.
     *
     * @param source offset of the newest version taken over; −1 before the first
     * @param version in force for everybody; 0 if none is
     * @param rolledOut in force for some; 0 if none is
     * @param pending the newest version that waits for its time; 0 if none does
     */
    public record Versions(long source, long version, long rolledOut, long pending) {}

    /**
     * A record of the topic of policies that was refused.
     *
     * @param source its offset
     * @param reason why
     */
    public record Refused(long source, String reason) {}

    /** What the producer of such words must be set to, besides how to reach the cluster. */
    public static Map<String, Object> producerSettings() {
        return Map.of(
                ProducerConfig.MAX_BLOCK_MS_CONFIG, 0,
                ProducerConfig.LINGER_MS_CONFIG, 0,
                ProducerConfig.BUFFER_MEMORY_CONFIG, 4L * 1024 * 1024,
                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 2_000,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 5_000);
    }

    /** Says where a reporter stands, if that is new or has not been said for long enough. */
    public void say(String reporter, Versions versions, Optional<Refused> refused, long nowMillis) {
        PolicyStatus status = new PolicyStatus(
                reporter,
                process,
                versions.source(),
                versions.version(),
                versions.rolledOut(),
                versions.pending(),
                refused.map(Refused::source).orElse(-1L),
                refused.map(Refused::reason).map(PolicyStatusReports::cut).orElse(""),
                nowMillis,
                everyMillis);
        PolicyStatus last = said.get(reporter);
        boolean due = last == null || failing || !saysTheSame(last, status) || isOver(last, nowMillis);
        if (due && maySend(nowMillis) && send(reporter, status.toBytes(), nowMillis)) {
            said.put(reporter, status);
        }
    }

    /** Says of all but these reporters that this process has stopped reporting for them. */
    public void keepOnly(Set<String> reporters, long nowMillis) {
        for (String gone : new HashSet<>(said.keySet())) {
            if (!reporters.contains(gone)) {
                send(gone, null, nowMillis);
                said.remove(gone);
            }
        }
    }

    private boolean isOver(PolicyStatus last, long nowMillis) {
        return Math.abs(nowMillis - last.atMillis()) >= everyMillis;
    }

    private boolean maySend(long nowMillis) {
        // A clock that was set back must not silence a reporter.
        return nowMillis >= notBeforeMillis || notBeforeMillis - nowMillis > MOST_INTERVAL_MILLIS;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells what came of it
    private boolean send(String reporter, byte[] value, long nowMillis) {
        try {
            failing = false;
            byte[] key = new PolicyStatus(reporter, "", 0, 0, 0, 0, 0, "", 0, 0).key();
            producer.send(new ProducerRecord<>(TopicCatalogue.POLICY_STATUS, 0, key, value), (sent, failure) -> {
                if (failure != null) {
                    failed(failure);
                }
            });
        } catch (RuntimeException refused) {
            failed(refused);
        }
        if (failing) {
            notBeforeMillis = nowMillis + retryMillis;
            retryMillis = Math.min(2 * retryMillis, Math.max(FIRST_RETRY_MILLIS, everyMillis));
            if (retryMillis == Math.max(FIRST_RETRY_MILLIS, everyMillis)) {
                LOG.atWarn()
                        .addKeyValue("topic", TopicCatalogue.POLICY_STATUS)
                        .log("nobody is told which policies this process goes by; it will be tried again");
            }
            return false;
        }
        retryMillis = FIRST_RETRY_MILLIS;
        return true;
    }

    private void failed(Exception failure) {
        failing = true;
        LOG.atDebug().addKeyValue("reason", failure.toString()).log("a status could not be sent");
    }

    private static boolean saysTheSame(PolicyStatus one, PolicyStatus other) {
        return one.source() == other.source()
                && one.version() == other.version()
                && one.rolledOut() == other.rolledOut()
                && one.pending() == other.pending()
                && one.refusedSource() == other.refusedSource()
                && one.refusal().equals(other.refusal());
    }

    private static String cut(String reason) {
        return reason.length() <= LONGEST_REFUSAL ? reason : reason.substring(0, LONGEST_REFUSAL - 1) + "…";
    }

    /** Says of every reporter that it has stopped, as far as that can be said at once. */
    @Override
    public void close() {
        keepOnly(Set.of(), System.currentTimeMillis());
        producer.close(CLOSE_TIMEOUT);
    }
}
