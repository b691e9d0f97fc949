package io.headgate.tools;

import io.headgate.core.decision.Admission;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.List;
import java.util.Optional;

/** What a rule counts a request by, in words. */
public final class CountedKey {

    private CountedKey() {}

    /**
     * The names that select the rule's counter, such as {@code 10.0.0.97}, or {@code atlas/U-17} for a user of a tenant; the
     * parts of a composite follow one another; empty if the request lacks one, so that the rule does not speak of it.
     *
     * @param group the request's route group
     */
    public static Optional<String> of(Rule rule, Admission admission, Optional<String> group) {
        if (rule.scope() == rule.stage().ownScope()) {
            return Optional.of(owner(admission));
        }
        List<Part> parts = rule.scope() == Scope.COMPOSITE ? rule.composite() : List.of(new Part.Of(rule.scope()));
        StringBuilder key = new StringBuilder(owner(admission));
        for (Part part : parts) {
            String value = admission.part(part, group);
            if (value.isEmpty()) {
                return Optional.empty();
            }
            key.append('/').append(value);
        }
        return Optional.of(key.toString());
    }

    /** Whether there is one. */
    static boolean isIn(Rule rule, Admission admission, Optional<String> group) {
        if (rule.scope() == rule.stage().ownScope()) {
            return true;
        }
        if (rule.scope() != Scope.COMPOSITE) {
            return !admission.part(rule.scope(), group).isEmpty();
        }
        for (Part part : rule.composite()) {
            if (admission.part(part, group).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** What the stage is partitioned by, which every admission has. */
    private static String owner(Admission admission) {
        return admission.part(admission.stage().ownScope(), Optional.empty());
    }
}
