package io.headgate.schemas.policy;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Bounds;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The plans of a document: how much of each quantity a plan gives to the limits that ask for it. */
final class PlanTable {

    /** The most quantities of one plan. */
    static final int MAX_QUANTITIES = 100;

    /** Of a document without plans. */
    static final PlanTable NONE = new PlanTable(true);

    private final Map<String, Map<String, Long>> quantities = new TreeMap<>();
    private final Set<String> misread = new HashSet<>();
    private final boolean readable;

    private PlanTable(boolean readable) {
        this.readable = readable;
    }

    /** The plans of a document's {@code spec}. */
    static PlanTable of(Section spec) {
        Optional<Section> plans = spec.section("plans");
        if (plans.isEmpty()) {
            return spec.has("plans") ? new PlanTable(false) : NONE;
        }
        PlanTable table = new PlanTable(true);
        for (String plan : plans.get().ownNames()) {
            table.quantities.put(plan, new TreeMap<>());
            plans.get().section(plan).ifPresent(section -> table.add(plan, section));
        }
        return table;
    }

    private void add(String plan, Section section) {
        for (String quantity : section.ownNames()) {
            section.integer(quantity, 0, Bounds.MAX_TOKENS)
                    .ifPresentOrElse(tokens -> quantities.get(plan).put(quantity, tokens), () -> misread.add(quantity));
        }
        int count = quantities.get(plan).size();
        if (count > MAX_QUANTITIES) {
            section.problems()
                    .add(section.place(), "has " + count + " quantities; at most " + MAX_QUANTITIES + " are allowed");
        }
    }

    /** The names of the plans, besides the default. */
    Set<String> plans() {
        Set<String> plans = new TreeSet<>(quantities.keySet());
        plans.remove(TenantPlan.DEFAULT);
        return plans;
    }

    /** Whether the default names a quantity, which then every plan has. */
    boolean has(String quantity) {
        return quantities.getOrDefault(TenantPlan.DEFAULT, Map.of()).containsKey(quantity);
    }

    /** Whether something about a quantity was noted already, so that it is not to be judged here. */
    boolean misread(String quantity) {
        return !readable || misread.contains(quantity);
    }

    /** How much of a quantity a plan gives: what the default gives, where the plan does not say. */
    long tokens(String plan, String quantity) {
        Map<String, Long> fallback = quantities.get(TenantPlan.DEFAULT);
        return quantities.getOrDefault(plan, fallback).getOrDefault(quantity, fallback.get(quantity));
    }
}
