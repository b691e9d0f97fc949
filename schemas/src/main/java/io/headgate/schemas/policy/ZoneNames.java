package io.headgate.schemas.policy;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Window;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.ZoneTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The time zones that policies and plans name. Whether a text can be a name is a matter of its letters alone, so that a
 * document reads the same everywhere; whether a zone exists is known by the Java platform and asked only where somebody
 * is there to correct it.
 */
public final class ZoneNames {

    /** The longest name, in characters. */
    static final int LONGEST = 64;

    static final String SHAPE = "the name of a time zone, such as Europe/Zurich";

    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,3}");

    private ZoneNames() {}

    /** Whether a text can be the name of a zone. */
    public static boolean isName(String text) {
        return text.length() <= LONGEST && NAME.matcher(text).matches();
    }

    /** The zones whose tables a policy needs: neither UTC, which needs none, nor the tenant's, which its plan names. */
    public static Set<String> zones(Policy policy) {
        Set<String> zones = new TreeSet<>();
        for (Rule rule : policy.rules()) {
            rule.limits().forEach(limit -> zones.addAll(zones(limit)));
        }
        return zones;
    }

    /** The zones whose tables a tenant's plan needs. */
    public static Set<String> zones(TenantPlan plan) {
        Set<String> zones = new TreeSet<>();
        plan.zone().filter(ZoneNames::needsTable).ifPresent(zones::add);
        plan.overrides().values().forEach(limit -> zones.addAll(zones(limit)));
        return zones;
    }

    /** The zones whose tables an operator's action needs. */
    public static Set<String> zones(Action action) {
        return action.effect() instanceof Action.LimitOverride override ? zones(override.limit()) : Set.of();
    }

    /** The zone whose table a limit needs. */
    public static Set<String> zones(Limit limit) {
        Set<String> zones = new TreeSet<>();
        if (limit instanceof FixedWindowLimit fixed
                && fixed.window() instanceof Window.Calendar calendar
                && needsTable(calendar.zone())) {
            zones.add(calendar.zone());
        }
        return zones;
    }

    /** The zones of a policy that this Java platform does not know, by the place of the rule. */
    public static List<Problem> unknown(Policy policy) {
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < policy.rules().size(); i++) {
            for (String zone : zones(policy.rules().get(i).limit())) {
                addUnknown("spec.rules[" + i + "].limit.zone", zone, problems);
            }
        }
        return problems;
    }

    /** The zones in a document of a policy that this Java platform does not know, whatever else is wrong with it. */
    static List<Problem> unknownInPolicy(JsonNode document) {
        List<Problem> problems = new ArrayList<>();
        JsonNode rules = document.path("spec").path("rules");
        for (int i = 0; i < rules.size(); i++) {
            addUnknown("spec.rules[" + i + "].limit.zone", rules.path(i).path("limit"), problems);
        }
        return problems;
    }

    /** The zones in a document of tenants' plans that this Java platform does not know. */
    static List<Problem> unknownInPlans(JsonNode document) {
        List<Problem> problems = new ArrayList<>();
        document.path("tenants").properties().forEach(tenant -> {
            String place = Wording.place("tenants", tenant.getKey());
            addUnknown(place + ".zone", tenant.getValue(), problems);
            tenant.getValue()
                    .path("overrides")
                    .properties()
                    .forEach(override -> addUnknown(
                            Wording.place(place + ".overrides", override.getKey()) + ".limit.zone",
                            override.getValue().path("limit"),
                            problems));
        });
        return problems;
    }

    private static void addUnknown(String place, JsonNode owner, List<Problem> problems) {
        String zone = owner.path("zone").asText();
        if (isName(zone) && needsTable(zone)) {
            addUnknown(place, zone, problems);
        }
    }

    private static boolean needsTable(String zone) {
        return !zone.equals(Zone.UTC.id()) && !zone.equals(Window.Calendar.OF_TENANT);
    }

    private static void addUnknown(String place, String zone, List<Problem> problems) {
        if (!ZoneTables.knows(zone)) {
            problems.add(new Problem(
                    place,
                    "is \"" + zone + "\", which is no time zone that this Java platform knows; it must be " + SHAPE));
        }
    }
}
