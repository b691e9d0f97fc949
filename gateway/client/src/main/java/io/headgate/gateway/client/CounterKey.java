package io.headgate.gateway.client;

import io.headgate.core.decision.Admission;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a rule counts a request by: one counter for each.
 *
 * @param ruleId the rule
 * @param parts the partition key of its stage, and what else it counts by
 */
record CounterKey(String ruleId, List<String> parts) {

    CounterKey {
        parts = List.copyOf(parts);
    }

    /** That of a request, with its route group; empty if it lacks what the rule counts by, so that the rule is silent. */
    static Optional<CounterKey> of(Rule rule, Admission admission, Optional<String> group) {
        List<String> parts = new ArrayList<>();
        parts.add(admission.partitionKey());
        if (rule.scope() == Scope.COMPOSITE) {
            for (Part part : rule.composite()) {
                parts.add(admission.part(part, group));
            }
        } else if (rule.scope() != rule.stage().ownScope()) {
            parts.add(admission.part(rule.scope(), group));
        }
        return parts.contains("") ? Optional.empty() : Optional.of(new CounterKey(rule.id(), parts));
    }
}
