package io.headgate.core.decision;

import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.policy.Stage;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a decision came about, rule by rule.
 *
 * @param id the decision
 * @param atMillis log time of it
 * @param stage the stage asked
 * @param partitionKey whose request it was
 * @param group the request's route group
 * @param verdict what came of it
 * @param policyVersion the version that it was decided under
 * @param denyingRule the first that denied
 * @param actions ids of operators' actions that had a part in it
 * @param lines the rules that spoke of the request, in order of precedence
 */
public record Trace(
        DecisionId id,
        long atMillis,
        Stage stage,
        String partitionKey,
        Optional<String> group,
        Verdict verdict,
        long policyVersion,
        Optional<String> denyingRule,
        List<String> actions,
        List<Line> lines) {

    public Trace {
        actions = List.copyOf(actions);
        lines = List.copyOf(lines);
    }

    /**
     * What one rule said.
     *
     * @param ruleId the rule
     * @param enforcement how it is enforced
     * @param meter what it counts
     * @param chargeTokens what it would charge
     * @param limitTokens its limit; empty if it has none
     * @param beforeTokens whole tokens left before the decision; empty if it has no limit
     * @param afterTokens whole tokens left after it; empty if it has no limit
     * @param said what it said
     * @param retryAfterMillis when the charge did not fit, the wait after which it would; empty where there is none
     */
    public record Line(
            String ruleId,
            String enforcement,
            String meter,
            long chargeTokens,
            OptionalLong limitTokens,
            OptionalLong beforeTokens,
            OptionalLong afterTokens,
            RuleOutcome.Said said,
            OptionalLong retryAfterMillis) {}
}
