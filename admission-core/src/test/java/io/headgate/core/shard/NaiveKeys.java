package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a rule counts a request by: the partition key, then each part of the scope. */
final class NaiveKeys {

    private NaiveKeys() {}

    static Optional<List<String>> of(Rule rule, Admission admission, Optional<String> group) {
        List<String> key = new ArrayList<>();
        key.add(partitionKey(admission));
        if (rule.scope() == Scope.COMPOSITE) {
            for (Part part : rule.composite()) {
                key.add(
                        part instanceof Part.Attribute attribute
                                ? admission.attributes().getOrDefault(attribute.name(), "")
                                : one(((Part.Of) part).scope(), admission, group));
            }
        } else {
            key.add(one(rule.scope(), admission, group));
        }
        return key.contains("") ? Optional.empty() : Optional.of(key);
    }

    private static String partitionKey(Admission admission) {
        return switch (admission.stage()) {
            case IP -> "ip:" + admission.identity().ip();
            case TARGET -> "target:" + admission.identity().target();
            case TENANT -> admission.identity().tenant();
        };
    }

    private static String one(Scope scope, Admission admission, Optional<String> group) {
        return switch (scope) {
            case IP -> admission.identity().ip();
            case TARGET -> admission.identity().target();
            case TENANT -> admission.identity().tenant();
            case API_KEY -> admission.identity().apiKey();
            case USER -> admission.identity().user();
            case ROUTE -> group.orElse("");
            case COMPOSITE -> throw new IllegalArgumentException("composites do not nest");
        };
    }
}
