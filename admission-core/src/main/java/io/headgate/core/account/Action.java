package io.headgate.core.account;

import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What an operator does to somebody's budget now, without a new policy.
 *
 * @param id names it; decisions that it had a part in name it too. 1 to 64 letters, digits, dots, hyphens and
 *     underscores
 * @param author who does it, 1 to {@value #MAX_TEXT} characters
 * @param reason why, 1 to {@value #MAX_TEXT} characters
 * @param subject whom it is about
 * @param effect what it does
 */
public record Action(String id, String author, String reason, Subject subject, Effect effect) {

    public static final int MAX_TEXT = 256;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /** What an action does. */
    public sealed interface Effect {}

    /**
     * Another limit for a rule, for all counters of the subject's partition key.
     *
     * @param ruleId the rule
     * @param limit by the rule's algorithm, or unlimited; any other has no effect
     * @param untilMillis log time at which it ends
     */
    public record LimitOverride(String ruleId, Limit limit, long untilMillis) implements Effect {
        public LimitOverride {
            Objects.requireNonNull(limit);
            checkRule(ruleId);
            checkEnd(untilMillis);
        }
    }

    /**
     * Denies everything.
     *
     * @param scope how much of the subject: the stage's own scope for all of it, or one of {@code USER}, {@code
     *     API_KEY} and {@code IP} of a tenant, which the identity must then have
     * @param untilMillis log time at which it ends
     */
    public record Ban(Scope scope, long untilMillis) implements Effect {
        public Ban {
            Objects.requireNonNull(scope);
            checkEnd(untilMillis);
        }
    }

    /** Ends an override or a ban before its time. */
    public record Lift(String actionId) implements Effect {
        public Lift {
            checkId("actionId", actionId);
        }
    }

    /** Forgets what one counter has spent. */
    public record Reset(String ruleId) implements Effect {
        public Reset {
            checkRule(ruleId);
        }
    }

    /**
     * Gives tokens back to one counter, never beyond its limit.
     *
     * @param ruleId the rule
     * @param tokens 1 to 10^12
     */
    public record Credit(String ruleId, long tokens) implements Effect {
        public Credit {
            checkRule(ruleId);
            Bounds.inRange("tokens", tokens, 1, Bounds.MAX_TOKENS);
        }
    }

    public Action {
        checkId("id", id);
        checkText("author", author);
        checkText("reason", reason);
        Objects.requireNonNull(subject);
        if (effect instanceof Ban ban) {
            checkBan(ban, subject);
        }
    }

    private static void checkBan(Ban ban, Subject subject) {
        boolean whole = ban.scope() == subject.stage().ownScope();
        boolean ofTenant = ban.scope() == Scope.USER || ban.scope() == Scope.API_KEY || ban.scope() == Scope.IP;
        if (!whole && !(ofTenant && Rule.scopesOf(subject.stage()).contains(ban.scope()))) {
            throw new IllegalArgumentException("scope is '" + ban.scope().label() + "'; in stage '"
                    + subject.stage().label() + "' nothing can be banned by it");
        }
        if (subject.asAdmission().part(ban.scope(), Optional.empty()).isEmpty()) {
            throw new IllegalArgumentException(ban.scope().label() + " is missing; it is what is to be banned");
        }
    }

    private static void checkRule(String ruleId) {
        checkId("ruleId", ruleId);
    }

    private static void checkId(String field, String value) {
        if (!ID.matcher(value).matches()) {
            throw new IllegalArgumentException(field + " is '" + value.substring(0, Math.min(64, value.length()))
                    + "'; it must be 1 to 64 letters, digits, dots, hyphens and underscores");
        }
    }

    private static void checkEnd(long untilMillis) {
        Bounds.inRange("untilMillis", untilMillis, 1, Long.MAX_VALUE / 2);
    }

    private static void checkText(String field, String value) {
        if (value.isBlank() || value.length() > MAX_TEXT) {
            throw new IllegalArgumentException(
                    field + " has " + value.length() + " characters; it must have 1 to " + MAX_TEXT);
        }
    }
}
