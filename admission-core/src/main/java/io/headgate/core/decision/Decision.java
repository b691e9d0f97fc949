package io.headgate.core.decision;

import io.headgate.core.policy.Scope;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The answer to one command.
 *
 * @param verdict what came of it
 * @param id where its request stands in the log
 * @param policyVersion the version that it was decided under; 0 when none was
 * @param denyingRule the first rule that denied, in order of precedence
 * @param scope what the denying rule counts by
 * @param limit in tokens; of the denying rule, or on ALLOW of the rule with the smallest share left; empty when no rule
 *     with a limit matched
 * @param remaining whole tokens left of that limit
 * @param resetAfterMillis time until that limit is whole again if nobody spends
 * @param retryAfterMillis on DENY, the shortest wait after which the same request fits if nobody else spends; empty
 *     where no wait is known to do
 * @param paceAfterMillis when a soft rule was exceeded, the shortest wait after which the same request would be within its
 *     limit again if nobody else spends; empty otherwise, and where no wait is known to do
 * @param shadowDenials ids of shadow rules that would have denied, the first {@value #MAX_SHADOW_DENIALS} of them
 * @param softDenials ids of soft rules that were exceeded and admitted it all the same
 * @param actions ids of operators' actions that had a part in it
 * @param rules what each rule of the stage said, when that was asked for; empty otherwise
 * @param replayed whether this repeats an earlier answer to the same attempt
 * @param reason why, in words, where no rule of the policy says it: what is wrong, or what an operator decided
 */
public record Decision(
        Verdict verdict,
        DecisionId id,
        long policyVersion,
        Optional<String> denyingRule,
        Optional<Scope> scope,
        OptionalLong limit,
        OptionalLong remaining,
        OptionalLong resetAfterMillis,
        OptionalLong retryAfterMillis,
        OptionalLong paceAfterMillis,
        List<String> shadowDenials,
        List<String> softDenials,
        List<String> actions,
        List<RuleOutcome> rules,
        boolean replayed,
        String reason) {

    /** How many shadow denials a decision names, and how many soft ones and actions. Keeps a batch of answers far below what a record may hold. */
    public static final int MAX_SHADOW_DENIALS = 16;

    public Decision {
        shadowDenials = List.copyOf(shadowDenials);
        softDenials = List.copyOf(softDenials);
        actions = List.copyOf(actions);
        rules = List.copyOf(rules);
    }

    /** What one rule said. */
    public record RuleOutcome(String ruleId, Said said, OptionalLong remaining) {

        /** SOFT: it was exceeded and admits all the same. SKIP: it does not speak of this request. */
        public enum Said {
            PASS,
            DENY,
            SOFT,
            SKIP
        }
    }

    /** An answer that is neither ALLOW nor DENY: the caller's fail mode applies. */
    public static Decision undecided(Verdict verdict, DecisionId id, long policyVersion, String reason) {
        return new Decision(
                verdict,
                id,
                policyVersion,
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                false,
                reason);
    }

    /** The same without what each rule said. */
    public Decision withoutRules() {
        return rules.isEmpty() ? this : copy(List.of(), replayed);
    }

    /** The same answer, told so many milliseconds later: waits are shorter by as much. */
    public Decision after(long millis) {
        return new Decision(
                verdict,
                id,
                policyVersion,
                denyingRule,
                scope,
                limit,
                remaining,
                shorter(resetAfterMillis, millis),
                shorter(retryAfterMillis, millis),
                shorter(paceAfterMillis, millis),
                shadowDenials,
                softDenials,
                actions,
                rules,
                replayed,
                reason);
    }

    private static OptionalLong shorter(OptionalLong wait, long millis) {
        return wait.isEmpty() ? wait : OptionalLong.of(Math.max(0, wait.getAsLong() - millis));
    }

    /** The same answer, given again. */
    public Decision asReplayed() {
        return copy(rules, true);
    }

    private Decision copy(List<RuleOutcome> outcomes, boolean again) {
        return new Decision(
                verdict,
                id,
                policyVersion,
                denyingRule,
                scope,
                limit,
                remaining,
                resetAfterMillis,
                retryAfterMillis,
                paceAfterMillis,
                shadowDenials,
                softDenials,
                actions,
                outcomes,
                again,
                reason);
    }
}
