package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Identity;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What operators do: overrides, bans, lifts, resets and credits. */
class ActionsTest {

    private static final long FOR_EVER = Long.MAX_VALUE / 2;
    private static final Caller ATLAS = Caller.tenant("atlas");
    private static final Caller BIRCH = Caller.tenant("birch");
    private static final Rule DAILY = TestRules.rule("daily", Scope.TENANT, daily(10));
    private static final Rule PER_USER = TestRules.rule("user", Scope.USER, daily(5));

    private static Limit daily(long tokens) {
        return new FixedWindowLimit(tokens, 86_400_000);
    }

    private static Action.Effect limit(long tokens, long untilMillis) {
        return new Action.LimitOverride("daily", daily(tokens), untilMillis);
    }

    // ---- overrides

    @Test
    void an_override_holds_for_its_subject_until_its_end_and_at_that_millisecond_no_longer() {
        TestLog log = TestLog.under(DAILY);
        log.act("INC-7", ATLAS, limit(50, 10_000));

        Decision during = log.at(9_999).admit(ATLAS);
        Decision other = log.admit(BIRCH);
        Decision after = log.at(10_000).admit(ATLAS);

        assertThat(during.limit()).hasValue(50);
        assertThat(during.actions()).containsExactly("INC-7");
        assertThat(other.limit()).hasValue(10);
        assertThat(other.actions()).isEmpty();
        assertThat(after.limit()).hasValue(10);
        assertThat(after.remaining()).hasValue(8);
        assertThat(after.actions()).isEmpty();
    }

    @Test
    void a_bucket_earns_under_an_override_up_to_its_end_even_if_nobody_looked_then() {
        TestLog log = TestLog.under(TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(100, 1, 1_000)));
        log.act("INC-7", ATLAS, new Action.LimitOverride("bucket", new TokenBucketLimit(100, 10, 1_000), 5_000));
        log.admit(ATLAS.cost(100));

        Decision decision = log.at(8_000).peek(ATLAS);

