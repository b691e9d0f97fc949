package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Versions that are in force for some. */
class RolloutTest {

    private static final Caller ATLAS = Caller.tenant("atlas");
    private static final Caller BIRCH = Caller.tenant("birch");
    private static final Caller CEDAR = Caller.tenant("cedar");
    private static final long DAY = 86_400_000;

    private final TestLog log = TestLog.under(daily(5));

    private static Rule daily(long tokens) {
        return TestRules.rule("daily", Scope.TENANT, new FixedWindowLimit(tokens, DAY));
    }

    private static Rule bucket(long capacity, long perSecond) {
        return TestRules.rule("daily", Scope.TENANT, new TokenBucketLimit(capacity, perSecond, 1_000));
    }

    private static Rule onRoutes(Rule rule, String... groups) {
        return TestRules.matching(new Match(Match.Authentication.ANY, Set.of(groups), Map.of()), rule);
    }

    private static Rollout percent(int hundredths) {
        return new Rollout.Tenants(new TreeSet<>(), hundredths);
    }

    private static long left(TestLog log, Caller caller) {
        return log.peek(caller).remaining().orElseThrow();
    }

    private static List<Era> eras(TestLog log, String ruleId) {
        return RuleBook.fromBytes(log.store().get(Keys.RULE_BOOK)).of(ruleId).eras();
    }

    // ---- one version a request

