package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** When a version takes effect. */
class ActivationTest {

    private static final Caller ATLAS = Caller.tenant("atlas");
    private static final long DAY = 86_400_000;

    private final TestLog log = TestLog.under(daily(5));

    private static Rule daily(long tokens) {
        return TestRules.rule("daily", Scope.TENANT, new FixedWindowLimit(tokens, DAY));
    }

    private static Rule refilled(long perSecond) {
        return TestRules.rule("rate", Scope.TENANT, new TokenBucketLimit(100, perSecond, 1_000));
    }

    private void assertVersions(long policy, long rolledOut, long pending) {
        ShardView view = log.shard().view();
        assertThat(new long[] {view.policyVersion(), view.rolledOutVersion(), view.pendingVersion()})
                .containsExactly(policy, rolledOut, pending);
    }

    @Test
    void a_version_without_a_time_is_in_force_from_where_its_record_stands() {
        Decision before = log.admit(ATLAS.cost(3));
        log.policy(TestRules.policy(2, daily(10)));

        Decision after = log.peek(ATLAS);

        assertThat(before.policyVersion()).isEqualTo(1);
        assertThat(after.policyVersion()).isEqualTo(2);
        assertThat(after.remaining()).hasValue(7);
    }

    @Test
    void what_is_spent_survives_every_change_of_the_limit() {
        log.admit(ATLAS.cost(3));
        log.policy(TestRules.policy(2, daily(10)));
        long underTen = log.peek(ATLAS).remaining().orElseThrow();
        log.admit(ATLAS.cost(2));
        log.policy(TestRules.policy(3, daily(200)));

        assertThat(underTen).isEqualTo(7);
        assertThat(log.peek(ATLAS).remaining()).hasValue(195);
    }

    @Test
    void what_is_spent_survives_versions_that_wait_for_their_time_too() {
        log.admit(ATLAS.cost(3));
        log.policy(TestRules.policyFrom(1_000, 2, daily(10)));
        log.policy(TestRules.policyFrom(2_000, 3, daily(200)));
        long underTen = log.at(1_000).peek(ATLAS).remaining().orElseThrow();
        log.admit(ATLAS.cost(2));

        assertThat(underTen).isEqualTo(7);
        assertThat(log.at(2_000).peek(ATLAS).remaining()).hasValue(195);
    }

    @Test
    void a_version_with_a_time_decides_the_first_record_that_reaches_it_and_none_before() {
        log.policy(TestRules.policyFrom(1_000, 2, daily(10)));
        assertVersions(1, 0, 2);

        Decision before = log.at(999).admit(ATLAS);
        Decision reaching = log.at(1_000).admit(ATLAS);

        assertThat(before.policyVersion()).isEqualTo(1);
        assertThat(reaching.policyVersion()).isEqualTo(2);
        assertThat(reaching.limit()).hasValue(10);
        assertThat(reaching.remaining()).hasValue(8);
        assertVersions(2, 0, 0);
    }

    @Test
    void a_time_that_is_past_already_is_now() {
        log.at(500).policy(TestRules.policyFrom(500, 2, daily(10)));

        assertVersions(2, 0, 0);
    }

    @Test
    void any_record_brings_a_version_into_force_whose_time_it_reaches() {
        log.policy(TestRules.policyFrom(1_000, 2, daily(10)));

        Folded folded = log.at(1_000).append(new LogRecord.Unreadable("noise"));

        assertThat(folded.problems()).containsExactly("noise");
        assertVersions(2, 0, 0);
    }

    @Test
    void a_limit_that_waits_earns_nothing_before_its_first_record() {
        TestLog bucket = TestLog.under(refilled(1));
        bucket.admit(ATLAS.cost(100));
        bucket.policy(TestRules.policyFrom(5_000, 2, refilled(10)));

        bucket.at(8_000).tick();
        Decision later = bucket.at(9_000).peek(ATLAS);

        assertThat(later.remaining()).hasValue(8 + 10);
    }

