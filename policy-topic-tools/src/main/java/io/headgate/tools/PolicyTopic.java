package io.headgate.tools;

import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.tools.PolicyVersions.Entry;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The topic of policies of a cluster of one's own. */
public final class PolicyTopic {

    private final String bootstrapServers;
    private final PolicyTrust trust;
    private final Optional<SigningKey> key;

    /** One whose readers believe everybody; nothing is signed. */
    public PolicyTopic(String bootstrapServers) {
        this(bootstrapServers, PolicyTrust.ANYBODY, Optional.empty());
    }

    /** One whose readers believe whom {@code trust} says, and where one key signs. */
    public PolicyTopic(String bootstrapServers, PolicyTrust trust, SigningKey key) {
        this(bootstrapServers, trust, Optional.of(key));
    }

    private PolicyTopic(String bootstrapServers, PolicyTrust trust, Optional<SigningKey> key) {
        this.bootstrapServers = bootstrapServers;
        this.trust = trust;
        this.key = key;
    }

    /** What publishing came to. */
    public enum Published {
        /** The version is on the topic now. */
        NOW,
        /** It was there already, with the same content. */
        BEFORE
    }

    /**
     * Publishes the next version.
     *
     * @throws PolicyConflictException if there is one of that number, or a newer one
     * @throws CommandFailedException if readers would refuse it, or the cluster does
     */
    public Published publish(PolicyDocument draft, String author, String reason) throws CommandFailedException {
        PolicyDocument document = draft.as(draft.metadata().version(), author, reason);
        try (Cluster cluster = open()) {
            boolean before = new PolicyPublisher(cluster, trust)
                    .publish(
                            PolicyRecord.of(
                                    document,
                                    key.map(one -> one.sign(document)).stream().toList()),
                            OptionalLong.empty())
                    .before();
            return before ? Published.BEFORE : Published.NOW;
        }
    }

    /** The newest version on the topic. */
    public Optional<PolicyRecord> newest() throws CommandFailedException {
        try (Cluster cluster = open()) {
            return PolicyVersions.read(cluster, trust).newest().flatMap(Entry::record);
        }
    }

    private Cluster open() {
        return KafkaCluster.of(Map.of("bootstrap.servers", bootstrapServers));
    }
}
