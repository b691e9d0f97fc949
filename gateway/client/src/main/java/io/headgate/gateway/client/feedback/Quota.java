package io.headgate.gateway.client.feedback;

import io.headgate.core.decision.Decision;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Ask;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How the limit stands that a decision tells of: the denying rule's, or on ALLOW the tightest rule's.
 *
 * <p>A denial names its rule. An admission does not; there the rule is found in the policy: the only one that speaks of the
 * request, or the only one of those that has such a limit. Where neither finds one, the numbers are told and no name. If an
 * operator or a plan has given a tenant a limit of its own that another rule has too, the other one may be named.
 *
 * @param rule the rule's id
 * @param limit in tokens
 * @param windowSeconds the time in which it comes back as a whole; empty where that is not known, or not one time
 * @param remaining whole tokens left
 * @param resetSeconds the wait after which there is more: on DENY enough for the same request, on ALLOW the whole limit.
 *     Empty where no wait is known to do
 */
public record Quota(
        Optional<String> rule, long limit, OptionalLong windowSeconds, long remaining, OptionalLong resetSeconds) {

    /** Empty where the decision has no numbers: no rule with a limit spoke, or an operator did. */
    public static Optional<Quota> of(Ask ask, Decided decided, Optional<Policy> policy) {
        Decision decision = decided.decision();
        if (decision.limit().isEmpty() || decision.remaining().isEmpty()) {
            return Optional.empty();
        }
        Optional<Rule> rule = policy.flatMap(known -> ruleOf(ask, decided, known));
        OptionalLong reset = decided.allowed()
                ? decision.resetAfterMillis()
                : first(decision.retryAfterMillis(), decision.resetAfterMillis());
        return Optional.of(new Quota(
                decision.denyingRule().or(() -> rule.map(Rule::id)),
                decision.limit().getAsLong(),
                rule.map(found -> windowOf(found, decision.limit().getAsLong())).orElse(OptionalLong.empty()),
                decision.remaining().getAsLong(),
                reset.isPresent() ? OptionalLong.of(Seconds.of(reset.getAsLong())) : reset));
    }

    /** {@code "P-EXPORT";q=20;w=10}; empty without a name that a field may have. */
    Optional<String> policyItem() {
        return item(";q=" + limit + (windowSeconds.isPresent() ? ";w=" + windowSeconds.getAsLong() : ""));
    }

    /** {@code "P-EXPORT";r=3;t=4}; empty without a name that a field may have. */
    Optional<String> stateItem() {
        return item(";r=" + remaining + (resetSeconds.isPresent() ? ";t=" + resetSeconds.getAsLong() : ""));
    }

    private Optional<String> item(String parameters) {
        return limit > QuotaWindow.GREATEST || remaining > QuotaWindow.GREATEST
                ? Optional.empty()
                : rule.flatMap(StructuredString::of).map(name -> name + parameters);
    }

    private static Optional<Rule> ruleOf(Ask ask, Decided decided, Policy policy) {
        Decision decision = decided.decision();
        if (decision.denyingRule().isPresent()) {
            return policy.rule(decision.denyingRule().get());
        }
        Optional<String> group = policy.routes().groupOf(ask.route());
        List<Rule> speaking = policy.rules(decided.stage()).stream()
                .filter(rule -> !rule.shadow() && limits(rule) && ask.isSpokenOfBy(rule, group))
                .toList();
        List<Rule> fitting = speaking.size() == 1
                ? speaking
                : speaking.stream()
                        .filter(rule -> has(rule, decision.limit().getAsLong()))
                        .toList();
        return fitting.size() == 1 ? Optional.of(fitting.get(0)) : Optional.empty();
    }

    private static boolean limits(Rule rule) {
        return rule.limits().stream().anyMatch(limit -> !(limit instanceof Unlimited));
    }

    private static boolean has(Rule rule, long tokens) {
        return rule.limits().stream().anyMatch(limit -> isOf(limit, tokens));
    }

    private static boolean isOf(Limit limit, long tokens) {
        return !(limit instanceof Unlimited) && limit.tokens() == tokens;
    }

    /** Of the rule's limits, by plan, those of so many tokens; empty unless they agree. */
    private static OptionalLong windowOf(Rule rule, long tokens) {
        List<OptionalLong> windows = rule.limits().stream()
                .filter(limit -> isOf(limit, tokens))
                .map(QuotaWindow::secondsOf)
                .distinct()
                .toList();
        return windows.size() == 1 ? windows.get(0) : OptionalLong.empty();
    }

    private static OptionalLong first(OptionalLong one, OptionalLong other) {
        return one.isPresent() ? one : other;
    }
}
