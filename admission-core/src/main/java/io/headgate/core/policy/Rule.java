package io.headgate.core.policy;

import io.headgate.core.limit.Limit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * One limit on one kind of key.
 *
 * @param id names the rule and its state: a rule that keeps its id keeps what was spent. Letters, digits, dot, hyphen
 *     and underscore, at most 64; ids that begin with {@value #RESERVED} are not for policies
 * @param stage where it is evaluated; the counter's key always contains the stage's partition key
 * @param scope what it counts by, within the stage's partition key
 * @param composite the parts that it counts by together, if the scope is {@code COMPOSITE}; otherwise empty
 * @param match the requests that it speaks of; a request that lacks what the scope needs is not one of them
 * @param limit what one key may spend
 * @param byPlan what one key of a tenant may spend whose plan is named here, by the limit's own algorithm
 * @param meter what it counts; a request that does not name the meter is not counted
 * @param cost what a request is charged
 * @param enforcement whether a denial counts
 * @param resetBudgets whether publishing this version forgets what was spent
 * @param reason why the rule is as it is; needed where nothing is ever earned back
 * @param failMode what becomes of a request that the rule speaks of and nobody could decide
 * @param secondSignature whether a version that adds, changes or drops this rule must be signed by two
 */
public record Rule(
        String id,
        Stage stage,
        Scope scope,
        List<Part> composite,
        Match match,
        Limit limit,
        Map<String, Limit> byPlan,
        String meter,
        Cost cost,
        Enforcement enforcement,
        boolean resetBudgets,
        String reason,
        FailMode failMode,
        boolean secondSignature) {

    /** What the ids of verdicts begin with that come from no rule of a policy. */
    public static final String RESERVED = "headgate.";

    /** The most parts of a composite. */
    public static final int MAX_PARTS = 8;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    public Rule {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException(
                    "id is '" + id + "'; it must be 1 to 64 letters, digits, dots, hyphens and underscores");
        }
        if (id.startsWith(RESERVED)) {
            throw new IllegalArgumentException("id is '" + id + "'; it must not begin with " + RESERVED);
        }
        Objects.requireNonNull(match);
        Objects.requireNonNull(limit);
        Objects.requireNonNull(cost);
        Objects.requireNonNull(enforcement);
        Objects.requireNonNull(reason);
        Objects.requireNonNull(failMode);
        Meter.named(meter);
        if (!scopesOf(stage).contains(scope)) {
            throw new IllegalArgumentException("scope is '" + scope.label() + "'; in stage '" + stage.label()
                    + "' it must be one of "
                    + scopesOf(stage).stream().map(Scope::label).toList());
        }
        composite = List.copyOf(composite);
        checkComposite(stage, scope, composite);
        byPlan = Collections.unmodifiableMap(new TreeMap<>(byPlan));
        if (!byPlan.isEmpty() && stage != Stage.TENANT) {
            throw new IllegalArgumentException(
                    "a limit is by plan; only rules of stage 'tenant' know the plan, not of '" + stage.label() + "'");
        }
        byPlan.forEach((plan, own) -> {
            if (!own.algorithm().equals(limit.algorithm())) {
                throw new IllegalArgumentException("the limit of plan " + plan + " is by " + own.algorithm()
                        + "; the rule's is by " + limit.algorithm());
            }
        });
        if (enforcement instanceof Enforcement.Soft soft) {
            limit.raised(soft.debtTokens(limit.tokens()));
            byPlan.values().forEach(own -> own.raised(soft.debtTokens(own.tokens())));
        }
    }

    /** A rule with fail mode closed, that one signature may change. */
    public Rule(
            String id,
            Stage stage,
            Scope scope,
            List<Part> composite,
            Match match,
            Limit limit,
            Map<String, Limit> byPlan,
            String meter,
            Cost cost,
            Enforcement enforcement,
            boolean resetBudgets,
            String reason) {
        this(
                id,
                stage,
                scope,
                composite,
                match,
                limit,
                byPlan,
                meter,
                cost,
                enforcement,
                resetBudgets,
                reason,
                FailMode.CLOSED,
                false);
    }

    /** A rule that counts requests by one scope, for every plan alike. */
    public Rule(
            String id,
            Stage stage,
            Scope scope,
            Match match,
            Limit limit,
            Cost cost,
            Enforcement enforcement,
            boolean resetBudgets,
            String reason) {
        this(
                id,
                stage,
                scope,
                List.of(),
                match,
                limit,
                Map.of(),
                Meter.REQUESTS,
                cost,
                enforcement,
                resetBudgets,
                reason);
    }

    /** The limits of all plans, the default's first. */
    public List<Limit> limits() {
        List<Limit> limits = new ArrayList<>();
        limits.add(limit);
        limits.addAll(byPlan.values());
        return limits;
    }

    private static void checkComposite(Stage stage, Scope scope, List<Part> parts) {
        if (scope != Scope.COMPOSITE) {
            if (!parts.isEmpty()) {
                throw new IllegalArgumentException(
                        "there are parts of a composite; with scope '" + scope.label() + "' there must be none");
            }
            return;
        }
        if (parts.size() < 1
                || parts.size() > MAX_PARTS
                || parts.stream().distinct().count() < parts.size()) {
            throw new IllegalArgumentException(
                    "the parts are " + labels(parts) + "; a composite has 1 to " + MAX_PARTS + ", all different");
        }
        for (Part part : parts) {
            if (part instanceof Part.Of of && !scopesOf(stage).contains(of.scope())) {
                throw new IllegalArgumentException("the parts are " + labels(parts) + "; in stage '" + stage.label()
                        + "' nothing is counted by " + part.label());
            }
        }
    }

    private static List<String> labels(List<Part> parts) {
        return parts.stream().map(Part::label).toList();
    }

    /** The scopes whose keys a stage's partition key determines. */
    public static Set<Scope> scopesOf(Stage stage) {
        return switch (stage) {
            case IP -> EnumSet.of(Scope.IP, Scope.ROUTE, Scope.COMPOSITE);
            case TARGET -> EnumSet.of(Scope.TARGET, Scope.ROUTE, Scope.COMPOSITE);
            case TENANT -> EnumSet.of(Scope.TENANT, Scope.API_KEY, Scope.USER, Scope.ROUTE, Scope.IP, Scope.COMPOSITE);
        };
    }

    public boolean shadow() {
        return enforcement instanceof Enforcement.Shadow;
    }

    /**
     * What {@code next}, a later rule of this id, counts by otherwise, so that nothing can be carried over: its key, its
     * meter or its algorithm. Empty if its counters go on.
     */
    public Optional<String> changeOfCounter(Rule next) {
        if (stage != next.stage() || scope != next.scope() || !composite.equals(next.composite())) {
            return Optional.of("key");
        }
        if (!meter.equals(next.meter())) {
            return Optional.of("meter");
        }
        return limit.algorithm().equals(next.limit().algorithm()) ? Optional.empty() : Optional.of("algorithm");
    }

    /** Whether a counter means the same under both rules: by the same key, with the same limits, not begun afresh. */
    boolean countsLike(Rule before) {
        return before.changeOfCounter(this).isEmpty()
                && !resetBudgets
                && limit.equals(before.limit())
                && byPlan.equals(before.byPlan());
    }
}
