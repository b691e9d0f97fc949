package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.Seeds;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Rules that admit beyond their limit, say so, and say what pace would be within it. */
class SoftTest {

    private static final Caller ATLAS = Caller.tenant("atlas");

    /** 10 at once, one a second; 15 at once are put up with. */
    private static final Rule SOFT =
            TestRules.soft(150, TestRules.rule("soft", Scope.TENANT, new TokenBucketLimit(10, 1, 1_000)));

    @Test
    void beyond_the_limit_it_admits_and_says_so_and_beyond_that_it_denies() {
        TestLog log = TestLog.under(SOFT);

        Decision within = log.admit(ATLAS.cost(10));
        Decision beyond = log.admit(ATLAS.cost(5));
        Decision tooMuch = log.admit(ATLAS);

        assertThat(within.softDenials()).isEmpty();
        assertThat(within.paceAfterMillis()).isEmpty();
        assertThat(beyond.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(beyond.softDenials()).containsExactly("soft");
        assertThat(beyond.remaining()).hasValue(0);
        assertThat(beyond.resetAfterMillis()).hasValue(15_000);
        assertThat(tooMuch.verdict()).isEqualTo(Verdict.DENY);
        assertThat(tooMuch.denyingRule()).hasValue("soft");
        assertThat(tooMuch.limit()).hasValue(10);
        assertThat(tooMuch.softDenials()).isEmpty();
        assertThat(tooMuch.retryAfterMillis()).hasValue(1_000);
    }

    /** 5 are owed beyond the limit, so the next 5 are within it after 10 seconds, and not after 5. */
    @Test
    void the_pace_counts_what_this_request_has_taken() {
        TestLog log = TestLog.under(SOFT);
        log.admit(ATLAS.cost(10));

        Decision beyond = log.admit(ATLAS.cost(5));
        Decision tooSoon = log.at(9_999).peek(ATLAS.cost(5));
        Decision inPace = log.at(10_000).peek(ATLAS.cost(5));

        assertThat(beyond.paceAfterMillis()).hasValue(10_000);
        assertThat(tooSoon.softDenials()).containsExactly("soft");
        assertThat(tooSoon.paceAfterMillis()).hasValue(1);
        assertThat(inPace.softDenials()).isEmpty();
    }

    @Test
    void a_cost_above_the_limit_may_be_put_up_with_but_no_pace_is_within_it() {
        TestLog log = TestLog.under(SOFT);

        Decision decision = log.admit(ATLAS.cost(12));

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.softDenials()).containsExactly("soft");
        assertThat(decision.paceAfterMillis()).isEmpty();
    }

