package io.headgate.schemas.policy;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.FailMode;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What of a valid policy will not do what its author may expect. None of it is a mistake. */
public final class PolicyReview {

    private static final String FROM_PLAN = "fromPlan";

    private final Policy policy;
    private final JsonNode spec;
    private final long nowMillis;
    private final List<Problem> remarks = new ArrayList<>();

    private PolicyReview(PolicyDocument document, long nowMillis) {
        this.policy = document.policy();
        this.spec = document.tree().path("spec");
        this.nowMillis = nowMillis;
    }

    /**
     * Remarks by their place in the document; none if there is nothing to say.
     *
     * @param nowMillis decides what is in the past
     */
    public static List<Problem> of(PolicyDocument document, long nowMillis) {
        PolicyReview review = new PolicyReview(document, nowMillis);
        review.reviewActivation();
        for (int i = 0; i < review.policy.rules().size(); i++) {
            review.reviewRule(review.policy.rules().get(i), "spec.rules[" + i + "]");
        }
        review.policy.conduct().failModes().forEach(review::reviewEndpoint);

        review.reviewPlans();
        return List.copyOf(review.remarks);
    }

    private void reviewActivation() {
        policy.activation().effectiveAtMillis().ifPresent(millis -> {
            if (millis <= nowMillis) {
                add(
                        "spec.effectiveAt",
                        "is in the past (" + Instant.ofEpochMilli(millis) + "): it takes effect at once");
            }
        });
    }

    private void reviewRule(Rule rule, String place) {
        if (rule.failMode() instanceof FailMode.LocalBounded bounded) {
            long charge = PlanReview.highestCharge(policy, rule);
            if (charge > bounded.perGateway().tokens()) {
                add(
                        place + ".failMode.perGateway",
                        "is " + bounded.perGateway().tokens() + ", below the " + charge
                                + " that one request is charged: when nobody decides it admits none of these");
            }
        }
        if (rule.enforcement() instanceof Enforcement.Shadow shadow && shadow.isOver(nowMillis)) {
            add(
                    place + ".enforcement.until",
                    "is in the past ("
                            + Instant.ofEpochMilli(shadow.untilMillis().getAsLong())
                            + "): the rule is not asked any more");
        }
    }

    private void reviewEndpoint(String group, FailMode failMode) {
        String place = "spec.endpoints." + group + ".failMode";
        boolean bounded = policy.rules().stream()
                .filter(rule ->
                        rule.match().routes().isEmpty() || rule.match().routes().contains(group))
                .anyMatch(rule -> rule.failMode() instanceof FailMode.LocalBounded);
        if (failMode instanceof FailMode.OfRules && !bounded) {
            add(place, "is local-bounded, and no rule that speaks of " + group + " says within which bound");
        }
    }

    private void reviewPlans() {
        Set<String> asked = new TreeSet<>();
        spec.path("rules")
                .forEach(rule -> rule.path("limit").findValues(FROM_PLAN).forEach(name -> asked.add(name.textValue())));
        spec.path("plans").properties().forEach(plan -> {
            String place = "spec.plans." + plan.getKey();
            boolean any = false;
            for (var quantity : plan.getValue().properties()) {
                if (asked.contains(quantity.getKey())) {
                    any = true;
                } else {
                    add(place + "." + quantity.getKey(), "is a quantity that no limit asks for");
                }
            }
            if (!any && !plan.getKey().equals(TenantPlan.DEFAULT)) {
                add(place, "gives nothing that a limit asks for: its tenants have what the default plan gives");
            }
        });
    }

    private void add(String place, String what) {
        remarks.add(new Problem(place, what));
    }
}
