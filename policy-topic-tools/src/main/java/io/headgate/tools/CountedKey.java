package io.headgate.tools;

import io.headgate.core.decision.Admission;
import io.headgate.core.policy.Rule;
import java.util.Optional;

/** What a rule counts a request by, in words. */
final class CountedKey {

    private CountedKey() {}

    /**
     * The names that select the rule's counter, such as {@code 10.0.0.97}, or {@code atlas/U-17} for a user of a tenant;
     * empty if the request lacks one, so that the rule does not speak of it.
     *
     * @param group the request's route group
     */
    static Optional<String> of(Rule rule, Admission admission, Optional<String> group) {
        String part = admission.part(rule.scope(), group);
        if (part.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(rule.scope() == rule.stage().ownScope() ? part : owner(admission) + "/" + part);
    }

    private static String owner(Admission admission) {
        return admission.part(admission.stage().ownScope(), Optional.empty());
    }
}