    @Test
    void a_soft_rule_that_is_exceeded_denies_nothing_that_others_admit_and_admits_nothing_that_others_deny() {
        Rule hard = TestRules.rule("hard", Scope.USER, new FixedWindowLimit(12, 60_000));
        TestLog log = TestLog.under(SOFT, hard);
        Caller user = ATLAS.user("U-1");

        log.admit(user.cost(10));
        Decision both = log.admit(user.cost(2));
        Decision denied = log.admit(user);

        assertThat(both.softDenials()).containsExactly("soft");
        assertThat(both.remaining()).hasValue(0);
        assertThat(denied.verdict()).isEqualTo(Verdict.DENY);
        assertThat(denied.denyingRule()).hasValue("hard");
        assertThat(denied.softDenials()).isEmpty();
        assertThat(log.peek(ATLAS.cost(3)).verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void what_each_rule_said_tells_soft_from_pass_and_deny() {
        TestLog log = TestLog.under(SOFT);
        log.admit(ATLAS.cost(9));

        assertThat(log.peek(ATLAS).rules().get(0).said()).isEqualTo(Said.PASS);
        assertThat(log.peek(ATLAS.cost(2)).rules().get(0).said()).isEqualTo(Said.SOFT);
        assertThat(log.peek(ATLAS.cost(7)).rules().get(0).said()).isEqualTo(Said.DENY);
    }

    @Test
    void a_limit_of_0_is_not_softened() {
        TestLog log = TestLog.under(
                TestRules.soft(200, TestRules.rule("none", Scope.TENANT, new FixedWindowLimit(0, 1_000))));

        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.DENY);
    }

    @Test
    void what_was_spent_carries_over_between_soft_shadow_and_enforced() {
        Rule rule = TestRules.rule("soft", Scope.TENANT, new TokenBucketLimit(10, 1, 1_000));
        TestLog log = TestLog.under(SOFT);
        log.admit(ATLAS.cost(14));

        log.policy(TestRules.policy(2, rule));
        Decision enforced = log.admit(ATLAS);
        log.policy(TestRules.policy(3, TestRules.shadow(rule)));
        Decision shadow = log.admit(ATLAS);
        log.policy(TestRules.policy(4, SOFT));
        Decision soft = log.admit(ATLAS);

        assertThat(enforced.verdict()).isEqualTo(Verdict.DENY);
        assertThat(enforced.retryAfterMillis()).hasValue(5_000);
        assertThat(shadow.shadowDenials()).containsExactly("soft");
        assertThat(soft.softDenials()).containsExactly("soft");
        assertThat(soft.resetAfterMillis()).hasValue(15_000);
    }

    @Test
    void a_share_of_the_limit_is_owed_at_most_rounded_down() {
        assertThat(new Enforcement.Soft(150).debtTokens(100)).isEqualTo(50);
        assertThat(new Enforcement.Soft(150).debtTokens(5)).isEqualTo(2);
        assertThat(new Enforcement.Soft(101).debtTokens(99)).isEqualTo(0);
        assertThat(new Enforcement.Soft(200).debtTokens(1_000_000_000_000L)).isEqualTo(1_000_000_000_000L);
    }

    @Test
    void a_soft_rule_says_what_is_wrong_with_it() {
        assertThatThrownBy(() -> new Enforcement.Soft(100)).hasMessage("hardPercent is 100; it must be 101 to 200");
        assertThatThrownBy(() -> new Enforcement.Soft(201)).hasMessage("hardPercent is 201; it must be 101 to 200");
        assertThatThrownBy(
                        () -> TestRules.soft(150, TestRules.rule("log", Scope.TENANT, new SlidingLogLimit(700, 1_000))))
                .hasMessage("requests is 1050; it must be 0 to 1000");
    }

    // ---- whatever is asked

    @Test
    void the_debt_is_never_above_one_capacity_and_every_wait_is_enough_and_no_more() {
        Seeds.forEach(random -> {
            Limit limit = any(random);
            int hardPercent = 101 + random.nextInt(100);
            long debtTokens = new Enforcement.Soft(hardPercent).debtTokens(limit.tokens());
            Rule rule = TestRules.soft(hardPercent, TestRules.rule("soft", Scope.TENANT, limit));
            TestLog log = TestLog.under(rule);
            // The same, as hard as it gets: admits what the soft one admits.
            TestLog raised = TestLog.under(TestRules.rule("soft", Scope.TENANT, limit.raised(debtTokens)));
            long now = random.nextInt(5_000);
            for (int i = 0; i < 60; i++) {
                now += random.nextInt(4) == 0 ? random.nextInt(4_000) : 0;
                Caller caller = ATLAS.cost(1 + random.nextInt((int) limit.tokens()));

                Decision decision = log.at(now).admit(caller);

                String where = limit + " at " + hardPercent + " %, " + caller.costs() + " at " + now;
                Decision hard = raised.at(now).admit(caller);
                assertThat(decision.verdict()).as(where).isEqualTo(hard.verdict());
                if (decision.verdict() == Verdict.DENY) {
                    assertThat(decision.retryAfterMillis()).as(where).isEqualTo(hard.retryAfterMillis());
                    assertThat(decision.retryAfterMillis().orElseThrow())
                            .as(where)
                            .isPositive();
                } else if (!decision.softDenials().isEmpty()) {
                    long pace = decision.paceAfterMillis().orElseThrow();
                    assertThat(pace).as(where).isPositive();
                    assertThat(isWithin(log, rule, caller, now + pace))
                            .as(where)
                            .isTrue();
                    assertThat(isWithin(log, rule, caller, now + pace - 1))
                            .as(where)
                            .isFalse();
                }
            }
        });
    }

    /** Asks a copy of the shard, so that its log goes on as it was. */
    private static boolean isWithin(TestLog log, Rule rule, Caller caller, long millis) {
        MemoryStore copy = new MemoryStore();
        log.store()
                .scan(new byte[0], Keys.END, Integer.MAX_VALUE)
                .forEach(entry -> copy.put(entry.key(), entry.value()));
        TestPolicies policies = new TestPolicies();
        policies.add(TestRules.policy(1, rule));
        Shard later = new Shard(0, copy, policies);
        LogRecord record = new LogRecord(
                later.view().nextOffset(), millis, new LogRecord.Requests(Optional.empty(), List.of(caller.peek())));
        Decision decision = later.fold(record).decisions().get(0);
        return decision.verdict() == Verdict.ALLOW && decision.softDenials().isEmpty();
    }

    private static Limit any(Random random) {
        long tokens = 2L + random.nextInt(20);
        long period = List.of(10L, 1_000L, 3_000L).get(random.nextInt(3));
        return switch (random.nextInt(6)) {
            case 0 -> new TokenBucketLimit(tokens, 1 + random.nextInt(5), period);
            case 1 -> new TokenBucketLimit(tokens, 1 + random.nextInt(5), period, Refill.INTERVAL);
            case 2 -> new GcraLimit(tokens, 1 + random.nextInt(5), period);
            case 3 -> new FixedWindowLimit(tokens, period);
            case 4 -> new SlidingWindowLimit(tokens, period);
            default -> new SlidingLogLimit(tokens, period);
        };
    }
}
