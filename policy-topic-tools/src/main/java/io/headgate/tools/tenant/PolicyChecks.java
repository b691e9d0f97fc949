package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What a policy has against a plan or an action: a shard would take it, and it would do nothing or something else. */
final class PolicyChecks {

    private final Policy policy;

    PolicyChecks(Policy policy) {
        this.policy = policy;
    }

    List<String> problems(TenantPlan plan) {
        List<String> problems = new ArrayList<>();
        if (!plan.plan().equals(TenantPlan.DEFAULT) && !policy.plans().contains(plan.plan())) {
            Set<String> plans = new TreeSet<>(policy.plans());
            plans.add(TenantPlan.DEFAULT);
            problems.add("plan is '" + plan.plan() + "', which counts as the default: policy version "
                    + policy.version() + " has " + plans);
        }
        plan.overrides().forEach((ruleId, limit) -> problems.addAll(override(ruleId, Stage.TENANT, limit)));
        return problems;
    }

    List<String> problems(Action action) {
        if (action.effect() instanceof Action.LimitOverride override) {
            return override(override.ruleId(), action.subject().stage(), override.limit());
        }
        if (action.effect() instanceof Action.Reset reset) {
            return onCounter(reset.ruleId(), action.subject());
        }
        if (action.effect() instanceof Action.Credit credit) {
            return onCounter(credit.ruleId(), action.subject());
        }
        return List.of();
    }

    private List<String> override(String ruleId, Stage stage, Limit limit) {
        Optional<Rule> found = policy.rule(ruleId);
        if (found.isEmpty() || found.get().stage() != stage) {
            return List.of(noSuchRule(ruleId, stage));
        }
        Rule rule = found.get();
        if (limit instanceof Unlimited) {
            return List.of();
        }
        if (!limit.algorithm().equals(rule.limit().algorithm())) {
            return List.of("the override of " + ruleId + " is by " + limit.algorithm()
                    + " and would have no effect: the rule is by "
                    + rule.limit().algorithm());
        }
        List<String> problems = new ArrayList<>(unpayable(rule, limit));
        if (rule.enforcement() instanceof Enforcement.Soft soft) {
            try {
                limit.raised(soft.debtTokens(limit.tokens()));
            } catch (IllegalArgumentException e) {
                problems.add("the override of " + ruleId + " cannot be exceeded softly: " + e.getMessage());
            }
        }
        return problems;
    }

    /** A limit of 0 denies on purpose. */
    private List<String> unpayable(Rule rule, Limit limit) {
        if (limit.tokens() == 0) {
            return List.of();
        }
        if (rule.cost() instanceof Cost.Fixed fixed) {
            return fixed.tokens() > limit.tokens()
                    ? List.of(unpayable(rule, limit, "a request costs " + fixed.tokens()))
                    : List.of();
        }
        Set<String> matched = rule.match().routes();
        return policy.routes().costs().entrySet().stream()
                .filter(cost -> matched.isEmpty() || matched.contains(cost.getKey()))
                .filter(cost -> cost.getValue() > limit.tokens())
                .map(cost -> unpayable(rule, limit, "a request to " + cost.getKey() + " costs " + cost.getValue()))
                .toList();
    }

    private static String unpayable(Rule rule, Limit limit, String cost) {
        return "the override of " + rule.id() + " allows " + limit.tokens() + ", and " + cost
                + ": nobody could ever pay it; 0 denies on purpose";
    }

    private List<String> onCounter(String ruleId, Subject subject) {
        Optional<Rule> found = policy.rule(ruleId);
        if (found.isEmpty() || found.get().stage() != subject.stage()) {
            return List.of(noSuchRule(ruleId, subject.stage()));
        }
        Rule rule = found.get();
        Optional<String> group = policy.routes().groupOf(subject.route());
        List<String> problems = new ArrayList<>();
        if (!subject.route().isEmpty() && group.isEmpty()) {
            problems.add("--route is '" + subject.route() + "', which belongs to no route group; there are "
                    + policy.routes().groups());
        }
        Map<String, String> given = given(subject);
        for (Part part : parts(rule)) {
            if (subject.asAdmission().part(part, group).isEmpty()) {
                problems.add(
                        "rule " + ruleId + " counts by " + part.label() + ", which is not named; give " + option(part));
            }
            given.remove(part.label());
        }
        if (!given.isEmpty()) {
            problems.add("rule " + ruleId + " counts by "
                    + parts(rule).stream().map(Part::label).collect(Collectors.joining(" and "))
                    + ", so there is no counter of that "
                    + String.join(" and ", given.keySet()) + " alone; leave out "
                    + String.join(" and ", given.values()));
        }
        return problems;
    }

    private static List<Part> parts(Rule rule) {
        return rule.scope() == Scope.COMPOSITE ? rule.composite() : List.of(new Part.Of(rule.scope()));
    }

    /** What narrows a subject down, with the option it came from. */
    private static Map<String, String> given(Subject subject) {
        Map<String, String> given = new LinkedHashMap<>();
        if (!subject.identity().user().isEmpty()) {
            given.put(Scope.USER.label(), "--user");
        }
        if (!subject.identity().apiKey().isEmpty()) {
            given.put(Scope.API_KEY.label(), "--api-key");
        }
        if (subject.stage() == Stage.TENANT && !subject.identity().ip().isEmpty()) {
            given.put(Scope.IP.label(), "--ip");
        }
        if (!subject.route().isEmpty()) {
            given.put(Scope.ROUTE.label(), "--route");
        }
        subject.attributes()
                .keySet()
                .forEach(name -> given.put(new Part.Attribute(name).label(), "--attribute " + name + "=…"));
        return given;
    }

    private static String option(Part part) {
        return part instanceof Part.Attribute attribute
                ? "--attribute " + attribute.name() + "=…"
                : "--" + part.label();
    }

    String noSuchRule(String ruleId, Stage stage) {
        return "there is no rule '" + ruleId + "' in stage '" + stage.label() + "' of policy version "
                + policy.version() + "; there are "
                + policy.rules(stage).stream().map(Rule::id).toList();
    }
}