    @Test
    void versions_that_wait_survive_a_restart() {
        log.policy(TestRules.policyFrom(1_000, 2, daily(10)));
        log.policy(TestRules.policyFrom(2_000, 3, daily(20)));

        log.restart();

        assertVersions(1, 0, 3);
        assertThat(log.at(1_500).peek(ATLAS).policyVersion()).isEqualTo(2);
        log.restart();
        assertVersions(2, 0, 3);
        assertThat(log.at(2_500).peek(ATLAS).policyVersion()).isEqualTo(3);
        assertThat(log.entries(Keys.PENDING_POLICY)).isEmpty();
    }

    @Test
    void a_version_at_once_drops_every_version_that_waits() {
        log.policy(TestRules.policyFrom(1_000, 2, daily(10)));
        log.policy(TestRules.policyFrom(2_000, 3, daily(20)));

        log.policy(TestRules.policy(4, daily(30)));

        assertVersions(4, 0, 0);
        assertThat(log.entries(Keys.PENDING_POLICY)).isEmpty();
        assertThat(log.at(3_000).peek(ATLAS).policyVersion()).isEqualTo(4);
    }

    @Test
    void a_version_drops_those_whose_time_is_not_before_its_own() {
        log.policy(TestRules.policyFrom(1_000, 2, daily(10)));
        log.policy(TestRules.policyFrom(2_000, 3, daily(20)));
        log.policy(TestRules.policyFrom(3_000, 4, daily(30)));

        log.policy(TestRules.policyFrom(2_000, 5, daily(40)));

        assertThat(log.entries(Keys.PENDING_POLICY)).hasSize(2);
        assertThat(log.at(1_000).peek(ATLAS).policyVersion()).isEqualTo(2);
        assertThat(log.at(2_000).peek(ATLAS).policyVersion()).isEqualTo(5);
        assertThat(log.at(3_000).peek(ATLAS).policyVersion()).isEqualTo(5);
    }

    @Test
    void a_version_that_takes_effect_drops_none_that_waits_longer() {
        log.policy(TestRules.policyFrom(1_000, 2, daily(10)));
        log.policy(TestRules.policyFrom(2_000, 3, daily(20)));

        log.at(1_000).tick();

        assertVersions(2, 0, 3);
    }

    @Test
    void a_version_is_above_those_that_wait_or_it_is_refused() {
        log.policy(TestRules.policyFrom(1_000, 3, daily(10)));

        Folded folded = log.policy(TestRules.policy(3, daily(20)));

        assertThat(folded.problems())
                .containsExactly("policy version 3 is not above version 3, which waits for its time");
        assertVersions(1, 0, 3);
    }

    @Test
    void of_several_that_fall_due_together_the_last_decides_and_the_wish_of_another_counts() {
        log.admit(ATLAS.cost(3));
        log.policy(TestRules.policyFrom(1_000, 2, TestRules.resetting(daily(4))));
        log.policy(TestRules.policyFrom(2_000, 3, daily(10)));

        Decision decision = log.at(2_000).admit(ATLAS);

        assertThat(decision.policyVersion()).isEqualTo(3);
        assertThat(decision.remaining()).hasValue(9);
    }

    @Test
    void a_version_whose_time_comes_with_the_record_of_another_is_before_that() {
        log.admit(ATLAS.cost(3));
        log.policy(TestRules.policyFrom(1_000, 2, TestRules.resetting(daily(4))));

        log.at(1_000).policy(TestRules.policy(3, daily(10)));

        assertVersions(3, 0, 0);
        assertThat(log.peek(ATLAS).remaining()).hasValue(10);
    }

    /**
     * Of 7 spent in the minute before, half a minute ago 3.5 count still. Through the window of a second, which is the
     * version's without the plan, that becomes 4 spent in this minute; straight into the plan's minute they would fade.
     */
    @Test
    void a_version_whose_time_comes_with_a_plan_is_before_the_plan() {
        Limit minute = new SlidingWindowLimit(10, 60_000);
        Rule before = TestRules.rule("rate", Scope.TENANT, minute);
        Rule after = TestRules.byPlan(
                Map.of("gold", minute), TestRules.rule("rate", Scope.TENANT, new SlidingWindowLimit(10, 1_000)));
        TestLog plans = TestLog.under(before);
        plans.admit(ATLAS.cost(7));
        plans.policy(TestRules.policyFrom(90_000, 2, after));

        plans.at(90_000).plans(TenantPlan.on("atlas", "gold"));

        assertThat(plans.at(119_000).peek(ATLAS).remaining()).hasValue(6);
    }

