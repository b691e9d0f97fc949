package io.headgate.schemas.policy;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What of a tenant's plan has no effect under a policy, or one that nobody can want. None of it makes the plan invalid:
 * the policy may be the one that changes next.
 */
public final class PlanReview {

    private final Policy policy;
    private final List<Problem> remarks = new ArrayList<>();

    private PlanReview(Policy policy) {
        this.policy = policy;
    }

    /** Remarks by their place in a document of tenants' plans; none if all is well. */
    public static List<Problem> of(TenantPlan plan, Policy policy) {
        PlanReview review = new PlanReview(policy);
        String place = Wording.place("tenants", plan.tenant());
        review.reviewPlan(place + ".plan", plan.plan());
        plan.overrides().forEach((rule, limit) -> {
            review.reviewStage(place + ".overrides." + rule, rule);
            review.reviewOverride(place + ".overrides." + rule, rule, limit);
        });
        return List.copyOf(review.remarks);
    }

    /** Remarks on a limit that takes the place of a rule's, by its place. */
    public static List<Problem> ofOverride(String place, String ruleId, Limit limit, Policy policy) {
        PlanReview review = new PlanReview(policy);
        review.reviewOverride(place, ruleId, limit);
        return List.copyOf(review.remarks);
    }

    private void reviewPlan(String place, String plan) {
        if (!plan.equals(TenantPlan.DEFAULT) && !policy.plans().contains(plan)) {
            add(place, "is '" + plan + "', which is no plan of the policy, so the default holds; there are " + plans());
        }
    }

    private List<String> plans() {
        List<String> plans = new ArrayList<>();
        plans.add(TenantPlan.DEFAULT);
        plans.addAll(policy.plans());
        return plans;
    }

    private void reviewStage(String place, String ruleId) {
        policy.rule(ruleId)
                .filter(rule -> rule.stage() != Stage.TENANT)
                .ifPresent(rule -> add(
                        place,
                        "has no effect: the rule is one of stage '"
                                + rule.stage().label() + "', which does not know the tenant"));
    }

    private void reviewOverride(String place, String ruleId, Limit limit) {
        Optional<Rule> found = policy.rule(ruleId);
        if (found.isEmpty()) {
            add(
                    place,
                    "is for no rule of the policy; there are "
                            + policy.rules().stream().map(Rule::id).toList());
            return;
        }
        Rule rule = found.get();
        if (limit instanceof Unlimited) {
            return;
        }
        if (!limit.algorithm().equals(rule.limit().algorithm())) {
            add(
                    place + ".algorithm",
                    "is '" + limit.algorithm() + "', so it has no effect: the rule's is '"
                            + rule.limit().algorithm() + "'");
            return;
        }
        long charge = highestCharge(policy, rule);
        if (limit.tokens() > 0 && charge > limit.tokens()) {
            add(
                    place + ".limit",
                    "is " + limit.tokens() + ", below the " + charge
                            + " that one request is charged: it could never be paid");
        }
    }

    /** What a request of cost 1 is charged at most. */
    static long highestCharge(Policy policy, Rule rule) {
        if (rule.cost() instanceof Cost.Fixed fixed) {
            return fixed.tokens();
        }
        Match match = rule.match();
        return policy.routes().costs().entrySet().stream()
                .filter(cost -> match.routes().isEmpty() || match.routes().contains(cost.getKey()))
                .mapToLong(cost -> cost.getValue())
                .max()
                .orElse(1);
    }

    private void add(String place, String what) {
        remarks.add(new Problem(place, what));
    }
}
