package io.headgate.core.policy;

import static io.headgate.core.policy.Policies.HUNDRED;
import static io.headgate.core.policy.Policies.only;
import static io.headgate.core.policy.Policies.policy;
import static io.headgate.core.policy.Policies.routes;
import static io.headgate.core.policy.Policies.rule;
import static io.headgate.core.policy.Policies.tenants;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.SlidingLogLimit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class InForceTest {

    private static final Rule RULE = rule("R", HUNDRED);
    private static final Policy FIRST = policy(7, RULE);
    private static final Rule FIFTY = rule("R", new FixedWindowLimit(50, 10_000));

    // Which version decides

    @Test
    void one_version_decides_every_request() {
        assertThat(InForce.only(FIRST).of("atlas", "GET /items")).isSameAs(FIRST);
        assertThat(InForce.only(FIRST).newest()).isSameAs(FIRST);
    }

    @Test
    void while_a_version_is_rolled_out_the_rest_stays_on_the_one_before() {
        Policy next = policy(8, tenants(0, "atlas"), FIFTY);
        InForce both = InForce.only(FIRST).followedBy(next);

        assertThat(both.of("atlas", "GET /items")).isSameAs(next);
        assertThat(both.of("birch", "GET /items")).isSameAs(FIRST);
        assertThat(both.of("", "GET /items")).isSameAs(FIRST);
        assertThat(both.newest()).isSameAs(next);
    }

    @Test
    void a_version_for_everybody_replaces_both() {
        InForce both = InForce.only(FIRST).followedBy(policy(8, tenants(0, "atlas"), FIFTY));
        Policy whole = policy(9, FIFTY);

        assertThat(both.followedBy(whole)).isEqualTo(new InForce(whole, Optional.empty()));
    }

    @Test
    void a_wider_rollout_replaces_the_one_before_it_only() {
        InForce both = InForce.only(FIRST).followedBy(policy(8, tenants(0, "atlas"), FIFTY));
        Policy wider = policy(9, tenants(5_000, "atlas"), FIFTY);

        assertThat(both.followedBy(wider)).isEqualTo(new InForce(FIRST, Optional.of(wider)));
    }

    // Which version may follow

    @Test
    void the_next_number_follows_and_no_other() {
        assertThat(problems(InForce.only(FIRST), policy(8, FIFTY))).isEmpty();
        for (long version : List.of(1L, 6L, 7L, 9L, Long.MAX_VALUE)) {
            assertThat(problems(InForce.only(FIRST), policy(version, FIFTY)))
                    .containsExactly(
                            "metadata.version is " + version + "; it must be 8, the newest version 7 plus one");
        }
    }

    @Test
    void the_newest_version_counts_also_while_it_is_rolled_out() {
        InForce both = InForce.only(FIRST).followedBy(policy(8, tenants(0, "atlas"), FIFTY));

        assertThat(problems(both, policy(9, FIFTY))).isEmpty();
        assertThat(problems(both, policy(8, FIFTY))).hasSize(1);
    }

    @Test
    void a_rule_that_counts_by_something_else_says_that_it_begins_afresh() {
        Rule log = rule("R", new SlidingLogLimit(100, 10_000));
        Rule byRoute = new Rule(
                "R", Stage.TENANT, Scope.ROUTE, Match.EVERYTHING, HUNDRED, Cost.ONE, Enforcement.ENFORCE, false, "");
        Rule byTokens = new Rule(
                "R",
                Stage.TENANT,
                Scope.TENANT,
                List.of(),
                Match.EVERYTHING,
                HUNDRED,
                Map.of(),
                "tokens",
                Cost.ONE,
                Enforcement.ENFORCE,
                false,
                "");

        assertThat(problems(InForce.only(FIRST), policy(8, log))).containsExactly(afresh("algorithm"));
        assertThat(problems(InForce.only(FIRST), policy(8, byRoute))).containsExactly(afresh("key"));
        assertThat(problems(InForce.only(FIRST), policy(8, byTokens))).containsExactly(afresh("meter"));
        assertThat(problems(
                        InForce.only(FIRST),
                        policy(8, rule("R", new SlidingLogLimit(100, 10_000), Match.EVERYTHING, true))))
                .isEmpty();
        assertThat(problems(InForce.only(FIRST), policy(8, rule("S", new SlidingLogLimit(100, 10_000)))))
                .isEmpty();
    }

    /** Back to the rules of the base: what was counted under the version that was rolled out cannot be carried over. */
    @Test
    void a_change_against_either_version_in_force_counts() {
        Rule log = rule("R", new SlidingLogLimit(100, 10_000), Match.EVERYTHING, true);
        InForce both = InForce.only(FIRST).followedBy(policy(8, tenants(0, "atlas"), log));

        assertThat(problems(both, policy(9, RULE))).containsExactly(afresh("algorithm"));
        assertThat(problems(both, policy(9, rule("R", new SlidingLogLimit(100, 10_000)))))
                .containsExactly(afresh("algorithm"));
    }

    @Test
    void names_all_mistakes_at_once() {
        Rule log = rule("R", new SlidingLogLimit(100, 10_000));

        assertThat(problems(InForce.only(FIRST), policy(9, rule("A", HUNDRED), log)))
                .containsExactly(
                        "metadata.version is 9; it must be 8, the newest version 7 plus one",
                        afresh("algorithm").replace("rules[0]", "rules[1]"));
    }

    @Test
    void the_first_version_is_for_everybody() {
        assertThat(InForce.problemsOfFirst(FIRST)).isEmpty();
        assertThat(InForce.problemsOfFirst(policy(1, tenants(100), RULE)))
                .extracting(Object::toString)
                .containsExactly(
                        "spec.rollout is there; the first version has none before it that the others could stay on");
    }

    // By routes, a counter must not be under two limits at once

    @Test
    void a_rollout_by_routes_may_change_rules_of_these_routes_alone() {
        Policy base = policy(7, rule("R", HUNDRED, routes("read"), false));
        FixedWindowLimit fifty = new FixedWindowLimit(50, 10_000);

        assertThat(problems(InForce.only(base), policy(8, only("read"), rule("R", fifty, routes("read"), false))))
                .isEmpty();
        assertThat(problems(
                        InForce.only(base), policy(8, only("read"), rule("R", fifty, routes("read", "order"), false))))
                .containsExactly(twoLimits());
        assertThat(problems(InForce.only(FIRST), policy(8, only("read"), FIFTY)))
                .containsExactly(twoLimits());
        assertThat(problems(InForce.only(FIRST), policy(8, only("read"), RULE, rule("NEW", fifty))))
                .isEmpty();
    }

    @Test
    void a_rollout_by_routes_needs_the_same_routes_in_both() {
        RouteTable other = new RouteTable(
                List.of(new Route("read", "GET", "/items"), new Route("order", "PUT", "/orders")), Map.of());

        assertThat(problems(InForce.only(FIRST), policy(8, only("read"), other, RULE)))
                .containsExactly(
                        "spec.routes differs from that of version 7; a rollout by routes needs both to find the"
                                + " same group for a request");
        assertThat(problems(InForce.only(FIRST), policy(8, tenants(100), other, RULE)))
                .isEmpty();
    }

    private static String afresh(String what) {
        return "spec.rules[0].resetBudgets is not true, and rule R changes its " + what
                + ": what was spent cannot be carried over, so the rule has to say that it begins afresh";
    }

    private static String twoLimits() {
        return "spec.rules[0] changes the limit of rule R, which also speaks of routes that stay on version 7; a counter"
                + " can be under one limit only";
    }

    private static List<String> problems(InForce inForce, Policy next) {
        return inForce.problemsOf(next).stream().map(Object::toString).toList();
    }
}
