package io.headgate.tools.tenant;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.account.TenantPlan;
import java.util.Locale;

/**
 * What a list says of one tenant. There may be millions of tenants and few plans, zones and regions, so what repeats is
 * shared by all rows.
 */
record PlanRow(
        TenantPlan.Status status, String plan, boolean unlimited, String zone, String homeRegion, int overrides) {

    private static final String ROW = "%-32s  %-9s  %-16s  %-9s  %9s  %-20s  %s";

    static PlanRow of(TenantPlan plan) {
        return new PlanRow(
                plan.status(),
                plan.plan().intern(),
                plan.unlimited(),
                plan.zone().orElse("").intern(),
                plan.homeRegion().orElse("").intern(),
                plan.overrides().size());
    }

    static String header() {
        return String.format(
                Locale.ROOT, ROW, "TENANT", "STATUS", "PLAN", "UNLIMITED", "OVERRIDES", "ZONE", "HOME REGION");
    }

    String line(String tenant) {
        return String.format(
                Locale.ROOT,
                ROW,
                tenant,
                PlanWords.label(status),
                plan,
                unlimited ? "yes" : "-",
                overrides == 0 ? "-" : overrides,
                zone.isEmpty() ? "-" : zone,
                homeRegion.isEmpty() ? "-" : homeRegion);
    }

    ObjectNode json(String tenant) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("tenant", tenant)
                .put("status", PlanWords.label(status))
                .put("plan", plan)
                .put("unlimited", unlimited)
                .put("overrides", overrides);
        if (!zone.isEmpty()) {
            json.put("zone", zone);
        }
        if (!homeRegion.isEmpty()) {
            json.put("homeRegion", homeRegion);
        }
        return json;
    }
}
