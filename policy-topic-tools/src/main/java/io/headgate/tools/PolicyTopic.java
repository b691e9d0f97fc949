package io.headgate.tools;

import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.PolicyVersions.Entry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The topic of policies of a development cluster, where everybody is believed and nothing is signed. */
public final class PolicyTopic {

    private final String bootstrapServers;

    public PolicyTopic(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
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
            boolean before = new PolicyPublisher(cluster, PolicyTrust.ANYBODY)
                    .publish(PolicyRecord.of(document, List.of()), OptionalLong.empty())
                    .before();
            return before ? Published.BEFORE : Published.NOW;
        }
    }

    /** The newest version on the topic. */
    public Optional<PolicyRecord> newest() throws CommandFailedException {
        try (Cluster cluster = open()) {
            return PolicyVersions.read(cluster, PolicyTrust.ANYBODY).newest().flatMap(Entry::record);
        }
    }

    private Cluster open() {
        return KafkaCluster.of(Map.of("bootstrap.servers", bootstrapServers));
    }
}
