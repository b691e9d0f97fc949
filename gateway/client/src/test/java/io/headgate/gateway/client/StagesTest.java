package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Match.Authentication;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Route;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StagesTest {

    private static final Caller ALL = new Caller("atlas", "u", "k", "203.0.113.7", "ann");
    private static final Rule TENANT = rule(Stage.TENANT, Scope.TENANT, Match.EVERYTHING);

    private static Rule rule(Stage stage, Scope scope, Match match) {
        return rule(stage, scope, List.of(), match, Meter.REQUESTS);
    }

    private static Rule rule(Stage stage, Scope scope, List<Part> parts, Match match, String meter) {
        return new Rule(
                "R-" + stage.label(),
                stage,
                scope,
                parts,
                match,
                new TokenBucketLimit(5, 1, 1_000),
                Map.of(),
                meter,
                Cost.ONE,
                Enforcement.ENFORCE,
                false,
                "");
    }

    private static List<Stage> stages(Ask ask, Rule... rules) {
        return stages(Set.of(), ask, rules);
    }

    private static List<Stage> stages(Set<Stage> always, Ask ask, Rule... rules) {
        return new Stages(always).of(ask, List.of(policy(rules)));
    }

    private static Policy policy(Rule... rules) {
        return new Policy(
                "test",
                1,
                new RouteTable(List.of(new Route("login", "POST", "/login")), Map.of()),
                List.of(rules),
                1_000);
    }

    private static Ask ask(Caller caller) {
        return Ask.of(caller, true, "POST /login");
    }

    @Test
    void every_stage_with_a_key_is_asked_while_no_policy_is_known() {
        Stages stages = new Stages(Set.of());

        assertThat(stages.of(ask(ALL), List.of())).containsExactly(Stage.IP, Stage.TARGET, Stage.TENANT);
        assertThat(stages.of(ask(ALL.withTarget("")), List.of())).containsExactly(Stage.IP, Stage.TENANT);
        assertThat(stages.of(ask(Caller.unknown().withIp("::1")), List.of())).containsExactly(Stage.IP);
    }

    @Test
    void a_stage_without_a_rule_is_passed_over() {
        assertThat(stages(ask(ALL), TENANT)).containsExactly(Stage.TENANT);
        assertThat(stages(ask(ALL), TENANT, rule(Stage.IP, Scope.IP, Match.EVERYTHING)))
                .containsExactly(Stage.IP, Stage.TENANT);
    }

    @Test
    void the_last_stage_is_asked_where_no_rule_speaks() {
        assertThat(stages(ask(ALL))).containsExactly(Stage.TENANT);
        assertThat(stages(ask(ALL.withTenant("")))).containsExactly(Stage.TARGET);
    }

    @Test
    void the_last_stage_is_passed_over_where_only_an_earlier_one_has_a_rule() {
        assertThat(stages(ask(ALL), rule(Stage.IP, Scope.IP, Match.EVERYTHING))).containsExactly(Stage.IP);
    }

    @Test
    void a_stage_that_is_always_asked_needs_no_rule_but_a_key() {
        Rule ip = rule(Stage.IP, Scope.IP, Match.EVERYTHING);

        assertThat(stages(Set.of(Stage.TENANT), ask(ALL), ip)).containsExactly(Stage.IP, Stage.TENANT);
        assertThat(stages(Set.of(Stage.TENANT), ask(ALL.withTenant("")), ip)).containsExactly(Stage.IP);
    }

    @Test
    void one_stage_alone_is_asked_whatever_the_rules() {
        assertThat(stages(ask(ALL).only(Stage.IP), TENANT)).containsExactly(Stage.IP);
    }

    @Test
    void a_rule_for_the_anonymous_does_not_speak_of_the_authenticated() {
        Rule anonymous = rule(Stage.IP, Scope.IP, new Match(Authentication.ANONYMOUS, Set.of(), Map.of()));

        assertThat(stages(Ask.of(ALL, true, ""), anonymous, TENANT)).containsExactly(Stage.TENANT);
        assertThat(stages(Ask.of(ALL, false, ""), anonymous, TENANT)).containsExactly(Stage.IP, Stage.TENANT);
    }

    @Test
    void a_rule_for_a_route_group_speaks_of_its_requests_alone() {
        Rule login = rule(Stage.TARGET, Scope.TARGET, new Match(Authentication.ANY, Set.of("login"), Map.of()));

        assertThat(stages(Ask.of(ALL, true, "POST /login"), login, TENANT)).containsExactly(Stage.TARGET, Stage.TENANT);
        assertThat(stages(Ask.of(ALL, true, "login"), login, TENANT)).containsExactly(Stage.TARGET, Stage.TENANT);
        assertThat(stages(Ask.of(ALL, true, "GET /login"), login, TENANT)).containsExactly(Stage.TENANT);
    }

    @Test
    void a_rule_for_an_attribute_needs_its_value() {
        Rule gold = rule(Stage.IP, Scope.IP, new Match(Authentication.ANY, Set.of(), Map.of("tier", "gold")));

        assertThat(stages(ask(ALL).withAttributes(Map.of("tier", "gold")), gold, TENANT))
                .containsExactly(Stage.IP, Stage.TENANT);
        assertThat(stages(ask(ALL).withAttributes(Map.of("tier", "free")), gold, TENANT))
                .containsExactly(Stage.TENANT);
    }

    @Test
    void a_rule_needs_what_its_scope_counts_by() {
        Rule perRoute = rule(Stage.IP, Scope.ROUTE, Match.EVERYTHING);
        Rule perKey = rule(Stage.TENANT, Scope.API_KEY, Match.EVERYTHING);

        assertThat(stages(ask(ALL), perRoute, perKey)).containsExactly(Stage.IP, Stage.TENANT);
        assertThat(stages(Ask.of(ALL, true, "GET /elsewhere"), perRoute, perKey))
                .containsExactly(Stage.TENANT);
        assertThat(stages(ask(ALL.withApiKey("")), perRoute, perKey)).containsExactly(Stage.IP);
    }

    @Test
    void a_composite_needs_all_its_parts() {
        Rule composite = rule(
                Stage.IP,
                Scope.COMPOSITE,
                List.of(new Part.Of(Scope.ROUTE), new Part.Attribute("region")),
                Match.EVERYTHING,
                Meter.REQUESTS);

        assertThat(stages(ask(ALL).withAttributes(Map.of("region", "eu")), composite, TENANT))
                .containsExactly(Stage.IP, Stage.TENANT);
        assertThat(stages(ask(ALL).withAttributes(Map.of("region", "")), composite, TENANT))
                .containsExactly(Stage.TENANT);
        assertThat(stages(Ask.of(ALL, true, "").withAttributes(Map.of("region", "eu")), composite, TENANT))
                .containsExactly(Stage.TENANT);
    }

    @Test
    void a_rule_needs_its_meter() {
        Rule tokens = rule(Stage.IP, Scope.IP, List.of(), Match.EVERYTHING, "tokens");

        assertThat(stages(ask(ALL), tokens, TENANT)).containsExactly(Stage.TENANT);
        assertThat(stages(ask(ALL).withCosts(Map.of("tokens", 9L)), tokens, TENANT))
                .containsExactly(Stage.IP, Stage.TENANT);
    }

    @Test
    void a_stage_is_asked_if_one_of_the_versions_that_may_decide_has_a_rule_there() {
        Policy inForce = policy(rule(Stage.TENANT, Scope.TENANT, Match.EVERYTHING));
        Policy waiting = policy(rule(Stage.IP, Scope.IP, Match.EVERYTHING));
        Stages stages = new Stages(Set.of());

        assertThat(stages.of(ask(ALL), List.of(inForce))).containsExactly(Stage.TENANT);
        assertThat(stages.of(ask(ALL), List.of(waiting, inForce))).containsExactly(Stage.IP, Stage.TENANT);
    }
}
