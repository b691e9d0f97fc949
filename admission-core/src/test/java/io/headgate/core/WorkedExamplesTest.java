package io.headgate.core;

import static io.headgate.core.shard.Caller.address;
import static io.headgate.core.shard.Caller.tenant;
import static io.headgate.core.shard.TestRules.costing;
import static io.headgate.core.shard.TestRules.matching;
import static io.headgate.core.shard.TestRules.policy;
import static io.headgate.core.shard.TestRules.resetting;
import static io.headgate.core.shard.TestRules.rule;
import static io.headgate.core.shard.TestRules.shadow;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingWindow;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Caller;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.LogRecord.Attempt;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.TestLog;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What Headgate does, in the examples that its documents use. */
class WorkedExamplesTest {

    /** 20 at once, 2 a second. */
    private static final Limit P_READ = new TokenBucketLimit(20, 2, 1_000);

    private static final Caller ATLAS = tenant("atlas");
    private static final Caller USER = ATLAS.user("U-17");

    // ---- one limit

    @Test
    void a_burst_of_20_passes_and_the_21st_waits_half_a_second() {
        TestLog log = TestLog.under(rule("P-READ", Scope.USER, P_READ));

        List<Decision> burst = repeat(20, log, USER);
        Decision next = log.admit(USER);

        assertThat(burst).allMatch(decision -> decision.verdict() == Verdict.ALLOW);
        assertThat(burst.get(0).remaining()).hasValue(19);
        assertThat(burst.get(19).remaining()).hasValue(0);
        assertThat(next.verdict()).isEqualTo(Verdict.DENY);
        assertThat(next.denyingRule()).hasValue("P-READ");
        assertThat(next.scope()).hasValue(Scope.USER);
        assertThat(next.limit()).hasValue(20);
        assertThat(next.remaining()).hasValue(0);
        assertThat(next.retryAfterMillis()).hasValue(500);
        assertThat(next.resetAfterMillis()).hasValue(10_000);
    }

    @Test
    void a_bucket_earns_2_a_second_and_no_more_than_it_holds() {
        TestLog log = TestLog.under(rule("P-READ", Scope.USER, P_READ));
        repeat(20, log, USER);

        Decision afterFiveSeconds = log.at(5_000).peek(USER);
        Decision afterAnHour = log.at(3_600_000).peek(USER);

        assertThat(afterFiveSeconds.remaining()).hasValue(10);
        assertThat(afterAnHour.remaining()).hasValue(20);
    }

