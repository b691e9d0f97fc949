package io.headgate.core.account;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import java.util.Map;

/**
 * Whom an operator's action is about.
 *
 * @param stage fixes the partition key, and so the shard
 * @param identity has what the stage partitions by, and what narrows it down: a user of the tenant, say
 * @param route a route group, where the counters that are meant count by one; otherwise empty
 * @param attributes where the counters that are meant count by attributes
 */
public record Subject(Stage stage, Identity identity, String route, Map<String, String> attributes) {

    public Subject {
        attributes = new Admission(stage, identity, true, route, attributes, 1).attributes();
    }

    public String partitionKey() {
        return identity.partitionKey(stage);
    }

    /** A request of the subject, to find counters with. */
    public Admission asAdmission() {
        return new Admission(stage, identity, true, route, attributes, 1);
    }
}
