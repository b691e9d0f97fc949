package io.headgate.gateway.client;

import io.headgate.core.policy.Policy;
import io.headgate.core.policy.StaleSnapshot;
import io.headgate.schemas.PolicyHistory;
import io.headgate.schemas.PolicyRefusal;
import io.headgate.schemas.PolicyStatusReports;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the topic of policies from its beginning. The client decides nothing by a policy; it learns which stages
 * have a rule for a question, and what becomes of one that nobody decides. What shards refuse is refused here too, and the last good policy stays; so it does while
 * the topic cannot be read.
 */
final class PolicyFollower {

    static final TopicPartition POLICIES = new TopicPartition(TopicCatalogue.POLICIES, 0);

    private static final Logger LOG = LoggerFactory.getLogger(PolicyFollower.class);

    /** How often it is asked, in silence: a quarter of the shortest that may count as too long. */
    private static final long LISTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(StaleSnapshot.LEAST_AFTER_MILLIS / 4);

    private static final Duration LISTEN_TIMEOUT = Duration.ofMillis(500);

    private final Consumer<byte[], byte[]> consumer;
    private final ClientMeters meters;
    private final PolicyStatusReports reports;
    private final String reporter;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final PolicyHistory history;
    private final CandidatePolicies candidates = new CandidatePolicies();
    private volatile List<Policy> possible = List.of();
    private Optional<PolicyStatusReports.Refused> refused = Optional.empty();
    private volatile long heardNanos;
    private volatile long source = -1;
    private long askedNanos;
    private boolean failing;

    /**
     * Makes a follower; nothing is read before the first {@link #poll}.
     *
     * @param trust whose policies count
     * @param reports closed with this
     * @param reporter who says there which policies it goes by
     * @param nanoClock what silence is measured by
     */
    PolicyFollower(
            Consumer<byte[], byte[]> consumer,
            PolicyTrust trust,
            ClientMeters meters,
            PolicyStatusReports reports,
            String reporter,
            Clock clock,
            LongSupplier nanoClock) {
        this.consumer = consumer;
        this.history = new PolicyHistory(trust);
        this.meters = meters;
        this.reports = reports;
        this.reporter = reporter;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.heardNanos = nanoClock.getAsLong();
        this.askedNanos = heardNanos - LISTEN_NANOS;
        consumer.assign(List.of(POLICIES));
        consumer.seekToBeginning(List.of(POLICIES));
    }

    /** Every version that may decide a question now, newest first; none while none is known. */
    List<Policy> possible() {
        return possible;
    }

    /** The place of the newest version that is known; −1 while none is. */
    long source() {
        return source;
    }

    /** The version that decides a request of a tenant to a route, as far as this client can know. */
    Optional<Policy> inForceFor(String tenant, String route) {
        long nowMillis = clock.millis();
        for (Policy policy : possible) {
            boolean meant = policy.activation().isWhole()
                    || policy.activation()
                            .rollout()
                            .includes(tenant, policy.routes().groupOf(route));
            if (meant && policy.activation().isDue(nowMillis)) {
                return Optional.of(policy);
            }
        }
        return Optional.empty();
    }

    /** Whether nobody has told for so long what stands on the topic that the policy says not to go on by it. */
    boolean isStale() {
        List<Policy> known = possible;
        if (known.isEmpty()) {
            return false;
        }
        StaleSnapshot stale = known.get(0).conduct().staleSnapshot();
        return stale.action() == StaleSnapshot.Action.FAIL_MODE
                && nanoClock.getAsLong() - heardNanos > TimeUnit.MILLISECONDS.toNanos(stale.afterMillis());
    }

    /** The newest of them whose time has come; empty while none is known. */
    Optional<Policy> newest() {
        long nowMillis = clock.millis();
        return possible.stream()
                .filter(policy -> policy.activation().isDue(nowMillis))
                .findFirst();
    }

    /**
     * Waits for policies no longer than that, and takes up those that came.
     *
     * @throws KafkaException if the topic cannot be read now
     */
    void poll(Duration timeout) {
        try {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout)) {
                take(record);
                hear();
            }
            lookAtTime();
            listen();
            noteReadable();
        } catch (WakeupException | InterruptException stop) {
            throw stop;
        } catch (KafkaException trouble) {
            noteTrouble(trouble);
            throw trouble;
        }
    }

    /** A poll that brings nothing says nothing of the brokers, so they are asked now and then where the topic ends. */
    private void listen() {
        long nowNanos = nanoClock.getAsLong();
        if (nowNanos - heardNanos >= LISTEN_NANOS && nowNanos - askedNanos >= LISTEN_NANOS) {
            askedNanos = nowNanos;
            consumer.endOffsets(List.of(POLICIES), LISTEN_TIMEOUT);
            hear();
        }
    }

    private void hear() {
        heardNanos = nanoClock.getAsLong();
        meters.policyHeard();
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        Optional<PolicyRefusal> refusal = history.take(record.offset(), record.timestamp(), record.value());
        history.forgetOlder();
        if (refusal.isPresent()) {
            refused = Optional.of(new PolicyStatusReports.Refused(
                    record.offset(), refusal.get().reason()));
            meters.policyRefused(refusal.get().cause());
            LOG.atError()
                    .addKeyValue("topic", record.topic())
                    .addKeyValue("offset", record.offset())
                    .addKeyValue("cause", refusal.get().cause().label())
                    .addKeyValue("reason", refusal.get().reason())
                    .log("policy refused; the one known stays");
        } else {
            takeUp(record.offset());
        }
    }

    private void takeUp(long offset) {
        history.newest().filter(policy -> policy.offset() == offset).ifPresent(accepted -> {
            candidates.add(offset, PolicyDocument.READER.read(accepted.document()));
            possible = candidates.possible(clock.millis());
            source = offset;
            meters.policyTakenUp(accepted.version());
            LOG.atInfo()
                    .addKeyValue("policyVersion", accepted.version())
                    .addKeyValue("offset", offset)
                    .log("stages are chosen by a new policy");
        });
    }

    /** What waited for its time may have come to it; and who asks is told where this gateway stands. */
    private void lookAtTime() {
        long nowMillis = clock.millis();
        if (candidates.count() > 1) {
            possible = candidates.possible(nowMillis);
        }
        reports.say(reporter, candidates.versions(nowMillis), refused, nowMillis);
    }

    /** Says that this gateway has stopped. */
    void close() {
        reports.close();
    }

    private void noteTrouble(KafkaException trouble) {
        if (!failing) {
            LOG.atWarn()
                    .addKeyValue("topic", POLICIES.topic())
                    .addKeyValue("reason", trouble.toString())
                    .log("policies cannot be read; it will be tried again");
        }
        failing = true;
    }

    private void noteReadable() {
        if (failing) {
            LOG.atInfo().addKeyValue("topic", POLICIES.topic()).log("policies can be read again");
        }
        failing = false;
    }
}