    @Test
    void an_export_of_10_with_3_tokens_left_waits_4_seconds() {
        TestLog log = TestLog.under(costing(new Cost.FromRoute(), rule("P-READ", Scope.USER, P_READ)));
        Caller export = USER.route("POST /export");
        log.admit(USER.cost(17));

        Decision refused = log.admit(export);
        Decision atTheHint = log.at(3_500).admit(export);

        assertThat(refused.verdict()).isEqualTo(Verdict.DENY);
        assertThat(refused.remaining()).hasValue(3);
        assertThat(refused.retryAfterMillis()).hasValue(3_500);
        assertThat(secondsRoundedUp(refused)).isEqualTo(4);
        assertThat(atTheHint.verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void a_fixed_window_of_20_passes_40_around_its_boundary() {
        TestLog log = TestLog.under(rule("P-ANON", Stage.IP, Scope.IP, new FixedWindowLimit(20, 10_000)));
        Caller anonymous = address("10.0.0.97");

        List<Decision> before = repeat(20, log.at(9_900), anonymous);
        Decision refused = log.admit(anonymous);
        List<Decision> after = repeat(20, log.at(10_100), anonymous);

        assertThat(before).allMatch(decision -> decision.verdict() == Verdict.ALLOW);
        assertThat(refused.retryAfterMillis()).hasValue(100);
        assertThat(after).allMatch(decision -> decision.verdict() == Verdict.ALLOW);
    }

    @Test
    void a_sliding_window_estimates_18_and_a_half_then_19_and_a_half() {
        SlidingWindowLimit limit = new SlidingWindowLimit(20, 10_000);
        TestLog log = TestLog.under(rule("sliding", Scope.TENANT, limit));
        log.at(5_000).admit(ATLAS.cost(18));
        log.at(12_500).admit(ATLAS.cost(5));

        Decision admitted = log.admit(ATLAS);
        Decision refused = log.admit(ATLAS);

        assertThat(limit.estimateThousandths(new SlidingWindow(18, 5, 12_500))).isEqualTo(18_500);
        assertThat(admitted.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(limit.estimateThousandths(new SlidingWindow(18, 6, 12_500))).isEqualTo(19_500);
        assertThat(refused.verdict()).isEqualTo(Verdict.DENY);
    }

    @Test
    void unlimited_admits_everything_and_shows_no_limit() {
        TestLog log = TestLog.under(rule("open", Scope.TENANT, new Unlimited()));

        Decision decision = log.admit(ATLAS.cost(1_000_000_000_000L));

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.limit()).isEmpty();
        assertThat(decision.remaining()).isEmpty();
    }

    @Test
    void a_limit_of_0_denies_and_gives_no_hint() {
        TestLog log = TestLog.under(rule("blocked", Scope.TENANT, new FixedWindowLimit(0, 10_000)));

        Decision decision = log.admit(ATLAS);

        assertThat(decision.verdict()).isEqualTo(Verdict.DENY);
        assertThat(decision.limit()).hasValue(0);
        assertThat(decision.retryAfterMillis()).isEmpty();
    }

    @Test
    void without_a_rule_that_matches_everything_is_admitted() {
        TestLog log = TestLog.under(rule("P-READ", Scope.USER, P_READ));

        Decision decision = log.admit(ATLAS);

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.limit()).isEmpty();
    }

    // ---- several limits

    private static final Rule[] TENANT_AND_USER = {
        rule("user", Scope.USER, P_READ), rule("tenant", Scope.TENANT, new FixedWindowLimit(1_000, 60_000))
    };

    @Test
    void a_tenant_that_has_spent_its_limit_is_denied_and_the_user_keeps_12_tokens() {
        TestLog log = TestLog.under(TENANT_AND_USER);
        log.admit(USER.cost(8));
        log.admit(ATLAS.cost(992));

        Decision decision = log.admit(USER);

        assertThat(decision.verdict()).isEqualTo(Verdict.DENY);
        assertThat(decision.scope()).hasValue(Scope.TENANT);
        assertThat(remaining(log, "user")).isEqualTo(12);
    }

    @Test
    void a_user_without_tokens_is_denied_and_the_tenant_keeps_500() {
        TestLog log = TestLog.under(TENANT_AND_USER);
        log.admit(USER.cost(20));
        log.admit(ATLAS.cost(480));

        Decision decision = log.admit(USER);

        assertThat(decision.verdict()).isEqualTo(Verdict.DENY);
        assertThat(decision.scope()).hasValue(Scope.USER);
        assertThat(remaining(log, "tenant")).isEqualTo(500);
    }

    @Test
    void when_both_permit_both_are_debited() {
        TestLog log = TestLog.under(TENANT_AND_USER);
        log.admit(USER.cost(8));
        log.admit(ATLAS.cost(492));

        Decision decision = log.admit(USER);

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(remaining(log, "tenant")).isEqualTo(499);
        assertThat(remaining(log, "user")).isEqualTo(11);
    }

    @Test
    void on_allow_the_rule_with_the_smallest_share_left_is_shown() {
        TestLog log = TestLog.under(TENANT_AND_USER);

        Decision decision = log.admit(USER);

        assertThat(decision.limit()).hasValue(20);
        assertThat(decision.remaining()).hasValue(19);
        assertThat(decision.denyingRule()).isEmpty();
    }

    @Test
    void the_wait_is_the_longest_of_all_that_deny() {
        TestLog log = TestLog.under(TENANT_AND_USER);
        log.admit(USER.cost(20));
        log.admit(ATLAS.cost(980));

        Decision decision = log.at(100).admit(USER);

        assertThat(decision.scope()).hasValue(Scope.TENANT);
        assertThat(decision.retryAfterMillis()).hasValue(59_900);
    }

    @Test
    void there_is_no_hint_when_one_of_those_that_deny_knows_none() {
        TestLog log = TestLog.under(
                rule("tenant", Scope.TENANT, new FixedWindowLimit(1, 10_000)),
                rule("trial", Scope.USER, new TokenBucketLimit(1, 0, 1_000)));
        log.admit(USER);

        Decision decision = log.admit(USER);

        assertThat(decision.denyingRule()).hasValue("tenant");
        assertThat(decision.retryAfterMillis()).isEmpty();
    }

    @Test
    void a_shadow_rule_reports_and_changes_nothing() {
        TestLog log = TestLog.under(
                rule("user", Scope.USER, P_READ),
                shadow(rule("planned", Scope.TENANT, new FixedWindowLimit(1, 10_000))));
        log.admit(USER);

        Decision decision = log.admit(USER);

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.shadowDenials()).containsExactly("planned");
        assertThat(decision.limit()).hasValue(20);
        assertThat(decision.remaining()).hasValue(18);
        assertThat(decision.retryAfterMillis()).isEmpty();
    }

