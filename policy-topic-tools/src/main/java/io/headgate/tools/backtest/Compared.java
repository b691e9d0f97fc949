package io.headgate.tools.backtest;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import java.util.List;

/**
 * One request and what two policies say of it.
 *
 * @param place where it was recorded: a line, or a decision's id
 * @param timeMillis when, since the epoch
 * @param admissions what it asks of each stage; not empty
 * @param before the baseline's decisions, a stage each; empty if no rule speaks of the request
 * @param after the candidate's
 */
record Compared(Place place, long timeMillis, List<Admission> admissions, List<Decision> before, List<Decision> after) {

    boolean newlyDenied() {
        return verdict(before) == Verdict.ALLOW && verdict(after) == Verdict.DENY;
    }

    boolean newlyAllowed() {
        return verdict(before) == Verdict.DENY && verdict(after) == Verdict.ALLOW;
    }

    /** What no rule speaks of is allowed. */
    static Verdict verdict(List<Decision> decisions) {
        return decisions.isEmpty()
                ? Verdict.ALLOW
                : decisions.get(decisions.size() - 1).verdict();
    }

    /** The rule that denied; only asked where one did. */
    static String denyingRule(List<Decision> decisions) {
        return decisions.get(decisions.size() - 1).denyingRule().orElseThrow();
    }

    /** Where a request was recorded. Only few are ever written out. */
    @FunctionalInterface
    interface Place {

        String inWords();
    }
}