    @Test
    void a_request_is_decided_under_the_version_that_its_tenant_is_under_and_names_it() {
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, daily(10)));

        Decision inside = log.admit(ATLAS);
        Decision outside = log.admit(BIRCH);

        assertThat(inside.policyVersion()).isEqualTo(2);
        assertThat(inside.limit()).hasValue(10);
        assertThat(outside.policyVersion()).isEqualTo(1);
        assertThat(outside.limit()).hasValue(5);
        assertThat(log.shard().view().policyVersion()).isEqualTo(1);
        assertThat(log.shard().view().rolledOutVersion()).isEqualTo(2);
    }

    @Test
    void both_versions_survive_a_restart() {
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, daily(10)));

        log.restart();

        assertThat(log.peek(ATLAS).policyVersion()).isEqualTo(2);
        assertThat(log.peek(BIRCH).policyVersion()).isEqualTo(1);
    }

    @Test
    void rules_routes_costs_plans_and_bounds_are_those_of_the_one_version() {
        Rule byPlan = TestRules.byPlan(
                Map.of("gold", new FixedWindowLimit(50, DAY)), TestRules.costing(new Cost.Fixed(2), daily(10)));
        Policy next = new Policy(
                "test",
                2,
                TestRules.ROUTES,
                List.of(byPlan, TestRules.rule("new", Scope.USER, new FixedWindowLimit(60, DAY))),
                TestRules.PLANS,
                new Idempotency(1_000, 1),
                1);
        log.plans(TenantPlan.on("atlas", "gold"), TenantPlan.on("birch", "gold"));
        log.policy(
                TestRules.activated(new Activation(OptionalLong.empty(), TestRules.tenants("atlas", "cedar")), next));

        Decision inside = log.admit(ATLAS, "once");
        Decision outside = log.admit(BIRCH, "once");

        assertThat(inside.limit()).hasValue(50);
        assertThat(inside.remaining()).hasValue(48);
        assertThat(outside.limit()).hasValue(5);
        assertThat(outside.remaining()).hasValue(4);
        assertThat(log.admit(ATLAS, "twice").verdict()).isEqualTo(Verdict.ERROR);
        assertThat(log.admit(BIRCH, "twice").verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.send(CEDAR.admit()).overflowed()).isEqualTo(1);
        assertThat(log.send(Caller.tenant("dune").admit()).overflowed()).isZero();
    }

    @Test
    void addresses_and_login_names_are_in_no_rollout_by_tenants() {
        Rule address = TestRules.rule("address", Stage.IP, Scope.IP, new FixedWindowLimit(5, DAY));
        TestLog ip = TestLog.under(address);
        ip.policy(TestRules.policyFor(
                percent(9_999), 2, TestRules.rule("address", Stage.IP, Scope.IP, new FixedWindowLimit(9, DAY))));

        Caller known = new Caller(
                Stage.IP, new Identity("atlas", "", "", "10.0.0.2", ""), false, "GET /catalog", Map.of(), Map.of());

        Decision decision = ip.admit(Caller.address("10.0.0.1"));

        assertThat(Rollout.placeOf("atlas")).isLessThan(9_999);
        assertThat(ip.admit(known).policyVersion()).isEqualTo(1);
        assertThat(decision.policyVersion()).isEqualTo(1);
        assertThat(decision.limit()).hasValue(5);
    }

    @Test
    void undecided_answers_name_the_version_that_would_have_decided() {
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, daily(10)));

        List<Decision> decisions = log.at(100)
                .send(ATLAS.admitBefore(50), BIRCH.admitBefore(50), new Command.Malformed("noise"))
                .decisions();

        assertThat(decisions).extracting(Decision::policyVersion).containsExactly(2L, 1L, 1L);
    }

    @Test
    void a_share_of_tenants_is_always_the_same_and_a_larger_one_has_all_of_a_smaller() {
        int last = 0;
        for (int version = 2; version <= 5; version++) {
            log.policy(TestRules.policyFor(percent(2_500 * (version - 1) - 1), version, daily(10)));
            int inside = 0;
            for (int i = 0; i < 400; i++) {
                boolean in = log.peek(Caller.tenant("tenant-" + i)).policyVersion() == version;
                assertThat(in).isEqualTo(Rollout.placeOf("tenant-" + i) < 2_500 * (version - 1) - 1);
                inside += in ? 1 : 0;
            }
            assertThat(inside).isGreaterThan(last);
            last = inside;
        }
    }

    // ---- what was spent

    @Test
    void what_is_spent_survives_a_rollout_from_beginning_to_end() {
        log.admit(ATLAS.cost(3));
        log.admit(BIRCH.cost(3));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, daily(10)));
        long atlasUnderTen = left(log, ATLAS);
        long birchUnderFive = left(log, BIRCH);
        log.admit(ATLAS.cost(2));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas", "birch"), 3, daily(200)));
        long birchUnderMore = left(log, BIRCH);
        log.policy(TestRules.policy(4, daily(200)));

        assertThat(atlasUnderTen).isEqualTo(7);
        assertThat(birchUnderFive).isEqualTo(2);
        assertThat(birchUnderMore).isEqualTo(197);
        assertThat(left(log, ATLAS)).isEqualTo(195);
        assertThat(left(log, BIRCH)).isEqualTo(197);
        assertThat(left(log, CEDAR)).isEqualTo(200);
    }

    @Test
    void a_rollout_that_is_taken_back_leaves_what_was_spent() {
        log.admit(ATLAS.cost(3));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, daily(10)));
        log.admit(ATLAS.cost(1));

        log.policy(TestRules.policy(3, daily(5)));

        assertThat(left(log, ATLAS)).isEqualTo(1);
        assertThat(log.shard().view().rolledOutVersion()).isZero();
        assertThat(log.entries(0x08)).isEmpty();
    }

    @Test
    void a_tenant_that_moves_in_and_out_between_two_touches_earns_under_each_version_for_as_long_as_it_was_under_it() {
        TestLog bucket = TestLog.under(bucket(100, 1));
        bucket.admit(ATLAS.cost(100));
        bucket.admit(BIRCH.cost(100));
        bucket.at(1_000).policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, bucket(100, 10)));
        bucket.at(2_000).policy(TestRules.policyFor(TestRules.tenants("birch"), 3, bucket(100, 5)));
        bucket.at(3_000).policy(TestRules.policyFor(TestRules.tenants("atlas"), 4, bucket(100, 20)));
        bucket.at(4_000).policy(TestRules.policy(5, bucket(100, 1)));

        bucket.at(5_000);

        assertThat(left(bucket, ATLAS)).isEqualTo(1 + 10 + 1 + 20 + 1);
        assertThat(left(bucket, BIRCH)).isEqualTo(1 + 1 + 5 + 1 + 1);
    }

    @Test
    void the_wish_to_begin_afresh_is_for_those_that_the_version_is_for() {
        log.admit(ATLAS.cost(3));
        log.admit(BIRCH.cost(3));

        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, TestRules.resetting(daily(5))));

        assertThat(left(log, ATLAS)).isEqualTo(5);
        assertThat(left(log, BIRCH)).isEqualTo(2);
    }

    @Test
    void a_wish_that_every_counter_has_seen_is_forgotten_by_the_sweep() {
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, TestRules.resetting(daily(5))));
        log.admit(ATLAS.cost(3));

        log.tick();
        log.tick();

        assertThat(eras(log, "daily")).hasSize(1);
        assertThat(left(log, ATLAS)).isEqualTo(2);
    }

    @Test
    void who_comes_back_to_the_version_for_everybody_does_not_begin_afresh_though_it_said_so_when_it_was_published() {
        log.policy(TestRules.policy(2, TestRules.resetting(daily(5))));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 3, daily(10)));
        log.admit(ATLAS.cost(4));

        log.policy(TestRules.policyFor(TestRules.tenants("birch"), 4, daily(10)));

        assertThat(left(log, ATLAS)).isEqualTo(1);
    }

    @Test
    void another_algorithm_for_some_begins_afresh_for_them_alone_and_again_when_they_come_back() {
        log.admit(ATLAS.cost(3));
        log.admit(BIRCH.cost(3));
        Rule paced = TestRules.rule("daily", Scope.TENANT, new GcraLimit(20, 1, 1_000));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, TestRules.resetting(paced)));
        long paceLeft = left(log, ATLAS);
        log.admit(ATLAS.cost(15));
        log.policy(TestRules.policyFor(TestRules.tenants("cedar"), 3, daily(5)));

        assertThat(paceLeft).isEqualTo(20);
        assertThat(left(log, ATLAS)).isEqualTo(5);
        assertThat(left(log, BIRCH)).isEqualTo(2);
    }

    @Test
    void a_rule_that_is_gone_for_some_and_comes_back_has_what_they_spent() {
        log.admit(ATLAS.cost(3));
        log.policy(TestRules.policyFor(
                TestRules.tenants("atlas"), 2, TestRules.rule("other", Scope.TENANT, new FixedWindowLimit(9, DAY))));
        Decision without = log.admit(ATLAS);
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 3, daily(10)));

        assertThat(without.limit()).hasValue(9);
        assertThat(left(log, ATLAS)).isEqualTo(7);
        assertThat(left(log, BIRCH)).isEqualTo(5);
    }

    @Test
    void a_rule_that_only_some_have_had_is_carried_on_when_everybody_has_it() {
        Rule extra = TestRules.rule("extra", Scope.TENANT, new FixedWindowLimit(4, DAY));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, daily(5), extra));
        log.admit(ATLAS.cost(2));
        log.policy(TestRules.policyFor(TestRules.tenants("birch"), 3, daily(5), extra));
        Decision gone = log.peek(ATLAS);
        log.policy(TestRules.policy(4, daily(5), extra));

        assertThat(gone.limit()).hasValue(5);
        assertThat(left(log, ATLAS)).isEqualTo(2);
        assertThat(log.admit(CEDAR.cost(4)).remaining()).hasValue(0);
    }

    @Test
    void plans_and_overrides_that_change_within_a_rollout_take_their_turns_with_it() {
        Limit ten = new TokenBucketLimit(100, 10, 1_000);
        TestLog bucket = TestLog.under(TestRules.byPlan(Map.of("gold", ten), bucket(100, 1)));
        bucket.admit(ATLAS.cost(100));
        bucket.at(1_000).plans(TenantPlan.on("atlas", "gold"));
        bucket.at(2_000).policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, bucket(100, 2)));
        bucket.at(3_000)
                .act("raise", ATLAS, new Action.LimitOverride("daily", new TokenBucketLimit(100, 20, 1_000), 4_000));
        bucket.at(5_000).policy(TestRules.policy(3, TestRules.byPlan(Map.of("gold", ten), bucket(100, 1))));

        bucket.at(6_000);

        assertThat(left(bucket, ATLAS)).isEqualTo(1 + 10 + 2 + 20 + 2 + 10);
    }

    @Test
    void full_counters_that_the_sweep_drops_within_a_rollout_are_full() {
        TestLog bucket = TestLog.under(bucket(10, 1));
        bucket.admit(ATLAS.cost(5));
        bucket.admit(BIRCH.cost(10));
        bucket.at(1_000).policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, bucket(20, 2)));

        for (int tick = 0; tick < 3; tick++) {
            bucket.at(6_000).tick();
        }

        assertThat(bucket.entries(Keys.BUCKET)).hasSize(1);
        assertThat(left(bucket, ATLAS)).isEqualTo(20);
        assertThat(left(bucket, BIRCH)).isEqualTo(6);
        assertThat(eras(bucket, "daily")).hasSize(2);
    }

    @Test
    void a_round_of_the_sweep_leaves_one_era_when_a_rollout_is_over() {
        log.admit(ATLAS.cost(3));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, daily(10)));
        log.policy(TestRules.policyFor(TestRules.tenants("birch"), 3, daily(20)));
        log.policy(TestRules.policyFor(percent(5_000), 4, daily(30)));
        log.policy(TestRules.policy(5, daily(5)));
        int before = eras(log, "daily").size();

        log.tick();
        log.tick();

        assertThat(before).isGreaterThan(4);
        assertThat(eras(log, "daily")).hasSize(1);
        assertThat(left(log, ATLAS)).isEqualTo(2);
    }

    @Test
    void a_round_of_the_sweep_leaves_one_era_a_version_when_a_rollout_has_become_narrower() {
        log.admit(ATLAS.cost(3));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas", "birch"), 2, daily(10)));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 3, daily(20)));

        log.tick();
        log.tick();

        assertThat(eras(log, "daily"))
                .extracting(Era::limit)
                .containsExactly(daily(5).limit(), daily(20).limit());
        assertThat(left(log, ATLAS)).isEqualTo(17);
        assertThat(left(log, BIRCH)).isEqualTo(5);
    }

    @Test
    void a_rule_that_a_rollout_does_not_change_has_one_era_all_along() {
        Rule other = TestRules.rule("other", Scope.USER, new FixedWindowLimit(7, DAY));
        TestLog two = TestLog.under(daily(5), other);
        two.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, daily(10), other));
        two.policy(TestRules.policyFor(TestRules.tenants("birch"), 3, daily(20), other));
        two.policy(TestRules.policy(4, daily(5), other));

        assertThat(eras(two, "other")).hasSize(1);
    }

    @Test
    void a_limit_changes_as_often_as_may_be_within_one_round_and_once_more_is_refused() {
        for (int version = 2; version <= RuleHistory.MAX_ERAS; version++) {
            log.policy(TestRules.policyFor(TestRules.tenants("atlas"), version, daily(version)));
        }

        Folded oneMore = log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 5_000, daily(5_000)));

        assertThat(eras(log, "daily")).hasSize(RuleHistory.MAX_ERAS);
        assertThat(oneMore.problems()).singleElement().asString().contains("wait a minute and publish again");
        assertThat(log.shard().view().rolledOutVersion()).isEqualTo(RuleHistory.MAX_ERAS);
        assertThat(log.admit(ATLAS).limit()).hasValue(RuleHistory.MAX_ERAS);
    }

    @Test
    void as_many_tenants_are_named_within_one_round_as_may_be_and_more_are_refused() {
        TreeSet<String> names = new TreeSet<>();
        for (int i = 0; i < RuleBook.MAX_NAMES; i++) {
            names.add("tenant-" + i);
        }
        Folded asMany = log.policy(TestRules.policyFor(new Rollout.Tenants(names, 0), 2, daily(10)));
        Folded sameAgain = log.policy(TestRules.policyFor(new Rollout.Tenants(names, 0), 3, daily(11)));
        Folded more = log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 4, daily(10)));

        assertThat(sameAgain.problems()).isEmpty();
        assertThat(asMany.problems()).isEmpty();
        assertThat(more.problems()).singleElement().asString().contains("name 20001 tenants, above 20000");
        assertThat(log.shard().view().rolledOutVersion()).isEqualTo(3);
    }

    // ---- by routes

    @Test
    void by_routes_a_request_is_decided_by_the_version_of_its_route() {
        Rule export = onRoutes(TestRules.rule("export", Scope.TENANT, new FixedWindowLimit(5, DAY)), "export");
        Rule wider = onRoutes(TestRules.rule("export", Scope.TENANT, new FixedWindowLimit(10, DAY)), "export");
        TestLog routes = TestLog.under(daily(50), export);
        routes.admit(ATLAS.route("POST /export").cost(3));
        routes.policy(TestRules.policyFor(TestRules.routes("export"), 2, daily(50), wider));

        Decision inside = routes.peek(ATLAS.route("POST /export"));
        Decision outside = routes.peek(ATLAS);

        assertThat(inside.policyVersion()).isEqualTo(2);
        assertThat(inside.limit()).hasValue(10);
        assertThat(inside.remaining()).hasValue(7);
        assertThat(outside.policyVersion()).isEqualTo(1);
        assertThat(outside.remaining()).hasValue(47);
        routes.policy(TestRules.policy(3, daily(50), export));
        assertThat(left(routes, ATLAS.route("POST /export"))).isEqualTo(2);
    }

    @Test
    void by_routes_addresses_are_in_it_too() {
        Rule address = onRoutes(TestRules.rule("address", Stage.IP, Scope.IP, new FixedWindowLimit(5, DAY)), "export");
        Rule wider = onRoutes(TestRules.rule("address", Stage.IP, Scope.IP, new FixedWindowLimit(9, DAY)), "export");
        TestLog ip = TestLog.under(address);
        ip.policy(TestRules.policyFor(TestRules.routes("export"), 2, wider));

        assertThat(ip.admit(Caller.address("10.0.0.1").route("POST /export")).limit())
                .hasValue(9);
    }

    @Test
    void by_routes_then_by_tenants_each_tenant_goes_straight_to_its_version() {
        Rule one = onRoutes(bucket(100, 1), "catalog");
        Rule two = onRoutes(bucket(100, 2), "catalog");
        Rule ten = onRoutes(bucket(100, 10), "catalog");
        TestLog bucket = TestLog.under(one);
        bucket.admit(ATLAS.cost(100));
        bucket.admit(BIRCH.cost(100));
        bucket.at(1_000).policy(TestRules.policyFor(TestRules.routes("catalog"), 2, two));
        bucket.at(2_000).policy(TestRules.policyFor(TestRules.tenants("atlas"), 3, ten));
        bucket.at(3_000).policy(TestRules.policyFor(TestRules.routes("catalog"), 4, two));

        bucket.at(4_000);

        assertThat(left(bucket, ATLAS)).isEqualTo(1 + 2 + 10 + 2);
        assertThat(left(bucket, BIRCH)).isEqualTo(1 + 2 + 1 + 2);
    }

    @Test
    void a_rollout_by_routes_that_would_put_a_counter_under_two_limits_is_refused() {
        Folded folded = log.policy(TestRules.policyFor(TestRules.routes("export"), 2, daily(10)));

        assertThat(folded.problems())
                .singleElement()
                .asString()
                .contains("spec.rules[0]")
                .contains("a counter can be under one limit only");
        assertThat(log.peek(ATLAS.route("POST /export")).policyVersion()).isEqualTo(1);
    }

    @Test
    void a_rollout_with_nothing_before_it_is_refused() {
        TestLog empty = new TestLog();
        empty.settings(TestLog.ONE_SHARD);
        empty.caughtUp();

        Folded folded = empty.policy(TestRules.policyFor(TestRules.tenants("atlas"), 1, daily(5)));

        assertThat(folded.problems()).singleElement().asString().contains("spec.rollout");
        assertThat(empty.admit(ATLAS).verdict()).isEqualTo(Verdict.NOT_READY);
    }

    // ---- the overflow bucket

    @Test
    void the_overflow_bucket_goes_by_the_version_for_everybody() {
        TestLog capped = TestLog.under(TestLog.ONE_SHARD, TestRules.capped(1, 1, daily(5)));
        capped.admit(CEDAR);
        capped.admit(ATLAS.cost(3));
        capped.policy(TestRules.activated(
                TestRules.policyFor(TestRules.tenants("atlas"), 2).activation(), TestRules.capped(1, 2, daily(10))));

        Decision inside = capped.admit(ATLAS);
        capped.policy(TestRules.capped(1, 3, daily(10)));

        assertThat(inside.policyVersion()).isEqualTo(2);
        assertThat(inside.limit()).hasValue(5);
        assertThat(inside.remaining()).hasValue(1);
        assertThat(left(capped, ATLAS)).isEqualTo(6);
    }

    @Test
    void the_overflow_bucket_of_a_rule_that_only_the_version_rolled_out_has_goes_by_that() {
        Rule extra = TestRules.rule("extra", Scope.TENANT, new FixedWindowLimit(4, DAY));
        Rule more = TestRules.rule("extra", Scope.TENANT, new FixedWindowLimit(40, DAY));
        Rollout both = TestRules.tenants("atlas", "cedar");
        TestLog capped = TestLog.under(TestLog.ONE_SHARD, TestRules.capped(1, 1, daily(500)));
        capped.policy(TestRules.activated(TestRules.policyFor(both, 2).activation(), TestRules.capped(1, 2, extra)));
        capped.admit(CEDAR);
        Decision shared = capped.admit(ATLAS.cost(3));
        capped.policy(TestRules.activated(TestRules.policyFor(both, 3).activation(), TestRules.capped(1, 3, more)));
        long underMore = left(capped, ATLAS);
        capped.policy(TestRules.capped(1, 4, extra));

        assertThat(shared.remaining()).hasValue(1);
        assertThat(underMore).isEqualTo(37);
        assertThat(left(capped, ATLAS)).isEqualTo(1);
    }

    // ---- operators, accounts, the sweep of shadow rules

    @Test
    void an_action_is_about_the_version_that_its_subject_is_under() {
        Rule byUser = TestRules.rule("extra", Scope.USER, new FixedWindowLimit(9, DAY));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, daily(10), byUser));
        log.admit(ATLAS.user("U-1").cost(8));

        Folded inside = log.act("credit", ATLAS.user("U-1"), new Action.Credit("extra", 5));
        Folded outside = log.act("other", BIRCH.user("U-1"), new Action.Credit("extra", 5));
        log.act("daily", ATLAS, new Action.Credit("daily", 2));

        assertThat(inside.problems()).isEmpty();
        assertThat(outside.problems()).singleElement().asString().contains("there is no rule 'extra'");
        Decision explained =
                log.send(ATLAS.user("U-1").admitExplained()).decisions().get(0);
        assertThat(explained.rules())
                .extracting(
                        outcome -> outcome.ruleId() + " " + outcome.remaining().orElseThrow())
                .containsExactlyInAnyOrder("daily 3", "extra 5");
    }

    @Test
    void an_action_on_a_counter_of_a_rollout_by_routes_need_not_name_the_route() {
        Rule user = onRoutes(TestRules.rule("export", Scope.USER, new FixedWindowLimit(9, DAY)), "export");
        Rule whole = onRoutes(TestRules.rule("export", Scope.TENANT, new FixedWindowLimit(9, DAY)), "export");
        TestLog routes = TestLog.under(user);
        routes.policy(TestRules.policyFor(TestRules.routes("export"), 2, TestRules.resetting(whole)));
        routes.admit(ATLAS.route("POST /export").cost(4));

        Folded folded = routes.act("reset", ATLAS.route(""), new Action.Reset("export"));

        assertThat(folded.problems()).isEmpty();
        assertThat(left(routes, ATLAS.route("POST /export"))).isEqualTo(9);
    }

    @Test
    void an_account_tells_of_overrides_that_hold_under_the_version_of_its_tenant() {
        Rule paced = TestRules.rule("daily", Scope.TENANT, new GcraLimit(20, 1, 1_000));
        log.policy(TestRules.policyFor(TestRules.tenants("atlas"), 2, TestRules.resetting(paced)));
        Limit more = new FixedWindowLimit(99, DAY);
        log.act("atlas", ATLAS, new Action.LimitOverride("daily", more, 1_000));
        log.act("birch", BIRCH, new Action.LimitOverride("daily", more, 1_000));

        assertThat(log.shard().account("atlas").overrides()).isEmpty();
        assertThat(log.shard().account("birch").overrides()).isEqualTo(Map.of("daily", more));
    }

    @Test
    void a_rule_is_swept_as_a_shadow_rule_only_if_every_version_that_has_it_says_so() {
        Rule extra = TestRules.rule("extra", Scope.TENANT, new FixedWindowLimit(4, DAY));
        log.policy(TestRules.policyFor(
                TestRules.tenants("atlas"), 2, TestRules.shadow(daily(5)), TestRules.shadow(extra)));

        RuleBook during = RuleBook.fromBytes(log.store().get(Keys.RULE_BOOK));
        log.policy(TestRules.policy(3, TestRules.shadow(daily(5)), extra));
        RuleBook after = RuleBook.fromBytes(log.store().get(Keys.RULE_BOOK));

        assertThat(during.of("daily").shadow()).isFalse();
        assertThat(during.of("extra").shadow()).isTrue();
        assertThat(after.of("daily").shadow()).isTrue();
        assertThat(after.of("extra").shadow()).isFalse();
    }

    @Test
    void a_version_for_some_may_wait_for_its_time() {
        log.policy(TestRules.activated(
                new Activation(OptionalLong.of(1_000), TestRules.tenants("atlas")), TestRules.policy(2, daily(10))));
        long before = log.at(999).peek(ATLAS).policyVersion();

        log.at(1_000);

        assertThat(before).isEqualTo(1);
        assertThat(log.peek(ATLAS).policyVersion()).isEqualTo(2);
        assertThat(log.peek(BIRCH).policyVersion()).isEqualTo(1);
    }
}