        assertThat(decision.remaining()).hasValue(50 + 3);
    }

    @Test
    void of_two_overrides_of_a_rule_the_later_decides_and_the_earlier_again_when_that_has_ended() {
        TestLog log = TestLog.under(DAILY);
        log.act("first", ATLAS, limit(50, 10_000));
        log.act("second", ATLAS, limit(20, 5_000));

        Decision both = log.admit(ATLAS);
        Decision one = log.at(5_000).admit(ATLAS);

        assertThat(both.limit()).hasValue(20);
        assertThat(both.actions()).containsExactly("second");
        assertThat(one.limit()).hasValue(50);
        assertThat(one.actions()).containsExactly("first");
    }

    @Test
    void an_override_by_another_algorithm_has_no_effect_and_hides_none_that_has() {
        TestLog log = TestLog.under(DAILY);
        log.plans(new TenantPlan(
                "atlas",
                TenantPlan.Status.ACTIVE,
                "free",
                false,
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>(Map.of("daily", daily(30)))));

        log.act("odd", ATLAS, new Action.LimitOverride("daily", new SlidingLogLimit(5, 1_000), FOR_EVER));

        Decision decision = log.admit(ATLAS);
        assertThat(decision.limit()).hasValue(30);
        assertThat(decision.actions()).isEmpty();
    }

    @Test
    void an_override_may_lift_a_limit_altogether() {
        TestLog log = TestLog.under(DAILY);
        log.act("INC-7", ATLAS, new Action.LimitOverride("daily", new Unlimited(), 10_000));

        Decision during = log.admit(ATLAS.cost(1_000_000));
        Decision after = log.at(10_000).admit(ATLAS);

        assertThat(during.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(during.actions()).containsExactly("INC-7");
        assertThat(after.remaining()).hasValue(9);
    }

    @Test
    void an_action_of_the_same_id_replaces_even_with_one_that_has_ended() {
        TestLog log = TestLog.under(DAILY);
        log.act("INC-7", ATLAS, limit(50, 10_000));

        log.at(1_000).act("INC-7", ATLAS, limit(40, 10_000));
        Decision replaced = log.peek(ATLAS);
        log.at(2_000).act("INC-7", ATLAS, limit(30, 2_000));
        Decision ended = log.peek(ATLAS);

        assertThat(replaced.limit()).hasValue(40);
        assertThat(ended.limit()).hasValue(10);
        assertThat(log.entries(Keys.ACCOUNT)).hasSize(1);
    }

    @Test
    void what_an_action_of_the_same_id_replaced_does_not_come_back_when_that_ends() {
        TestLog log = TestLog.under(DAILY);
        log.act("INC-7", ATLAS, limit(50, 10_000));
        log.at(1_000).act("INC-7", ATLAS, limit(40, 5_000));

        Decision during = log.at(4_999).peek(ATLAS);
        Decision after = log.at(5_000).peek(ATLAS);

        assertThat(during.limit()).hasValue(40);
        assertThat(during.actions()).containsExactly("INC-7");
        assertThat(after.limit()).hasValue(10);
        assertThat(after.actions()).isEmpty();
    }

    @Test
    void an_override_that_had_ended_when_it_came_leaves_nothing() {
        TestLog log = TestLog.under(DAILY);

        Folded folded = log.at(10_000).act("INC-7", ATLAS, limit(50, 10_000));

        assertThat(folded).isEqualTo(Folded.nothing());
        assertThat(log.entries(Keys.ACCOUNT, Keys.ACCOUNT_DUE)).isEmpty();
    }

    @Test
    void overrides_and_bans_that_came_before_the_first_policy_hold() {
        TestLog log = new TestLog();
        log.settings(TestLog.ONE_SHARD);
        Folded override = log.act("INC-7", ATLAS, limit(50, 10_000));
        Folded ban = log.act("ban-1", BIRCH, new Action.Ban(Scope.TENANT, 10_000));
        Folded reset = log.act("reset-1", ATLAS, new Action.Reset("daily"));
        log.policy(TestRules.policy(1, DAILY));
        log.caughtUp();

        assertThat(override.problems()).isEmpty();
        assertThat(ban.problems()).isEmpty();
        assertThat(reset.problems()).containsExactly("action reset-1 is refused: this shard has no policy yet");
        assertThat(log.admit(ATLAS).limit()).hasValue(50);
        assertThat(log.admit(BIRCH).verdict()).isEqualTo(Verdict.DENY);
    }

    /** Both bring the limit from a minute to an hour; what lies between, for no time at all, is not to matter. */
    @Test
    void the_end_of_an_override_comes_before_a_policy_of_its_millisecond_whoever_looked_in_between() {
        Rule minute = TestRules.rule("window", Scope.TENANT, new SlidingWindowLimit(100, 60_000));
        Rule hour = TestRules.rule("window", Scope.TENANT, new SlidingWindowLimit(100, 3_600_000));
        Action.Effect override = new Action.LimitOverride("window", new SlidingWindowLimit(90, 3_600_000), 3_700_000);
        TestLog looked = TestLog.under(minute);
        TestLog unlooked = TestLog.under(minute);
        for (TestLog log : List.of(looked, unlooked)) {
            log.act("INC-7", ATLAS, override);
            log.at(3_500_000).admit(ATLAS.cost(80));
            log.at(3_700_000);
        }

        looked.peek(ATLAS);
        looked.policy(TestRules.policy(2, hour));
        unlooked.policy(TestRules.policy(2, hour));

        assertThat(unlooked.at(3_800_000).peek(ATLAS).remaining())
                .isEqualTo(looked.at(3_800_000).peek(ATLAS).remaining());
    }

    // ---- bans

    @Test
    void a_ban_denies_until_it_ends_and_says_when_and_why() {
        TestLog log = TestLog.under(DAILY);
        log.at(1_000).act("ban-1", ATLAS, new Action.Ban(Scope.TENANT, 5_000));

        Decision denied = log.at(4_999).admit(ATLAS);
        Decision allowed = log.at(5_000).admit(ATLAS);

        assertThat(denied.verdict()).isEqualTo(Verdict.DENY);
        assertThat(denied.denyingRule()).hasValue("headgate.banned");
        assertThat(denied.scope()).hasValue(Scope.TENANT);
        assertThat(denied.retryAfterMillis()).hasValue(1);
        assertThat(denied.actions()).containsExactly("ban-1");
        assertThat(denied.reason()).isEqualTo("banned by ban-1: because a test says so");
        assertThat(denied.limit()).isEmpty();
        assertThat(allowed.remaining()).hasValue(9);
    }

    @Test
    void a_ban_of_a_user_a_key_or_an_address_leaves_the_rest_of_the_tenant_alone() {
        TestLog log = TestLog.under(DAILY);
        Caller one = ATLAS.user("U-1").apiKey("K-1").ip("10.0.0.9");
        log.act("ban-user", one, new Action.Ban(Scope.USER, FOR_EVER));
        log.act("ban-key", one, new Action.Ban(Scope.API_KEY, FOR_EVER));
        log.act("ban-ip", one, new Action.Ban(Scope.IP, FOR_EVER));

        assertThat(log.admit(ATLAS.user("U-1")).scope()).hasValue(Scope.USER);
        assertThat(log.admit(ATLAS.apiKey("K-1")).scope()).hasValue(Scope.API_KEY);
        assertThat(log.admit(ATLAS.ip("10.0.0.9")).scope()).hasValue(Scope.IP);
        assertThat(log.admit(ATLAS.user("U-2").apiKey("K-2").ip("10.0.0.8")).verdict())
                .isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(BIRCH.user("U-1")).verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void an_address_or_a_login_name_is_banned_in_its_own_stage() {
        TestLog log = TestLog.under(DAILY);
        log.act("ban-ip", Caller.address("10.0.0.9"), new Action.Ban(Scope.IP, FOR_EVER));
        log.act("ban-name", Caller.target("kim"), new Action.Ban(Scope.TARGET, FOR_EVER));

        assertThat(log.admit(Caller.address("10.0.0.9")).verdict()).isEqualTo(Verdict.DENY);
        assertThat(log.admit(Caller.address("10.0.0.8")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(Caller.target("kim")).denyingRule()).hasValue("headgate.banned");
        assertThat(log.admit(ATLAS.ip("10.0.0.9")).verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void of_several_bans_the_one_that_ends_last_is_named() {
        TestLog log = TestLog.under(DAILY);
        log.act("short", ATLAS, new Action.Ban(Scope.TENANT, 5_000));
        log.act("long", ATLAS.user("U-1"), new Action.Ban(Scope.USER, 9_000));

        Decision decision = log.admit(ATLAS.user("U-1"));

        assertThat(decision.actions()).containsExactly("long");
        assertThat(decision.retryAfterMillis()).hasValue(9_000);
    }

    @Test
    void the_wait_after_a_ban_is_not_shorter_than_that_of_a_rule_that_denies_as_well() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(10));
        log.act("ban-1", ATLAS, new Action.Ban(Scope.TENANT, 5_000));

        assertThat(log.admit(ATLAS).retryAfterMillis()).hasValue(86_400_000);
    }

    @Test
    void a_banned_request_debits_nothing() {
        TestLog log = TestLog.under(DAILY);
        log.act("ban-1", ATLAS, new Action.Ban(Scope.TENANT, 5_000));

        log.admit(ATLAS);

        assertThat(log.entries(Keys.BUCKET, Keys.TALLY)).isEmpty();
    }

    @Test
    void a_ban_denies_even_while_the_table_of_a_rules_zone_is_missing() {
        TestLog log = TestLog.under(TestRules.rule(
                "month",
                Scope.TENANT,
                new FixedWindowLimit(10, new Window.Calendar(CalendarUnit.MONTH, "Europe/Zurich"))));
        log.act("ban-1", ATLAS, new Action.Ban(Scope.TENANT, 5_000));

        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.DENY);
        assertThat(log.admit(BIRCH).verdict()).isEqualTo(Verdict.NOT_READY);
    }

    // ---- lifts

    @Test
    void a_lift_ends_an_override_or_a_ban_before_its_time() {
        TestLog log = TestLog.under(DAILY);
        log.act("INC-7", ATLAS, limit(50, FOR_EVER));
        log.act("ban-1", ATLAS, new Action.Ban(Scope.TENANT, FOR_EVER));

        log.act("lift-1", ATLAS, new Action.Lift("ban-1"));
        Decision unbanned = log.peek(ATLAS);
        log.act("lift-2", ATLAS, new Action.Lift("INC-7"));
        Decision usual = log.peek(ATLAS);

        assertThat(unbanned.limit()).hasValue(50);
        assertThat(usual.limit()).hasValue(10);
    }

    @Test
    void a_lift_of_what_is_not_in_force_there_is_refused() {
        TestLog log = TestLog.under(DAILY);
        log.act("INC-7", ATLAS, limit(50, 10_000));

        Folded elsewhere = log.act("lift-1", BIRCH, new Action.Lift("INC-7"));
        Folded ended = log.at(10_000).act("lift-2", ATLAS, new Action.Lift("INC-7"));

        assertThat(elsewhere.problems())
                .containsExactly(
                        "action lift-1 is refused: it lifts 'INC-7', and no action of that id is in force there");
        assertThat(ended.problems()).hasSize(1);
    }

    // ---- resets and credits

    @Test
    void a_reset_forgets_what_one_counter_has_spent() {
        TestLog log = TestLog.under(DAILY, PER_USER);
        log.admit(ATLAS.user("U-1").cost(4));
        log.admit(ATLAS.user("U-2").cost(3));

        Folded folded = log.act("reset-1", ATLAS.user("U-1"), new Action.Reset("user"));

        assertThat(folded).isEqualTo(Folded.nothing());
        assertThat(remaining(log, ATLAS.user("U-1"), "user")).isEqualTo(5);
        assertThat(remaining(log, ATLAS.user("U-2"), "user")).isEqualTo(2);
        assertThat(remaining(log, ATLAS.user("U-1"), "daily")).isEqualTo(3);
        assertThat(Tally.fromBytes(log.store().get(Keys.tally("user").bytes())).keys())
                .isEqualTo(1);
    }

    @Test
    void a_credit_gives_tokens_back_and_never_more_than_were_spent() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(8));

        log.act("credit-1", ATLAS, new Action.Credit("daily", 3));
        long afterThree = log.peek(ATLAS).remaining().orElseThrow();
        log.act("credit-2", ATLAS, new Action.Credit("daily", 1_000_000_000_000L));
        long afterMore = log.peek(ATLAS).remaining().orElseThrow();
        log.act("credit-3", BIRCH, new Action.Credit("daily", 5));

        assertThat(afterThree).isEqualTo(5);
        assertThat(afterMore).isEqualTo(10);
        assertThat(log.buckets("daily")).isEmpty();
        assertThat(log.peek(BIRCH).remaining()).hasValue(10);
    }

    @Test
    void a_credit_counts_for_every_algorithm() {
        Stream.of(
                        new TokenBucketLimit(10, 1, 60_000),
                        new GcraLimit(10, 1, 60_000),
                        daily(10),
                        new SlidingWindowLimit(10, 60_000),
                        new SlidingLogLimit(10, 60_000))
                .forEach(limit -> {
                    TestLog log = TestLog.under(TestRules.rule("one", Scope.TENANT, limit));
                    log.at(1_000).admit(ATLAS.cost(7));
                    log.act("credit-1", ATLAS, new Action.Credit("one", 4));

                    assertThat(log.peek(ATLAS).remaining()).as("%s", limit).hasValue(7);
                });
    }

    @Test
    void a_credit_makes_room_for_a_key_at_the_cap() {
        TestLog log = TestLog.under(TestLog.ONE_SHARD, TestRules.capped(1, 1, DAILY));
        log.admit(ATLAS.cost(8));

        Folded shared = log.send(BIRCH.admit());
        log.act("credit-1", ATLAS, new Action.Credit("daily", 8));
        Folded own = log.send(BIRCH.admit());

        assertThat(shared.overflowed()).isEqualTo(1);
        assertThat(own.overflowed()).isZero();
        assertThat(own.decisions().get(0).remaining()).hasValue(9);
    }

    @Test
    void a_credit_or_a_reset_names_a_rule_and_the_whole_of_a_key() {
        Rule address = TestRules.rule("address", Stage.IP, Scope.IP, daily(5));
        TestLog log = TestLog.under(DAILY, PER_USER, address);

        assertThat(log.act("c-1", ATLAS, new Action.Credit("nightly", 1)).problems())
                .containsExactly("action c-1 is refused: there is no rule 'nightly' in stage 'tenant'");
        assertThat(log.act("c-2", ATLAS, new Action.Credit("address", 1)).problems())
                .containsExactly("action c-2 is refused: there is no rule 'address' in stage 'tenant'");
        assertThat(log.act("r-1", ATLAS, new Action.Reset("user")).problems())
                .containsExactly("action r-1 is refused: rule user counts by user, which is not named in full");
        assertThat(log.act("r-2", Caller.address("10.0.0.9"), new Action.Reset("address"))
                        .problems())
                .isEmpty();
    }

    @Test
    void a_credit_waits_for_no_table() {
        Rule month = TestRules.rule(
                "daily", Scope.TENANT, new FixedWindowLimit(10, new Window.Calendar(CalendarUnit.MONTH, "Nowhere/X")));
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(8));
        log.policy(TestRules.policy(2, month));

        Folded folded = log.act("credit-1", ATLAS, new Action.Credit("daily", 3));
        log.policy(TestRules.policy(3, DAILY));

        assertThat(folded).isEqualTo(Folded.nothing());
        assertThat(log.peek(ATLAS).remaining()).hasValue(5);
    }

    private static long remaining(TestLog log, Caller caller, String ruleId) {
        return log.peek(caller).rules().stream()
                .filter(rule -> rule.ruleId().equals(ruleId))
                .findFirst()
                .orElseThrow()
                .remaining()
                .orElseThrow();
    }

    // ---- bounds, chains and bad input

    @Test
    void two_hundred_actions_are_in_force_at_once_and_no_more() {
        TestLog log = TestLog.under(DAILY);
        Folded last = Folded.nothing();
        for (int i = 0; i < AccountEntry.MAX_ACTIONS; i++) {
            last = log.act("act-" + i, ATLAS, limit(100 + i, 10_000));
        }

        Folded oneMore = log.act("act-200", ATLAS, limit(7, 20_000));
        Folded replacing = log.act("act-0", ATLAS, limit(500, 20_000));
        Decision decision = log.peek(ATLAS);
        Folded elsewhere = log.act("act-0", BIRCH, limit(7, 20_000));
        Folded later = log.at(10_000).act("act-200", ATLAS, limit(7, 20_000));

        assertThat(last.problems()).isEmpty();
        assertThat(oneMore.problems())
                .containsExactly(
                        "action act-200 is refused: 200 overrides and bans are in force there, as many as may be");
        assertThat(replacing.problems()).isEmpty();
        assertThat(elsewhere.problems()).isEmpty();
        assertThat(later.problems()).isEmpty();
        assertThat(decision.limit()).hasValue(500);
        assertThat(decision.actions()).containsExactly("act-0");
        assertThat(log.peek(ATLAS).limit()).hasValue(7);
    }

    @Test
    void actions_that_have_ended_are_swept_away() {
        TestLog log = TestLog.under(DAILY);
        log.act("INC-7", ATLAS, limit(50, 1_000));
        log.act("ban-1", BIRCH, new Action.Ban(Scope.TENANT, 1_000));

        log.at(999).tick();
        int before = log.entries(Keys.ACCOUNT).size();
        for (int second = 1; second < 5; second++) {
            log.at(second * 1_000L).tick();
        }

        assertThat(before).isEqualTo(2);
        assertThat(log.entries(Keys.ACCOUNT, Keys.ACCOUNT_DUE)).isEmpty();
    }

    @Test
    void an_action_for_another_shard_is_refused() {
        TestLog log = TestLog.under(ShardSettings.initial(2, "test-key"), TestRules.policy(1, DAILY));
        String theirs = Stream.of("atlas", "birch", "cedar", "dune")
                .filter(one -> Partitioning.shardOf(one, 2) == 1)
                .findFirst()
                .orElseThrow();

        Folded folded = log.act("ban-1", Caller.tenant(theirs), new Action.Ban(Scope.TENANT, 5_000));

        assertThat(folded.problems())
                .containsExactly("action ban-1 is refused: it belongs to shard 1 of 2, not to shard 0");
        assertThat(log.entries(Keys.ACCOUNT)).isEmpty();
    }

    @Test
    void an_action_that_comes_twice_is_carried_out_once() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(9));
        Action credit = new Action("credit-1", "ops", "why", ATLAS.subject(), new Action.Credit("daily", 2));
        Control control = new Control.ApplyAction(4, -1, credit);

        log.control(control);
        log.control(control);
        log.control(new Control.ApplyAction(3, -1, credit));

        assertThat(log.peek(ATLAS).remaining()).hasValue(3);
        assertThat(log.shard().view().actionSource()).isEqualTo(4);
    }

    @Test
    void an_action_says_what_is_wrong_with_it() {
        Subject tenant = ATLAS.subject();
        Subject address = new Subject(Stage.IP, new Identity("atlas", "U-1", "", "10.0.0.9", ""), "", Map.of());
        Action.Effect ban = new Action.Ban(Scope.TENANT, 1);

        assertThatThrownBy(() -> new Action("a b", "ops", "why", tenant, ban)).hasMessageContaining("id is 'a b'");
        assertThatThrownBy(() -> new Action("a", " ", "why", tenant, ban)).hasMessageContaining("author has 1");
        assertThatThrownBy(() -> new Action("a", "ops", "x".repeat(257), tenant, ban))
                .hasMessage("reason has 257 characters; it must have 1 to 256");
        assertThatThrownBy(() -> new Action("a", "ops", "why", tenant, new Action.Ban(Scope.USER, 1)))
                .hasMessage("user is missing; it is what is to be banned");
        assertThatThrownBy(() -> new Action("a", "ops", "why", tenant, new Action.Ban(Scope.ROUTE, 1)))
                .hasMessage("scope is 'route'; in stage 'tenant' nothing can be banned by it");
        assertThatThrownBy(() -> new Action("a", "ops", "why", address, new Action.Ban(Scope.USER, 1)))
                .hasMessage("scope is 'user'; in stage 'ip' nothing can be banned by it");
        assertThatThrownBy(() -> new Action.Ban(Scope.TENANT, 0)).hasMessageContaining("untilMillis is 0");
        assertThatThrownBy(() -> new Action.Credit("daily", 0)).hasMessageContaining("tokens is 0");
        assertThatThrownBy(() -> new Action.Reset("")).hasMessageContaining("ruleId is ''");
        assertThatThrownBy(() -> new Action.Lift("no good")).hasMessageContaining("actionId is 'no good'");
        assertThatThrownBy(() -> new Subject(Stage.TENANT, new Identity("", "", "", "", ""), "", Map.of()))
                .hasMessageContaining("tenant is missing");
    }
}
