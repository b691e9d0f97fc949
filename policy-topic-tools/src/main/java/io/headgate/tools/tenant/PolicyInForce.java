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
    private final boolean signed;
    private final String whyNone;

    private PolicyInForce(Optional<Policy> policy, boolean signed, String whyNone) {
        this.policy = policy;
        this.signed = signed;
        this.whyNone = whyNone;
    }

    static PolicyInForce read(Cluster cluster) throws CommandFailedException {
        return PolicyVersions.read(cluster, PolicyTrust.ANYBODY)
                .newest()
                .map(entry -> new PolicyInForce(
                        Optional.of(entry.document().policy()),
                        !entry.record().orElseThrow().signatures().isEmpty(),
                        ""))
                .orElseGet(() -> new PolicyInForce(
                        Optional.empty(),
                        false,
                        "there is no policy on topic " + TopicCatalogue.POLICIES + " to check against"));
    }

    Optional<Policy> policy() {
        return policy;
    }

    /** Whether somebody has signed it. */
    boolean signed() {
        return signed;
    }

    /** Why there is no policy; empty if there is one. */
    String whyNone() {
        return whyNone;
    }

    Optional<Rule> rule(String id) {
        return policy.flatMap(present -> present.rule(id));
    }
}
