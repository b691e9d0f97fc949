package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.account.TenantPlan.Status;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Plans of tenants, and what follows from them. */
class AccountsTest {

    private static final Caller ATLAS = Caller.tenant("atlas");
    private static final Caller BIRCH = Caller.tenant("birch");

    /** 10 a day; 100 on the plan pro. */
    private static final Rule DAILY =
            TestRules.byPlan(Map.of("pro", daily(100)), TestRules.rule("daily", Scope.TENANT, daily(10)));

    private static Limit daily(long tokens) {
        return new FixedWindowLimit(tokens, 86_400_000);
    }

    private static TenantPlan plan(String tenant, Status status, boolean unlimited, Map<String, Limit> overrides) {
        return new TenantPlan(
                tenant, status, "pro", unlimited, Optional.empty(), Optional.empty(), new TreeMap<>(overrides));
    }

    @Test
    void a_tenant_has_the_limit_of_its_plan_and_others_have_the_default() {
        TestLog log = TestLog.under(DAILY);

        log.plans(TenantPlan.on("atlas", "pro"), TenantPlan.on("birch", "no-such-plan"));

        assertThat(log.admit(ATLAS).limit()).hasValue(100);
        assertThat(log.admit(BIRCH).limit()).hasValue(10);
        assertThat(log.admit(Caller.tenant("cedar")).limit()).hasValue(10);
    }

    @Test
    void a_plan_whose_account_cannot_be_read_takes_none_of_its_neighbours_with_it() {
        TestLog log = TestLog.under(DAILY);
        byte[] key = Keys.account("birch").bytes();
        byte[] corrupt = {1};
        log.store().put(key, corrupt);

        Folded folded =
                log.plans(TenantPlan.on("atlas", "pro"), TenantPlan.on("birch", "pro"), TenantPlan.on("cedar", "pro"));

        assertThat(folded.problems()).singleElement().asString().contains("plan of tenant 'birch' is refused");
        assertThat(log.store().get(key)).isEqualTo(corrupt);
        assertThat(log.admit(ATLAS).limit()).hasValue(100);
        assertThat(log.admit(Caller.tenant("cedar")).limit()).hasValue(100);
    }

