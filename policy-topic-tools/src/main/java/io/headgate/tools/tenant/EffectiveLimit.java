package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The limit of a rule for one tenant, and where it comes from. Of the overrides by the rule's algorithm the latest
 * counts, an action's before the plan's.
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

    private boolean applies() {
        return limit instanceof Unlimited
                || limit.algorithm().equals(rule.limit().algorithm());
    }

    private static EffectiveLimit of(Rule rule, Policy policy, Optional<TenantPlan> plan, List<Action> inForce) {
        if (plan.map(TenantPlan::unlimited).orElse(false)) {
            return new EffectiveLimit(rule, new Unlimited(), "the tenant is unlimited");
        }
        List<EffectiveLimit> own = new ArrayList<>();
        plan.map(present -> present.overrides().get(rule.id()))
                .ifPresent(limit -> own.add(new EffectiveLimit(rule, limit, "override in the plan")));
        for (Action action : inForce) {
            if (action.effect() instanceof Action.LimitOverride override
                    && override.ruleId().equals(rule.id())) {
                own.add(new EffectiveLimit(rule, override.limit(), action.id()));
            }
        }
        Optional<EffectiveLimit> latest =
                own.stream().filter(EffectiveLimit::applies).reduce((earlier, later) -> later);
        if (latest.isPresent()) {
            return latest.get();
        }
        String name = plan.map(TenantPlan::plan).orElse(TenantPlan.DEFAULT);
        Limit ofPlan = rule.byPlan().get(name);
        return ofPlan == null
                ? new EffectiveLimit(rule, rule.limit(), "policy " + policy.version())
                : new EffectiveLimit(rule, ofPlan, "plan " + name);
    }
}
