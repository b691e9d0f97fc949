package io.headgate.tools;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
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
        Identity who = admission.identity();
        String part = switch (rule.scope()) {
            case IP -> who.ip();
            case TARGET -> who.target();
            case TENANT -> who.tenant();
            case API_KEY -> who.apiKey();
            case USER -> who.user();
            case ROUTE -> group.orElse("");
        };
        if (part.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(rule.scope() == rule.stage().ownScope() ? part : owner(admission) + "/" + part);
    }

    private static String owner(Admission admission) {
        return switch (admission.stage()) {
            case IP -> admission.identity().ip();
            case TARGET -> admission.identity().target();
            case TENANT -> admission.identity().tenant();
        };
    }
}
