package io.headgate.core.policy;

import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/** Policies for tests of policies. */
final class Policies {

    static final Limit HUNDRED = new FixedWindowLimit(100, 10_000);

    static final RouteTable ROUTES = new RouteTable(
            List.of(new Route("read", "GET", "/items"), new Route("order", "POST", "/orders")), Map.of());

    private Policies() {}

    static Rule rule(String id, Limit limit) {
        return rule(id, limit, Match.EVERYTHING, false);
    }

    static Rule rule(String id, Limit limit, Match match, boolean resetBudgets) {
        return new Rule(
                id, Stage.TENANT, Scope.TENANT, match, limit, Cost.ONE, Enforcement.ENFORCE, resetBudgets, "because");
    }

    static Rule rule(Limit limit, Map<String, Limit> byPlan, FailMode failMode) {
        return new Rule(
                "R",
                Stage.TENANT,
                Scope.TENANT,
                List.of(),
                Match.EVERYTHING,
                limit,
                byPlan,
                Meter.REQUESTS,
                Cost.ONE,
                Enforcement.ENFORCE,
                false,
                "because",
                failMode,
                false);
    }

    static Match routes(String... groups) {
        return new Match(Match.Authentication.ANY, Set.of(groups), Map.of());
    }

    static Policy policy(long version, Rule... rules) {
        return policy(version, Rollout.EVERYBODY, ROUTES, rules);
    }

    static Policy policy(long version, Rollout rollout, Rule... rules) {
        return policy(version, rollout, ROUTES, rules);
    }

    static Policy policy(long version, Rollout rollout, RouteTable routes, Rule... rules) {
        return new Policy(
                "n",
                version,
                routes,
                List.of(rules),
                Set.of("trial", "gold"),
                Idempotency.DEFAULT,
                1_000,
                new Activation(OptionalLong.empty(), rollout));
    }

    static Rollout tenants(int hundredths, String... tenants) {
        return new Rollout.Tenants(new TreeSet<>(Set.of(tenants)), hundredths);
    }

    static Rollout only(String... groups) {
        return new Rollout.Routes(new TreeSet<>(Set.of(groups)));
    }
}
