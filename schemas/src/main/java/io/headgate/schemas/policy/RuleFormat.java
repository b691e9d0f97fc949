package io.headgate.schemas.policy;

import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Match.Authentication;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** One rule of a document. A rule with a mistake becomes one that admits everything, under the same id if that is one. */
final class RuleFormat {

    private static final int LONGEST_ATTRIBUTE = 256;

    private static final Map<String, Stage> STAGES = byLabel(Stage.values(), Stage::label);
    private static final Map<String, Scope> SCOPES = byLabel(simpleScopes(), Scope::label);
    private static final Map<String, Enforcement> ENFORCEMENTS =
            byLabel(new Enforcement[] {Enforcement.ENFORCE, Enforcement.SHADOW}, Enforcement::label);

    private static final Map<String, Function<Section, Optional<Limit>>> ALGORITHMS = algorithms();

    private final Section section;

    private RuleFormat(Section section) {
        this.section = section;
    }

    static Rule read(Optional<Section> section, int index) {
        String placeholderId = "unreadable.rule." + index;
        return section.map(present -> new RuleFormat(present).read(placeholderId))
                .orElseGet(() -> admitsEverything(placeholderId, Match.EVERYTHING));
    }

    private Rule read(String placeholderId) {
        String id = section.requiredName("id").orElse(placeholderId);
        Optional<Stage> stage = section.requiredChoice("stage", STAGES, Map.of());
        Optional<Scope> scope = section.choice("scope", SCOPES, Map.of("global", "scope global"));
        Match match = section.section("match").map(this::readMatch).orElse(Match.EVERYTHING);
        Optional<Limit> limit = section.requiredChoice(
                        "algorithm", ALGORITHMS, Map.of("concurrency", "concurrency limits"))
                .flatMap(algorithm -> algorithm.apply(section));
        section.has("limit"); // known, whatever the algorithm made of it
        Cost cost = readCost();
        Enforcement enforcement = section.section("enforcement")
                .flatMap(RuleFormat::readEnforcement)
                .orElse(Enforcement.ENFORCE);
        boolean resetBudgets = section.flag("resetBudgets").orElse(false);
        String reason = section.text("reason", PolicyFormat.LONGEST_REASON).orElse("");
        PolicyFormat.readFailMode(section);
        section.notYet("global", "leases (global)");
        section.notYet("rollout", "rollout");
        section.close();
        if (stage.isEmpty() || limit.isEmpty()) {
            return admitsEverything(id, match);
        }
        try {
            Scope countedBy = scope.orElseGet(() -> ownScope(stage.get()));
            return new Rule(id, stage.get(), countedBy, match, limit.get(), cost, enforcement, resetBudgets, reason);
        } catch (IllegalArgumentException e) {
            section.problems().addRefused(section.place(), e);
            return admitsEverything(id, match);
        }
    }

    private static Rule admitsEverything(String id, Match match) {
        return new Rule(
                id, Stage.TENANT, Scope.TENANT, match, new Unlimited(), Cost.ONE, Enforcement.ENFORCE, false, "");
    }

