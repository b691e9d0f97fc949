package io.headgate.tools.tenant;

import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.NewestPolicy;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The newest policy on the topic, against which plans and actions are checked before they are written. */
final class PolicyInForce {

    private final Optional<Policy> policy;
    private final String whyNone;

    private PolicyInForce(Optional<Policy> policy, String whyNone) {
        this.policy = policy;
        this.whyNone = whyNone;
    }

    static PolicyInForce read(Cluster cluster) throws CommandFailedException {
        cluster.partitions(TopicCatalogue.POLICIES);
        NewestPolicy newest = new NewestPolicy();
        cluster.read(TopicCatalogue.POLICIES, 0, 0, newest::see);
        if (newest.record().isEmpty()) {
            return new PolicyInForce(
                    Optional.empty(), "there is no policy on topic " + TopicCatalogue.POLICIES + " to check against");
        }
        PolicyRecord record = newest.record().get();
        try {
            byte[] document = record.document().getBytes(StandardCharsets.UTF_8);
            return new PolicyInForce(Optional.of(PolicyDocument.parse(document).policy()), "");
        } catch (InvalidPolicyException e) {
            return new PolicyInForce(
                    Optional.empty(),
                    "the newest policy, version " + record.version() + ", cannot be read by this release: "
                            + e.problems().get(0));
        }
    }

    Optional<Policy> policy() {
        return policy;
    }

    /** Why there is no policy; empty if there is one. */
    String whyNone() {
        return whyNone;
    }

    Optional<Rule> rule(String id) {
        return policy.flatMap(present -> present.rule(id));
    }
}