    @Test
    void as_many_versions_wait_as_may_and_one_more_is_refused() {
        for (int i = 0; i < Succession.MAX_PENDING; i++) {
            Folded folded = log.policy(TestRules.policyFrom(1_000 + i, 2 + i, daily(10 + i)));
            assertThat(folded.problems()).isEmpty();
        }

        Folded oneMore = log.policy(TestRules.policyFrom(9_000, 90, daily(90)));
        Folded inPlaceOfAnother = log.policy(TestRules.policyFrom(1_015, 91, daily(91)));

        assertThat(oneMore.problems())
                .singleElement()
                .asString()
                .contains("16 versions wait for their time, as many as may be");
        assertThat(inPlaceOfAnother.problems()).isEmpty();
        assertVersions(1, 0, 91);
        assertThat(log.at(9_000).peek(ATLAS).policyVersion()).isEqualTo(91);
    }

    @Test
    void
            a_version_that_cannot_take_effect_when_its_time_comes_is_a_problem_of_that_record_which_is_answered_all_the_same() {
        TestLog empty = new TestLog();
        empty.settings(TestLog.ONE_SHARD);
        empty.caughtUp();
        empty.policy(TestRules.activated(
                new Activation(OptionalLong.of(1_000), TestRules.tenants("atlas")), TestRules.policy(1, daily(5))));

        Folded folded = empty.at(1_000).send(ATLAS.admit());

        assertThat(folded.problems())
                .singleElement()
                .asString()
                .startsWith("policy version 1, whose time has come, is refused: ")
                .contains("spec.rollout");
        assertThat(folded.decisions()).extracting(Decision::verdict).containsExactly(Verdict.NOT_READY);
        assertThat(empty.shard().view().policyVersion()).isZero();
        assertThat(empty.shard().view().pendingVersion()).isZero();
    }

    @Test
    void the_first_version_of_all_may_wait() {
        TestLog empty = new TestLog();
        empty.settings(TestLog.ONE_SHARD);
        empty.caughtUp();
        empty.policy(TestRules.policyFrom(1_000, 1, daily(5)));

        Decision before = empty.admit(ATLAS);
        Decision after = empty.at(1_000).admit(ATLAS);

        assertThat(before.verdict()).isEqualTo(Verdict.NOT_READY);
        assertThat(before.policyVersion()).isZero();
        assertThat(after.verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void a_record_that_cannot_be_folded_does_not_undo_a_version_that_came_with_it() {
        log.policy(TestRules.policyFrom(1_000, 2, daily(10)));
        log.admit(ATLAS);
        log.store().put(Keys.tally("daily").bytes(), new byte[0]);
        log.restart();

        log.at(1_000).act("reset", ATLAS, new Action.Reset("daily"));

        assertVersions(2, 0, 0);
        log.restart();
        assertVersions(2, 0, 0);
    }

    @Test
    void a_shadow_rule_is_asked_until_its_time_and_not_from_then_on() {
        Rule shadow = TestRules.shadowUntil(1_000, TestRules.rule("tight", Scope.TENANT, new FixedWindowLimit(0, DAY)));
        TestLog shadowed = TestLog.under(daily(5), shadow);

        Decision before = shadowed.at(999).admit(ATLAS);
        Decision after =
                shadowed.at(1_000).send(ATLAS.admitExplained()).decisions().get(0);

        assertThat(before.shadowDenials()).containsExactly("tight");
        assertThat(after.shadowDenials()).isEmpty();
        assertThat(after.rules())
                .extracting(outcome -> outcome.ruleId() + " " + outcome.said())
                .containsExactlyInAnyOrder("daily PASS", "tight SKIP");
    }

    @Test
    void a_shadow_rule_that_is_over_spends_nothing() {
        Rule shadow =
                TestRules.shadowUntil(1_000, TestRules.rule("wide", Scope.TENANT, new FixedWindowLimit(100, DAY)));
        TestLog shadowed = TestLog.under(daily(5), shadow);
        shadowed.at(1_000).admit(ATLAS);

        assertThat(shadowed.buckets("wide")).isEmpty();
        assertThat(shadowed.buckets("daily")).hasSize(1);
    }
}
