package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.decision.Admission;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Why somebody is denied whatever the rules say: the tenant is suspended, or an operator has banned it or a part of it.
 *
 * @param ruleId what a decision names in place of a rule
 * @param scope how much of the subject is refused
 * @param retryAfterMillis when a ban ends; empty for a suspension, which ends when somebody says so
 * @param actionId the ban
 * @param reason in words
 */
record Refusal(String ruleId, Scope scope, OptionalLong retryAfterMillis, Optional<String> actionId, String reason) {

    static final String SUSPENDED = Rule.RESERVED + "suspended";
    static final String BANNED = Rule.RESERVED + "banned";

    static Optional<Refusal> of(AccountEntry account, Admission admission, long nowMillis) {
        if (account.suspended()) {
            return Optional.of(new Refusal(
                    SUSPENDED, Scope.TENANT, OptionalLong.empty(), Optional.empty(), "the tenant is suspended"));
        }
        if (account.actions().isEmpty()) {
            return Optional.empty();
        }
        return account.actions().stream()
                .filter(action -> action.effect() instanceof Action.Ban ban && hits(action, ban, admission))
                .max(Comparator.comparingLong(AccountEntry::endOf))
                .map(action -> banned(action, nowMillis));
    }

    private static Refusal banned(Action action, long nowMillis) {
        return new Refusal(
                BANNED,
                ((Action.Ban) action.effect()).scope(),
                OptionalLong.of(AccountEntry.endOf(action) - nowMillis),
                Optional.of(action.id()),
                "banned by " + action.id() + ": " + action.reason());
    }

    private static boolean hits(Action action, Action.Ban ban, Admission admission) {
        String banned = action.subject().asAdmission().part(ban.scope(), Optional.empty());
        return banned.equals(admission.part(ban.scope(), Optional.empty()));
    }
}