    @Test
    void what_was_spent_under_one_plan_is_spent_under_the_next() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(8));

        log.plans(TenantPlan.on("atlas", "pro"));
        Decision asPro = log.admit(ATLAS.cost(30));
        log.plans(TenantPlan.on("atlas", "default"));
        Decision asDefault = log.admit(ATLAS);

        assertThat(asPro.remaining()).hasValue(62);
        assertThat(asDefault.verdict()).isEqualTo(Verdict.DENY);
        assertThat(asDefault.remaining()).hasValue(0);
    }

    @Test
    void a_bucket_earns_under_each_plan_for_as_long_as_it_held() {
        Rule rule = TestRules.byPlan(
                Map.of("pro", new TokenBucketLimit(100, 10, 1_000)),
                TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(100, 1, 1_000)));
        TestLog log = TestLog.under(rule);
        log.admit(ATLAS.cost(100));
        log.at(5_000).plans(TenantPlan.on("atlas", "pro"));
        log.at(8_000).plans(TenantPlan.on("atlas", "default"));

        Decision decision = log.at(10_000).peek(ATLAS);

        assertThat(decision.remaining()).hasValue(5 + 30 + 2);
    }

    @Test
    void a_limit_of_its_own_goes_before_the_plans_unless_it_is_by_another_algorithm() {
        TestLog log = TestLog.under(DAILY);

        log.plans(
                plan("atlas", Status.ACTIVE, false, Map.of("daily", daily(7))),
                plan("birch", Status.ACTIVE, false, Map.of("daily", new SlidingLogLimit(7, 1_000))));

        assertThat(log.admit(ATLAS).limit()).hasValue(7);
        assertThat(log.admit(BIRCH).limit()).hasValue(100);
    }

    @Test
    void nobody_limits_an_unlimited_tenant_and_nothing_is_counted() {
        TestLog log = TestLog.under(DAILY);
        log.plans(plan("atlas", Status.ACTIVE, true, Map.of("daily", daily(1))));

        Decision decision = log.admit(ATLAS.cost(1_000_000));
        log.plans(TenantPlan.on("atlas", "pro"));

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.limit()).isEmpty();
        assertThat(log.peek(ATLAS).remaining()).hasValue(100);
    }

    @Test
    void an_unlimited_tenant_shares_no_overflow_bucket() {
        Rule bucket = TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(1, 1, 86_400_000));
        TestLog log = TestLog.under(TestLog.ONE_SHARD, TestRules.capped(1, 1, bucket));
        log.plans(plan("atlas", Status.ACTIVE, true, Map.of()));
        log.send(BIRCH.admit(), Caller.tenant("cedar").admit());

        Folded folded = log.send(ATLAS.cost(50).admit(), Caller.tenant("dune").admit());

        assertThat(folded.decisions()).extracting(Decision::verdict).containsExactly(Verdict.ALLOW, Verdict.DENY);
        assertThat(folded.overflowed()).isZero();
    }

    @Test
    void the_overflow_bucket_has_the_limit_of_nobody_in_particular() {
        TestLog log = TestLog.under(TestLog.ONE_SHARD, TestRules.capped(1, 1, DAILY));
        log.plans(TenantPlan.on("atlas", "pro"));
        log.admit(BIRCH);

        Decision shared = log.admit(ATLAS);

        assertThat(shared.limit()).hasValue(10);
        assertThat(shared.actions()).isEmpty();
    }

    // ---- suspended and removed

    @Test
    void a_suspended_tenant_is_denied_until_somebody_says_otherwise() {
        TestLog log = TestLog.under(DAILY);
        log.plans(plan("atlas", Status.SUSPENDED, false, Map.of()));

        Decision denied = log.admit(ATLAS);
        log.plans(TenantPlan.on("atlas", "pro"));
        Decision allowed = log.admit(ATLAS);

        assertThat(denied.verdict()).isEqualTo(Verdict.DENY);
        assertThat(denied.denyingRule()).hasValue("headgate.suspended");
        assertThat(denied.scope()).hasValue(Scope.TENANT);
        assertThat(denied.limit()).isEmpty();
        assertThat(denied.retryAfterMillis()).isEmpty();
        assertThat(denied.reason()).isEqualTo("the tenant is suspended");
        assertThat(allowed.remaining()).hasValue(99);
    }

    @Test
    void an_unlimited_tenant_can_be_suspended() {
        TestLog log = TestLog.under(DAILY);
        log.plans(plan("atlas", Status.SUSPENDED, true, Map.of()));

        assertThat(log.admit(ATLAS).verdict()).isEqualTo(Verdict.DENY);
    }

    @Test
    void a_removed_tenant_is_an_unknown_one_that_has_spent_nothing() {
        TestLog log = TestLog.under(DAILY);
        log.plans(TenantPlan.on("atlas", "pro"));
        log.admit(ATLAS.cost(50));
        log.act("ban-1", ATLAS, new Action.Ban(Scope.TENANT, 5_000));

        log.plans(plan("atlas", Status.REMOVED, false, Map.of()));

        Decision after = log.peek(ATLAS);
        assertThat(after.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(after.limit()).hasValue(10);
        assertThat(after.remaining()).hasValue(10);
    }

    @Test
    void of_a_removed_tenant_the_sweep_leaves_nothing() {
        TestLog log = TestLog.under(DAILY);
        log.plans(TenantPlan.on("atlas", "pro"));
        log.admit(ATLAS.cost(50));
        log.plans(plan("atlas", Status.REMOVED, false, Map.of()));

        for (int second = 1; second < 6; second++) {
            log.at(second * 1_000L).tick();
        }

        assertThat(log.entries(Keys.ACCOUNT, Keys.ACCOUNT_DUE, Keys.BUCKET)).isEmpty();
        assertThat(Tally.fromBytes(log.store().get(Keys.tally("daily").bytes())).keys())
                .isZero();
    }

    @Test
    void a_tenant_removed_and_taken_back_in_one_record_has_spent_nothing() {
        TestLog log = TestLog.under(DAILY);
        log.plans(TenantPlan.on("atlas", "pro"));
        log.admit(ATLAS.cost(50));

        log.plans(plan("atlas", Status.REMOVED, false, Map.of()), TenantPlan.on("atlas", "pro"));

        assertThat(log.peek(ATLAS).remaining()).hasValue(100);
    }

    // ---- history

    @Test
    void old_terms_are_kept_until_every_counter_has_left_them_and_no_longer() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(8));
        log.at(1).plans(TenantPlan.on("atlas", "pro"));
        log.at(2).plans(plan("atlas", Status.ACTIVE, false, Map.of("daily", daily(50))));
        int before = account(log, "atlas").eras().size();

        log.at(3).tick();
        log.at(4).tick();
        log.at(5).tick();

        assertThat(before).isEqualTo(2);
        assertThat(account(log, "atlas").eras()).hasSize(1);
        assertThat(log.entries(Keys.ACCOUNT_DUE)).isEmpty();
        assertThat(log.peek(ATLAS).remaining()).hasValue(42);
    }

    @Test
    void of_terms_that_change_faster_than_the_sweep_256_are_kept_and_what_was_spent_is_not_lost() {
        TestLog log = TestLog.under(DAILY);
        log.plans(plan("atlas", Status.ACTIVE, false, Map.of("daily", daily(1_000))));
        log.admit(ATLAS.cost(100));

        for (int i = 1; i <= 300; i++) {
            log.at(i).plans(plan("atlas", Status.ACTIVE, false, Map.of("daily", daily(1_000 + i))));
        }

        assertThat(account(log, "atlas").eras()).hasSize(AccountEntry.MAX_ERAS);
        assertThat(log.peek(ATLAS).remaining()).hasValue(1_200);
    }

    @Test
    void what_was_forgotten_with_a_removed_tenant_does_not_come_back_when_its_history_is_cut() {
        TestLog log = TestLog.under(DAILY);
        log.admit(ATLAS.cost(9));
        log.at(1).plans(plan("atlas", Status.REMOVED, false, Map.of()));

        for (int i = 2; i <= 300; i++) {
            log.at(i).plans(plan("atlas", Status.ACTIVE, false, Map.of("daily", daily(1_000 + i))));
        }

        assertThat(log.peek(ATLAS).remaining()).hasValue(1_300);
    }

    @Test
    void the_same_plan_again_adds_nothing_to_the_history() {
        TestLog log = TestLog.under(DAILY);
        for (int i = 0; i < 5; i++) {
            log.at(i).plans(TenantPlan.on("atlas", "pro"));
        }

        assertThat(account(log, "atlas").eras()).hasSize(1);
    }

    private static AccountEntry account(TestLog log, String tenant) {
        return AccountEntry.fromBytes(log.store().get(Keys.account(tenant).bytes()));
    }

    // ---- what is refused

    @Test
    void a_plan_of_another_shards_tenant_is_refused_and_the_others_of_its_record_are_applied() {
        TestLog log = TestLog.under(ShardSettings.initial(2, "test-key"), TestRules.policy(1, DAILY));
        List<String> tenants = List.of("atlas", "birch", "cedar", "dune", "elm", "fjord");
        String mine = tenants.stream()
                .filter(one -> Partitioning.shardOf(one, 2) == 0)
                .findFirst()
                .orElseThrow();
        String theirs = tenants.stream()
                .filter(one -> Partitioning.shardOf(one, 2) == 1)
                .findFirst()
                .orElseThrow();

        Folded folded = log.plans(TenantPlan.on(theirs, "pro"), TenantPlan.on(mine, "pro"));

        assertThat(folded.problems())
                .containsExactly(
                        "plan of tenant '" + theirs + "' is refused: it belongs to shard 1 of 2, not to shard 0");
        assertThat(log.admit(Caller.tenant(mine)).limit()).hasValue(100);
        assertThat(log.entries(Keys.ACCOUNT)).hasSize(1);
    }

    @Test
    void plans_follow_their_own_chain() {
        TestLog log = TestLog.under(DAILY);
        Control second = new Control.ApplyPlans(7, 3, List.of(TenantPlan.on("atlas", "pro")));
        Control third = new Control.ApplyPlans(9, 7, List.of(TenantPlan.on("atlas", "free")));

        log.control(second);
        boolean early = log.shard().view().planSource() == -1;
        log.control(new Control.ApplyPlans(3, -1, List.of(TenantPlan.on("atlas", "free"))));
        log.control(second);
        log.control(third);
        log.control(second);

        assertThat(early).isTrue();
        assertThat(log.shard().view().planSource()).isEqualTo(9);
        assertThat(log.admit(ATLAS).limit()).hasValue(10);
    }

    @Test
    void a_plan_says_what_is_wrong_with_it() {
        SortedMap<String, Limit> overrides = new TreeMap<>();
        for (int i = 0; i < TenantPlan.MAX_OVERRIDES; i++) {
            overrides.put("rule-" + i, new Unlimited());
        }
        SortedMap<String, Limit> oneMore = new TreeMap<>(overrides);
        oneMore.put("rule-100", new Unlimited());

        assertThat(plan("atlas", Status.ACTIVE, false, overrides).overrides()).hasSize(100);
        assertThatThrownBy(() -> plan("atlas", Status.ACTIVE, false, oneMore))
                .hasMessage("overrides has 101 rules; at most 100 are allowed");
        assertThatThrownBy(() -> TenantPlan.on("", "pro")).hasMessageContaining("tenant is empty");
        assertThatThrownBy(() -> TenantPlan.on("atlas", "a b")).hasMessageContaining("plan is 'a b'");
        assertThatThrownBy(() -> new Control.ApplyPlans(0, -1, List.of())).hasMessageContaining("number of plans is 0");
        assertThatThrownBy(() -> new Control.ApplyPlans(
                        0, -1, Collections.nCopies(Control.MAX_PLANS + 1, TenantPlan.on("atlas", "pro"))))
                .hasMessageContaining("number of plans is 501");
    }

    @Test
    void a_rule_says_what_is_wrong_with_its_limits_by_plan() {
        assertThatThrownBy(() -> TestRules.byPlan(Map.of("pro", new SlidingLogLimit(5, 1_000)), DAILY))
                .hasMessage("the limit of plan pro is by sliding-log; the rule's is by fixed-window");
        assertThatThrownBy(() -> TestRules.byPlan(
                        Map.of("pro", daily(5)), TestRules.rule("address", Stage.IP, Scope.IP, daily(5))))
                .hasMessageContaining("only rules of stage 'tenant' know the plan, not of 'ip'");
        assertThatThrownBy(() -> TestRules.policy(1, TestRules.byPlan(Map.of("platinum", daily(5)), DAILY)))
                .hasMessageContaining("spec.rules[0].limit is by plan 'platinum', which is no plan");
        assertThatThrownBy(() -> TestRules.rule("headgate.banned", Scope.TENANT, daily(5)))
                .hasMessage("id is 'headgate.banned'; it must not begin with headgate.");
    }

    @Test
    void a_policy_has_200_plans_at_most() {
        List<String> plans = new ArrayList<>();
        for (int i = 0; i <= Policy.MAX_PLANS; i++) {
            plans.add("plan-" + i);
        }

        assertThat(withPlans(plans.subList(0, 200)).plans()).hasSize(200);
        assertThatThrownBy(() -> withPlans(plans)).hasMessageContaining("spec.plans has 201 plans");
    }

    private static Policy withPlans(List<String> plans) {
        return new Policy("test", 1, TestRules.ROUTES, List.of(), Set.copyOf(plans), Idempotency.DEFAULT, 10);
    }
}
