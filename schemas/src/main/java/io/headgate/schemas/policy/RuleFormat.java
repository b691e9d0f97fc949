package io.headgate.schemas.policy;

import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.FailMode;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Match.Authentication;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.policy.LimitReading.Limits;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** One rule of a document. A rule with a mistake becomes one that admits everything, under the same id if that is one. */
final class RuleFormat {

    private static final int LONGEST_ATTRIBUTE = 256;

    private static final int LONGEST_METER = 80;

    private static final Map<String, Stage> STAGES = Labels.of(Stage.values(), Stage::label);
    private final Section section;
    private final PlanTable plans;

    private RuleFormat(Section section, PlanTable plans) {
        this.section = section;
        this.plans = plans;
    }

    static Rule read(Optional<Section> section, PlanTable plans, int index) {
        String placeholderId = "unreadable.rule." + index;
        return section.map(present -> new RuleFormat(present, plans).read(placeholderId))
                .orElseGet(() -> admitsEverything(placeholderId, Match.EVERYTHING));
    }

    private Rule read(String placeholderId) {
        String id = readId().orElse(placeholderId);
        Optional<Stage> stage = section.requiredChoice("stage", STAGES, Map.of());
        Optional<ScopeFormat> scope = ScopeFormat.read(section, stage);
        Match match = section.section("match").map(this::readMatch).orElse(Match.EVERYTHING);
        Optional<Limits> limits = LimitFormat.ofRule(section, plans);
        Optional<String> meter = readMeter();
        Cost cost = readCost();
        Enforcement enforcement =
                section.section("enforcement").flatMap(EnforcementFormat::read).orElse(Enforcement.ENFORCE);
        boolean resetBudgets = section.flag("resetBudgets").orElse(false);
        String reason = section.text("reason", PolicyFormat.LONGEST_REASON).orElse("");
        Optional<FailMode> failMode =
                FailModeFormat.ofRule(section, limits.map(read -> read.limit().algorithm()));
        LeasingFormat.check(section, limits);
        boolean secondSignature = section.integer("signatures", 1, 2).orElse(1L) == 2;
        section.close();
        if (stage.isEmpty() || scope.isEmpty() || limits.isEmpty() || meter.isEmpty()) {
            return admitsEverything(id, match);
        }
        boolean knowsPlan = knowsItsPlan(stage.get(), limits.get());
        boolean countable = EnforcementFormat.canBeOwed(section, enforcement, limits.get());
        if (!knowsPlan || !countable) {
            return admitsEverything(id, match);
        }
        try {
            return new Rule(
                    id,
                    stage.get(),
                    scope.get().scope(),
                    scope.get().parts(),
                    match,
                    limits.get().limit(),
                    limits.get().byPlan(),
                    meter.get(),
                    cost,
                    enforcement,
                    resetBudgets,
                    reason,
                    failMode.orElse(FailMode.CLOSED),
                    secondSignature);
        } catch (IllegalArgumentException e) {
            section.problems().addRefused(section.place(), e);
            return admitsEverything(id, match);
        }
    }

    private Optional<String> readId() {
        Optional<String> id = section.requiredName("id");
        if (id.isPresent() && id.get().startsWith(Rule.RESERVED)) {
            section.problems()
                    .add(section.place("id"), "is \"" + id.get() + "\"; it must not begin with " + Rule.RESERVED);
            return Optional.empty();
        }
        return id;
    }

    private static Rule admitsEverything(String id, Match match) {
        return new Rule(
                id, Stage.TENANT, Scope.TENANT, match, new Unlimited(), Cost.ONE, Enforcement.ENFORCE, false, "");
    }

    private boolean knowsItsPlan(Stage stage, Limits limits) {
        if (limits.planned() && stage != Stage.TENANT) {
            section.problems()
                    .add(
                            section.place("limit"),
                            "is by plan (fromPlan); only rules of stage 'tenant' know the plan, not of '"
                                    + stage.label() + "'");
            return false;
        }
        return true;
    }

    private Optional<String> readMeter() {
        Optional<String> meter = section.text("meter", LONGEST_METER);
        if (!section.has("meter")) {
            return Optional.of(Meter.REQUESTS);
        }
        try {
            return meter.map(Meter::named);
        } catch (IllegalArgumentException noMeter) {
            section.problems().addRefused(section.place(), noMeter);
            return Optional.empty();
        }
    }

    private Match readMatch(Section match) {
        Authentication authentication = match.flag("authenticated")
                .map(yes -> yes ? Authentication.AUTHENTICATED : Authentication.ANONYMOUS)
                .orElse(Authentication.ANY);
        Optional<List<String>> routes = match.names("routes");
        if (routes.map(List::isEmpty).orElse(false)) {
            section.problems()
                    .add(match.place("routes"), "is empty; name a route group, or leave it out to match every route");
        }
        Map<String, String> attributes = new TreeMap<>();
        match.section("attributes").ifPresent(section -> {
            for (String name : section.ownNames()) {
                section.text(name, LONGEST_ATTRIBUTE).ifPresent(value -> attributes.put(name, value));
            }
        });
        match.close();
        Set<String> groups = new TreeSet<>(routes.orElse(List.of()));
        return new Match(authentication, groups, attributes);
    }

    private Cost readCost() {
        if (!section.isObject("cost")) {
            return section.integer("cost", 0, Bounds.MAX_TOKENS)
                    .<Cost>map(Cost.Fixed::new)
                    .orElse(Cost.ONE);
        }
        Section cost = section.section("cost").orElseThrow();
        cost.require("fromRoute", "true");
        if (!cost.flag("fromRoute").orElse(true)) {
            section.problems().add(cost.place("fromRoute"), "is false; it must be true, or the cost an integer");
        }
        cost.close();
        return new Cost.FromRoute();
    }
}