    @Test
    void a_shadow_rule_is_not_debited_by_a_request_that_is_denied() {
        TestLog log = TestLog.under(
                rule("user", Scope.USER, new FixedWindowLimit(1, 10_000)),
                shadow(rule("planned", Scope.TENANT, new FixedWindowLimit(5, 10_000))));
        log.admit(USER);

        Decision denied = log.admit(USER);

        assertThat(denied.verdict()).isEqualTo(Verdict.DENY);
        assertThat(remaining(log, "planned")).isEqualTo(4);
    }

    @Test
    void a_rule_that_needs_a_principal_which_the_request_lacks_does_not_match() {
        TestLog log = TestLog.under(
                rule("user", Scope.USER, new FixedWindowLimit(0, 10_000)),
                rule("key", Scope.API_KEY, new FixedWindowLimit(0, 10_000)),
                rule("address", Scope.IP, new FixedWindowLimit(0, 10_000)),
                rule("route", Scope.ROUTE, new FixedWindowLimit(0, 10_000)));

        Decision decision = log.send(ATLAS.route("GET /unknown").admitExplained())
                .decisions()
                .get(0);

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.rules()).hasSize(4).allMatch(rule -> rule.said() == Said.SKIP);
    }

    @Test
    void a_rule_speaks_only_of_the_requests_that_it_matches() {
        Match match = new Match(Match.Authentication.AUTHENTICATED, Set.of("catalog"), Map.of("plan", "free"));
        TestLog log = TestLog.under(matching(match, rule("free", Scope.TENANT, new FixedWindowLimit(0, 10_000))));
        Caller matched = ATLAS.attribute("plan", "free").attribute("zone", "eu");

        assertThat(log.admit(matched).verdict()).isEqualTo(Verdict.DENY);
        assertThat(log.admit(matched.anonymous()).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(matched.route("POST /export")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(matched.attribute("plan", "paid")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void a_peek_changes_nothing() {
        TestLog log = TestLog.under(rule("P-READ", Scope.USER, P_READ));
        log.admit(USER.cost(15));

        Decision first = log.at(700).peek(USER);
        Decision second = log.at(1_000).peek(USER);
        Decision dear = log.peek(USER.cost(20));

        assertThat(first.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(first.remaining()).hasValue(6);
        assertThat(second.remaining()).hasValue(7);
        assertThat(dear.verdict()).isEqualTo(Verdict.DENY);
        assertThat(dear.retryAfterMillis()).hasValue(6_500);
    }

    // ---- a policy changes

    @Test
    void a_new_policy_keeps_what_was_spent() {
        TestLog log = TestLog.under(rule("daily", Scope.TENANT, new FixedWindowLimit(5, 86_400_000)));
        log.admit(ATLAS.cost(3));

        log.policy(policy(2, rule("daily", Scope.TENANT, new FixedWindowLimit(10, 86_400_000))));
        Decision underTen = log.peek(ATLAS);
        log.admit(ATLAS.cost(2));
        log.policy(policy(3, rule("daily", Scope.TENANT, new FixedWindowLimit(200, 86_400_000))));
        Decision underTwoHundred = log.peek(ATLAS);

        assertThat(underTen.remaining()).hasValue(7);
        assertThat(underTen.policyVersion()).isEqualTo(2);
        assertThat(underTwoHundred.remaining()).hasValue(195);
    }

    @Test
    void a_new_policy_keeps_what_was_spent_of_a_bucket() {
        TestLog log = TestLog.under(rule("bucket", Scope.TENANT, new TokenBucketLimit(5, 1, 86_400_000)));
        log.admit(ATLAS.cost(3));

        log.policy(policy(2, rule("bucket", Scope.TENANT, new TokenBucketLimit(10, 1, 86_400_000))));

        assertThat(log.peek(ATLAS).remaining()).hasValue(7);
    }

    @Test
    void reset_budgets_forgets_what_was_spent() {
        Rule rule = rule("daily", Scope.TENANT, new FixedWindowLimit(5, 86_400_000));
        TestLog log = TestLog.under(rule);
        log.admit(ATLAS.cost(3));

        log.policy(policy(2, resetting(rule)));

        assertThat(log.peek(ATLAS).remaining()).hasValue(5);
    }

    @Test
    void a_policy_with_a_version_that_is_not_above_the_last_is_refused() {
        TestLog log = TestLog.under(rule("daily", Scope.TENANT, new FixedWindowLimit(5, 86_400_000)));

        Folded folded = log.policy(policy(1, rule("daily", Scope.TENANT, new FixedWindowLimit(500, 86_400_000))));

        assertThat(folded.problems()).singleElement().asString().contains("version 1");
        assertThat(log.peek(ATLAS).limit()).hasValue(5);
    }

    // ---- no verdict on the policy

    @Test
    void a_shard_answers_NOT_READY_until_it_knows_settings_and_policy_and_has_caught_up() {
        TestLog log = new TestLog();

        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.NOT_READY);
        log.settings(TestLog.ONE_SHARD);
        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.NOT_READY);
        log.policy(policy(1, rule("daily", Scope.TENANT, new FixedWindowLimit(5, 86_400_000))));
        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.NOT_READY);
        log.caughtUp();
        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.peek(ATLAS).remaining()).hasValue(4);
    }

    @Test
    void a_request_that_reaches_the_log_after_its_deadline_is_EXPIRED_and_debits_nothing() {
        TestLog log = TestLog.under(rule("P-READ", Scope.USER, P_READ)).at(1_001);

        Decision late = log.send(USER.admitBefore(1_000)).decisions().get(0);
        Decision inTime = log.send(USER.admitBefore(1_001)).decisions().get(0);

        assertThat(late.verdict()).isEqualTo(Verdict.EXPIRED);
        assertThat(late.reason()).contains("1 ms");
        assertThat(inTime.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(inTime.remaining()).hasValue(19);
    }

    @Test
    void a_request_in_the_wrong_shard_is_MISROUTED_and_debits_nothing() {
        TestLog log =
                TestLog.under(ShardSettings.initial(12, "test-key"), policy(1, rule("tenant", Scope.TENANT, P_READ)));
        Caller fromShardZero = tenant("21");

        Decision strange = log.admit(ATLAS);
        Decision own = log.admit(fromShardZero);

        assertThat(strange.verdict()).isEqualTo(Verdict.MISROUTED);
        assertThat(strange.reason()).contains("shard 9 of 12");
        assertThat(own.verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void what_is_no_command_is_an_ERROR_and_the_rest_of_its_batch_stands() {
        TestLog log = TestLog.under(rule("P-READ", Scope.USER, P_READ));

        List<Decision> decisions = log.send(
                        USER.admit(), new Command.Malformed("cost is -1; it must be 0 to 1000000000000"), USER.admit())
                .decisions();

        assertThat(decisions)
                .extracting(Decision::verdict)
                .containsExactly(Verdict.ALLOW, Verdict.ERROR, Verdict.ALLOW);
        assertThat(decisions.get(1).reason()).contains("cost is -1");
        assertThat(decisions.get(2).remaining()).hasValue(18);
        assertThat(decisions.get(2).id()).hasToString("0-3-2");
    }

    // ---- sent again

    @Test
    void a_batch_sent_again_gets_its_first_answers_and_debits_nothing() {
        TestLog log = TestLog.under(rule("tenant", Scope.TENANT, new TokenBucketLimit(1, 1, 1_000)));
        Attempt attempt = new Attempt("gateway-1", 7, 0);
        List<Decision> first = log.send(attempt, ATLAS.admit(), ATLAS.admit()).decisions();

        List<Decision> again =
                log.at(5_000).send(attempt, ATLAS.admit(), ATLAS.admit()).decisions();

        assertThat(first).extracting(Decision::verdict).containsExactly(Verdict.ALLOW, Verdict.DENY);
        assertThat(first).noneMatch(Decision::replayed);
        assertThat(again).isEqualTo(first.stream().map(Decision::asReplayed).toList());
        assertThat(log.peek(ATLAS).remaining()).hasValue(1);
    }

    @Test
    void a_batch_sent_again_after_its_answer_is_gone_is_an_ERROR_and_never_decided_twice() {
        TestLog log = TestLog.under(rule("trial", Scope.TENANT, new TokenBucketLimit(5, 0, 1_000)));
        Attempt attempt = new Attempt("gateway-1", 7, 0);
        log.send(attempt, ATLAS.admit());

        Decision remembered =
                log.at(29_999).send(attempt, ATLAS.admit()).decisions().get(0);
        Decision gone = log.at(30_000).send(attempt, ATLAS.admit()).decisions().get(0);

        assertThat(remembered.replayed()).isTrue();
        assertThat(gone.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(log.peek(ATLAS).remaining()).hasValue(4);
    }

    private static List<Decision> repeat(int times, TestLog log, Caller caller) {
        return IntStream.range(0, times).mapToObj(n -> log.admit(caller)).toList();
    }

    private static long secondsRoundedUp(Decision decision) {
        return (decision.retryAfterMillis().orElseThrow() + 999) / 1_000;
    }

    private static long remaining(TestLog log, String ruleId) {
        return log.peek(USER).rules().stream()
                .filter(rule -> rule.ruleId().equals(ruleId))
                .map(RuleOutcome::remaining)
                .findFirst()
                .orElseThrow()
                .getAsLong();
    }
}
