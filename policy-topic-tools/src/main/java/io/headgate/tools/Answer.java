package io.headgate.tools;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import java.util.List;
import java.util.Optional;

/**
 * What came of a request.
 *
 * @param request what was asked
 * @param policyVersion the version in force
 * @param decisions of the stages that were asked, in order; only the last can be anything but ALLOW
 * @param problems what went wrong in deciding, beyond what the decisions say; empty as a rule
 */
public record Answer(Request request, long policyVersion, List<Decision> decisions, List<String> problems) {

    public Answer {
        decisions = List.copyOf(decisions);
        problems = List.copyOf(problems);
    }

    /** The decision that is the answer: the first that is not ALLOW, else the last. Empty if no rule spoke of it. */
    public Optional<Decision> decisive() {
        return decisions.isEmpty() ? Optional.empty() : Optional.of(decisions.get(decisions.size() - 1));
    }

    public Verdict verdict() {
        return decisive().map(Decision::verdict).orElse(Verdict.ALLOW);
    }
}
