package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import java.util.List;
import java.util.Optional;

/**
 * The limit of a rule for one tenant, and where it comes from. The latest override counts, an action's before the
 * plan's; one by another algorithm has no effect.
 *
 * @param rule the rule
 * @param limit what holds
 * @param source who says so
 */
record EffectiveLimit(Rule rule, Limit limit, String source) {

    /**
     * The limits of all rules of stage tenant, in the order in which they are asked.
     *
     * @param plan the tenant's, unless it has none
     * @param inForce overrides and bans, oldest first
     */
    static List<EffectiveLimit> all(Policy policy, Optional<TenantPlan> plan, List<Action> inForce) {
        return policy.rules(Stage.TENANT).stream()
                .map(rule -> of(rule, policy, plan, inForce))
                .toList();
    }

    private static EffectiveLimit of(Rule rule, Policy policy, Optional<TenantPlan> plan, List<Action> inForce) {
        if (plan.map(TenantPlan::unlimited).orElse(false)) {
            return new EffectiveLimit(rule, new Unlimited(), "the tenant is unlimited");
        }
        Limit own = plan.map(present -> present.overrides().get(rule.id())).orElse(null);
        String source = "override in the plan";
        for (Action action : inForce) {
            if (action.effect() instanceof Action.LimitOverride override
                    && override.ruleId().equals(rule.id())) {
                own = override.limit();
                source = action.id();
            }
        }
        if (own instanceof Unlimited
                || (own != null && own.algorithm().equals(rule.limit().algorithm()))) {
            return new EffectiveLimit(rule, own, source);
        }
        String name = plan.map(TenantPlan::plan).orElse(TenantPlan.DEFAULT);
        Limit ofPlan = rule.byPlan().get(name);
        return ofPlan == null
                ? new EffectiveLimit(rule, rule.limit(), "policy " + policy.version())
                : new EffectiveLimit(rule, ofPlan, "plan " + name);
    }
}
