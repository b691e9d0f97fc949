package io.headgate.core.shard;

import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.Route;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** Rules and policies for tests. A rule made here is enforced, speaks of every request and charges 1. */
public final class TestRules {

    /** Catalog (cost 1), orders (no cost named) and export (cost 10). */
    public static final RouteTable ROUTES = new RouteTable(
            List.of(
                    new Route("catalog", "GET", "/catalog/**"),
                    new Route("orders", "*", "/orders/{id}"),
                    new Route("export", "POST", "/export")),
            Map.of("catalog", 1L, "export", 10L));

    /** So many keys that no test reaches the cap by accident. */
    public static final long NO_CAP = 1_000_000;

    /** What a limit may be by, besides the default. */
    public static final Set<String> PLANS = Set.of("free", "pro", "gold");

    private TestRules() {}

    public static Rule rule(String id, Scope scope, Limit limit) {
        return rule(id, Stage.TENANT, scope, limit);
    }

    public static Rule rule(String id, Stage stage, Scope scope, Limit limit) {
        return new Rule(
                id, stage, scope, Match.EVERYTHING, limit, Cost.ONE, Enforcement.ENFORCE, false, "made by a test");
    }

    public static Rule shadow(Rule it) {
        return enforcing(Enforcement.SHADOW, it);
    }

    /** In shadow until a log time. */
    public static Rule shadowUntil(long untilMillis, Rule it) {
        return enforcing(new Enforcement.Shadow(OptionalInt.empty(), OptionalLong.of(untilMillis)), it);
    }

    public static Rule enforced(Rule it) {
        return enforcing(Enforcement.ENFORCE, it);
    }

    private static Rule enforcing(Enforcement enforcement, Rule it) {
        return copy(it, it.match(), it.cost(), enforcement, it.resetBudgets());
    }

    public static Rule soft(int hardPercent, Rule it) {
        return enforcing(new Enforcement.Soft(hardPercent), it);
    }

    public static Rule resetting(Rule it) {
        return copy(it, it.match(), it.cost(), it.enforcement(), true);
    }

    public static Rule costing(Cost cost, Rule it) {
        return copy(it, it.match(), cost, it.enforcement(), it.resetBudgets());
    }

    public static Rule matching(Match match, Rule it) {
        return copy(it, match, it.cost(), it.enforcement(), it.resetBudgets());
    }

    public static Rule metering(String meter, Rule it) {
        return changed(it, it.composite(), it.byPlan(), meter);
    }

    public static Rule byPlan(Map<String, Limit> byPlan, Rule it) {
        return changed(it, it.composite(), byPlan, it.meter());
    }

    /** Counts by all these parts together. */
    public static Rule composite(String id, Stage stage, List<Part> parts, Limit limit) {
        return new Rule(
                id,
                stage,
                Scope.COMPOSITE,
                parts,
                Match.EVERYTHING,
                limit,
                Map.of(),
                Meter.REQUESTS,
                Cost.ONE,
                Enforcement.ENFORCE,
                false,
                "made by a test");
    }

    private static Rule changed(Rule it, List<Part> composite, Map<String, Limit> byPlan, String meter) {
        return new Rule(
                it.id(),
                it.stage(),
                it.scope(),
                composite,
                it.match(),
                it.limit(),
                byPlan,
                meter,
                it.cost(),
                it.enforcement(),
                it.resetBudgets(),
                it.reason());
    }

    private static Rule copy(Rule it, Match match, Cost cost, Enforcement enforcement, boolean resetBudgets) {
        return new Rule(
                it.id(),
                it.stage(),
                it.scope(),
                it.composite(),
                match,
                it.limit(),
                it.byPlan(),
                it.meter(),
                cost,
                enforcement,
                resetBudgets,
                it.reason());
    }

    public static Policy policy(long version, Rule... rules) {
        return capped(NO_CAP, version, rules);
    }

    /** A version for some only. */
    public static Policy policyFor(Rollout rollout, long version, Rule... rules) {
        return activated(new Activation(OptionalLong.empty(), rollout), policy(version, rules));
    }

    /** A version that waits for its time. */
    public static Policy policyFrom(long effectiveAtMillis, long version, Rule... rules) {
        return activated(new Activation(OptionalLong.of(effectiveAtMillis), Rollout.EVERYBODY), policy(version, rules));
    }

    public static Policy activated(Activation activation, Policy it) {
        return new Policy(
                it.name(),
                it.version(),
                it.routes(),
                it.rules(),
                it.plans(),
                it.idempotency(),
                it.bucketsPerRuleAndShard(),
                activation);
    }

    /** These tenants and no others. */
    public static Rollout tenants(String... names) {
        return new Rollout.Tenants(new TreeSet<>(List.of(names)), 0);
    }

    public static Rollout routes(String... groups) {
        return new Rollout.Routes(new TreeSet<>(List.of(groups)));
    }

    public static Policy capped(long bucketsPerRule, long version, Rule... rules) {
        return new Policy("test", version, ROUTES, List.of(rules), PLANS, Idempotency.DEFAULT, bucketsPerRule);
    }

    public static Policy keyed(Idempotency idempotency, long version, Rule... rules) {
        return new Policy("test", version, ROUTES, List.of(rules), PLANS, idempotency, NO_CAP);
    }
}
