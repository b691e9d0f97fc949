package io.headgate.tools.tenant;

import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.PolicyVersions;
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
        return PolicyVersions.read(cluster, PolicyTrust.ANYBODY)
                .newest()
                .map(entry -> new PolicyInForce(Optional.of(entry.document().policy()), ""))
                .orElseGet(() -> new PolicyInForce(
                        Optional.empty(),
                        "there is no policy on topic " + TopicCatalogue.POLICIES + " to check against"));
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