    /** What a rule counts by if it does not say: what its stage is partitioned by. */
    private static Scope ownScope(Stage stage) {
        return switch (stage) {
            case IP -> Scope.IP;
            case TARGET -> Scope.TARGET;
            case TENANT -> Scope.TENANT;
        };
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

    private static Optional<Enforcement> readEnforcement(Section section) {
        Optional<Enforcement> mode = section.requiredChoice("mode", ENFORCEMENTS, Map.of("soft", "enforcement soft"));
        section.notYet("expectedDenyRatio", "enforcement.expectedDenyRatio");
        section.notYet("until", "enforcement.until");
        section.notYet("rollout", "rollout");
        section.close();
        return mode;
    }

    private static Map<String, Function<Section, Optional<Limit>>> algorithms() {
        Map<String, Function<Section, Optional<Limit>>> algorithms = new LinkedHashMap<>();
        algorithms.put(TokenBucketLimit.ALGORITHM, rule -> refilled(rule, 0, TokenBucketLimit::new));
        algorithms.put(FixedWindowLimit.ALGORITHM, rule -> windowed(rule, Bounds.MAX_TOKENS, FixedWindowLimit::new));
        algorithms.put(
                SlidingWindowLimit.ALGORITHM, rule -> windowed(rule, Bounds.MAX_TOKENS, SlidingWindowLimit::new));
        algorithms.put(
                SlidingLogLimit.ALGORITHM, rule -> windowed(rule, SlidingLogLimit.MAX_ENTRIES, SlidingLogLimit::new));
        algorithms.put(GcraLimit.ALGORITHM, rule -> refilled(rule, 1, GcraLimit::new));
        algorithms.put(Unlimited.ALGORITHM, RuleFormat::unlimited);
        return algorithms;
    }

    /** Makes a limit that is refilled. */
    @FunctionalInterface
    private interface Refilled {
        Limit of(long capacityTokens, long refillTokens, long refillPeriodMillis);
    }

    /** Makes a limit for a window. */
    @FunctionalInterface
    private interface Windowed {
        Limit of(long limitTokens, long windowMillis);
    }

    private static Optional<Limit> refilled(Section rule, long leastRefill, Refilled limit) {
        Optional<Section> section = rule.requiredSection("limit");
        if (section.isEmpty() || section.get().notYet("fromPlan", "limits from a plan (fromPlan)")) {
            return Optional.empty();
        }
        Section fields = section.get();
        Optional<Long> capacity = fields.requiredInteger("capacity", 0, Bounds.MAX_TOKENS);
        Optional<Section> refill = fields.requiredSection("refill");
        Optional<Long> tokens = refill.flatMap(one -> one.requiredInteger("tokens", leastRefill, Bounds.MAX_TOKENS));
        Optional<Long> per = refill.flatMap(one -> one.requiredDurationMillis("per", Bounds.MAX_PERIOD_MILLIS));
        refill.ifPresent(one -> {
            one.notYet("mode", "interval refill; a refill is continuous");
            one.notYet("interval", "interval refill; a refill is continuous");
            one.close();
        });
        fields.close();
        if (capacity.isEmpty() || tokens.isEmpty() || per.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(limit.of(capacity.get(), tokens.get(), per.get()));
        } catch (IllegalArgumentException e) {
            rule.problems().addRefused(fields.place(), e);
            return Optional.empty();
        }
    }

    private static Optional<Limit> windowed(Section rule, long mostRequests, Windowed limit) {
        Optional<Section> section = rule.requiredSection("limit");
        if (section.isEmpty() || section.get().notYet("fromPlan", "limits from a plan (fromPlan)")) {
            return Optional.empty();
        }
        Section fields = section.get();
        Optional<Long> requests = fields.requiredInteger("requests", 0, mostRequests);
        Optional<Long> per = fields.requiredDurationMillis("per", Bounds.MAX_PERIOD_MILLIS);
        fields.choice("align", Map.of("epoch", "epoch"), Map.of("calendar", "align calendar"));
        fields.close();
        return requests.isEmpty() || per.isEmpty()
                ? Optional.empty()
                : Optional.of(limit.of(requests.get(), per.get()));
    }

    private static Optional<Limit> unlimited(Section rule) {
        if (rule.has("limit")) {
            rule.problems().add(rule.place("limit"), "is there; a rule with algorithm unlimited must have none");
        }
        return Optional.of(new Unlimited());
    }

    private static Scope[] simpleScopes() {
        return Arrays.stream(Scope.values())
                .filter(scope -> scope != Scope.COMPOSITE)
                .toArray(Scope[]::new);
    }

    private static <T> Map<String, T> byLabel(T[] values, Function<T, String> label) {
        Map<String, T> byLabel = new LinkedHashMap<>();
        Arrays.stream(values).forEach(value -> byLabel.put(label.apply(value), value));
        return byLabel;
    }
}
