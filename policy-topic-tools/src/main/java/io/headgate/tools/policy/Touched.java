package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.Rule;
import io.headgate.tools.BadLine;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Whom the next version touches: route groups, plans and tenants for whom something is decided otherwise.
 *
 * @param rules that decide otherwise, in the order of the next version, those that are gone last
 * @param groups of routes; all of them where a rule speaks of every request
 * @param plans of tenants
 * @param rollout whom the next version is for
 */
record Touched(List<TouchedRule> rules, SortedSet<String> groups, SortedSet<String> plans, Rollout rollout) {

    private static final int MOST_NAMED = 20;
    private static final int LONGEST_NAME = 64;

    static Touched by(Optional<Policy> before, Policy after) {
        Set<String> ids = new LinkedHashSet<>();
        after.rules().forEach(rule -> ids.add(rule.id()));
        before.ifPresent(policy -> policy.rules().stream().map(Rule::id).forEach(ids::add));
        List<TouchedRule> rules = ids.stream()
                .map(id -> TouchedRule.of(id, before, after))
                .flatMap(Optional::stream)
                .toList();
        SortedSet<String> all = new TreeSet<>(after.routes().groups());
        before.ifPresent(policy -> all.addAll(policy.routes().groups()));
        SortedSet<String> groups = new TreeSet<>();
        SortedSet<String> plans = new TreeSet<>();
        for (TouchedRule rule : rules) {
            groups.addAll(rule.groups().isEmpty() ? all : rule.groups());
            plans.addAll(rule.plans());
        }
        before.ifPresent(policy -> addRoutes(policy, after, all, groups));
        if (after.activation().rollout() instanceof Rollout.Routes some) {
            groups.retainAll(some.groups());
        }
        return new Touched(rules, groups, plans, after.activation().rollout());
    }

    /** Groups whose routes, costs or fail modes differ. */
    private static void addRoutes(Policy before, Policy after, Set<String> all, Set<String> groups) {
        for (String group : all) {
            boolean same = routes(before, group).equals(routes(after, group))
                    && Optional.ofNullable(before.routes().costs().get(group))
                            .equals(Optional.ofNullable(after.routes().costs().get(group)))
                    && Optional.ofNullable(before.conduct().failModes().get(group))
                            .equals(Optional.ofNullable(
                                    after.conduct().failModes().get(group)));
            if (!same) {
                groups.add(group);
            }
        }
    }

    private static List<?> routes(Policy policy, String group) {
        return policy.routes().routes().stream()
                .filter(route -> route.group().equals(group))
                .toList();
    }

    /** Counts tenants that have a plan of their own. */
    static final class Tenants {

        private final Touched touched;
        private final SortedSet<String> named = new TreeSet<>();
        private long count;
        private long all;

        Tenants(Touched touched) {
            this.touched = touched;
        }

        void see(TenantPlan tenant) {
            all++;
            boolean in = !(touched.rollout() instanceof Rollout.Tenants)
                    || touched.rollout().includes(tenant.tenant(), Optional.empty());
            if (in && touched.rules().stream().anyMatch(rule -> rule.touches(tenant))) {
                count++;
                named.add(tenant.tenant());
                if (named.size() > MOST_NAMED) {
                    named.remove(named.last());
                }
            }
        }

        String line() {
            List<String> shown = named.stream()
                    .map(name -> BadLine.shown(name, LONGEST_NAME))
                    .toList();
            String names = shown.isEmpty()
                    ? ""
                    : ": " + String.join(", ", shown)
                            + (count > shown.size() ? ", and " + (count - shown.size()) + " more" : "");
            return count + " of " + all + " that have a plan" + names + "; of those without one " + others();
        }

        private String others() {
            if (!touched.plans().contains(TenantPlan.DEFAULT)) {
                return "none";
            }
            return touched.rollout().equals(Rollout.EVERYBODY) ? "all" : "those it is for";
        }

        ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("touched", count)
                    .put("withPlan", all)
                    .put("withoutPlanTouched", touched.plans().contains(TenantPlan.DEFAULT));
            named.forEach(json.putArray("first")::add);
            return json;
        }
    }

    /** The ids of rules whose budgets begin afresh. */
    List<String> afresh() {
        List<String> ids = new ArrayList<>();
        rules.stream().filter(TouchedRule::beginsAfresh).forEach(rule -> ids.add(rule.id()));
        return ids;
    }
}
