package io.headgate.gateway.client;

import io.headgate.core.policy.Policy;
import io.headgate.schemas.PolicyHistory;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the topic of policies from its beginning. The client decides nothing by a policy; it only learns which stages
 * have a rule for a question. What shards refuse is refused here too, and the last good policy stays; so it does while
 * the topic cannot be read.
 */
final class PolicyFollower {

    static final TopicPartition POLICIES = new TopicPartition(TopicCatalogue.POLICIES, 0);

    private static final Logger LOG = LoggerFactory.getLogger(PolicyFollower.class);

    private final Consumer<byte[], byte[]> consumer;
    private final ClientMeters meters;
    private final PolicyHistory history = new PolicyHistory(PolicyTrust.ANYBODY);
    private volatile Optional<Policy> newest = Optional.empty();
    private boolean failing;

    /** Makes a follower; nothing is read before the first {@link #poll}. */
    PolicyFollower(Consumer<byte[], byte[]> consumer, ClientMeters meters) {
        this.consumer = consumer;
        this.meters = meters;
        consumer.assign(List.of(POLICIES));
        consumer.seekToBeginning(List.of(POLICIES));
    }

    /** The policy to go by; empty while none is known. */
    Optional<Policy> newest() {
        return newest;
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
            }
            noteReadable();
        } catch (WakeupException | InterruptException stop) {
            throw stop;
        } catch (KafkaException trouble) {
            noteTrouble(trouble);
            throw trouble;
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        Optional<String> refusal = history.take(record.offset(), record.value());
        history.forgetOlder();
        if (refusal.isPresent()) {
            meters.policyRefused();
            LOG.atError()
                    .addKeyValue("topic", record.topic())
                    .addKeyValue("offset", record.offset())
                    .addKeyValue("reason", refusal.get())
                    .log("policy refused; the one known stays");
        }
        history.newest()
                .filter(policy ->
                        newest.map(known -> known.version() != policy.version()).orElse(true))
                .ifPresent(this::takeUp);
    }

    private void takeUp(PolicyHistory.Accepted accepted) {
        Policy policy = PolicyDocument.READER.read(accepted.document());
        newest = Optional.of(policy);
        meters.policyTakenUp(policy.version());
        LOG.atInfo()
                .addKeyValue("policyVersion", policy.version())
                .addKeyValue("offset", accepted.offset())
                .log("stages are chosen by a new policy");
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
