package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.policy.PlanReview;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a policy has against a plan or an action: a shard would take it, and it would do nothing or something else. */
final class PolicyChecks {

    private final Policy policy;

    PolicyChecks(Policy policy) {
        this.policy = policy;
    }

    List<String> problems(TenantPlan plan) {
        List<String> problems = new ArrayList<>(lines(PlanReview.of(plan, policy)));
        plan.overrides().forEach((ruleId, limit) -> problems.addAll(tooSoft(ruleId, limit)));
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
        if (policy.rule(ruleId).filter(rule -> rule.stage() == stage).isEmpty()) {
            return List.of(noSuchRule(ruleId, stage));
        }
        List<String> problems = new ArrayList<>(lines(PlanReview.ofOverride("override", ruleId, limit, policy)));
        problems.addAll(tooSoft(ruleId, limit));
        return problems;
    }

    /** What may be owed counts, too, and an algorithm counts only so far. */
    private List<String> tooSoft(String ruleId, Limit limit) {
        Optional<Rule> rule = policy.rule(ruleId);
        if (rule.isPresent() && rule.get().enforcement() instanceof Enforcement.Soft soft) {
            try {
                limit.raised(soft.debtTokens(limit.tokens()));
            } catch (IllegalArgumentException e) {
                return List.of("override of " + ruleId + ", which is soft, would have to count to " + soft.hardPercent()
                        + " percent of its limit: " + e.getMessage());
            }
        }
        return List.of();
    }

    private static List<String> lines(List<Problem> problems) {
        return problems.stream().map(Problem::toString).toList();
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
