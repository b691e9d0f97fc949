package io.headgate.tools.tenant;

import io.headgate.core.account.TenantPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a plan says, for people. */
final class PlanWords {

    private PlanWords() {}

    /** Such as "is active on plan standard; zone Europe/Zurich; override of P-READ: {…}". */
    static String of(TenantPlan plan) {
        if (plan.status() == TenantPlan.Status.REMOVED) {
            return "is removed";
        }
        List<String> words = new ArrayList<>();
        words.add("is " + label(plan.status()) + " on plan " + plan.plan());
        if (plan.unlimited()) {
            words.add("no rule limits it");
        }
        plan.zone().ifPresent(zone -> words.add("zone " + zone));
        plan.homeRegion().ifPresent(region -> words.add("home region " + region));
        plan.overrides().forEach((rule, limit) -> words.add("override of " + rule + ": " + LimitText.of(limit)));
        return String.join("; ", words);
    }

    static String label(TenantPlan.Status status) {
        return status.name().toLowerCase(Locale.ROOT);
    }
}
