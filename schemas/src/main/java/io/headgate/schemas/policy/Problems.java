package io.headgate.schemas.policy;

import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import java.util.ArrayList;
import java.util.List;

/** The mistakes found so far in one document. A reader notes them and goes on, so that one attempt shows them all. */
final class Problems {

    private final List<Problem> found = new ArrayList<>();

    void add(String place, String what) {
        found.add(new Problem(place, what));
    }

    void addAll(List<Problem> problems) {
        found.addAll(problems);
    }

    /** Notes what a constructor refused: its message begins with the name of the field, as "path is …" does. */
    void addRefused(String place, IllegalArgumentException refusal) {
        addRefused(place, refusal, "");
    }

    /** The same, with a word on where it happened behind it. */
    void addRefused(String place, IllegalArgumentException refusal, String where) {
        String message = refusal.getMessage().replaceAll("\\p{Cntrl}", "?");
        int space = message.indexOf(' ');
        add(Wording.place(place, message.substring(0, space)), message.substring(space + 1) + where);
    }

    void throwIfAny() {
        if (!found.isEmpty()) {
            throw new InvalidPolicyException(found);
        }
    }
}
