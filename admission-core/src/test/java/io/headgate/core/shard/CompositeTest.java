package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.account.Action;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rules that count by several things together. */
class CompositeTest {

    private static final Part USER = new Part.Of(Scope.USER);
    private static final Part ROUTE = new Part.Of(Scope.ROUTE);
    private static final Part REGION = new Part.Attribute("region");
    private static final Caller ATLAS = Caller.tenant("atlas");

    private static Rule by(Part... parts) {
        return TestRules.composite("mix", Stage.TENANT, List.of(parts), new FixedWindowLimit(2, 60_000));
    }

    @Test
    void each_combination_has_a_counter_of_its_own() {
        TestLog log = TestLog.under(by(USER, REGION));
        Caller one = ATLAS.user("U-1").attribute("region", "eu");
        log.admit(one.cost(2));

        assertThat(log.admit(one).verdict()).isEqualTo(Verdict.DENY);
        assertThat(log.admit(one.attribute("region", "us")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(one.user("U-2")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(Caller.tenant("birch").user("U-1").attribute("region", "eu"))
                        .verdict())
                .isEqualTo(Verdict.ALLOW);
        assertThat(log.buckets("mix")).hasSize(4);
    }

    @Test
    void where_one_part_ends_and_the_next_begins_makes_a_difference() {
        TestLog log = TestLog.under(by(USER, REGION));
        log.admit(ATLAS.user("ab").attribute("region", "c").cost(2));

        assertThat(log.admit(ATLAS.user("a").attribute("region", "bc")).verdict())
                .isEqualTo(Verdict.ALLOW);
    }

    @Test
    void its_counter_is_stored_under_the_partition_key_and_then_the_parts_in_the_rules_order() {
        Caller asker = ATLAS.user("U-1").attribute("region", "eu");
        byte[] regionFirst = new ByteWriter()
                .putRaw(Keys.buckets("mix").from())
                .put(0)
                .putString("atlas")
                .putString("eu")
                .putString("U-1")
                .toBytes();

        assertThat(Keys.bucket(by(REGION, USER), asker.admission(), Optional.empty()))
                .contains(new StateKey(regionFirst));
        assertThat(Keys.bucket(by(USER, REGION), asker.admission(), Optional.empty()))
                .isPresent()
                .isNotEqualTo(Optional.of(new StateKey(regionFirst)));
    }

    @Test
    void a_request_that_lacks_a_part_is_not_the_rules_business() {
        TestLog log = TestLog.under(by(USER, ROUTE, REGION));
        Caller whole = ATLAS.user("U-1").attribute("region", "eu");
        log.admit(whole.cost(2));

        assertThat(log.admit(whole).denyingRule()).hasValue("mix");
        assertThat(log.admit(ATLAS.user("U-1")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(ATLAS.attribute("region", "eu")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(whole.route("GET /nowhere")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(whole.attribute("region", "")).verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.buckets("mix")).hasSize(1);
    }

    @Test
    void it_is_asked_after_all_other_scopes() {
        Rule tenant = TestRules.rule("tenant", Scope.TENANT, new FixedWindowLimit(2, 60_000));
        Rule route = TestRules.rule("route", Scope.ROUTE, new FixedWindowLimit(2, 60_000));
        TestLog log = TestLog.under(by(USER), route, tenant);
        Caller user = ATLAS.user("U-1");
        log.admit(user.cost(2));

        Decision denied = log.peek(user);

        assertThat(denied.denyingRule()).hasValue("tenant");
        assertThat(denied.rules()).extracting(rule -> rule.ruleId()).containsExactly("tenant", "route", "mix");
    }

    @Test
    void other_parts_or_another_order_of_them_begin_afresh() {
        TestLog log = TestLog.under(by(USER, REGION));
        Caller one = ATLAS.user("U-1").attribute("region", "eu");
        log.admit(one.cost(2));

        log.policy(TestRules.policy(2, by(REGION, USER)));
        Decision turned = log.peek(one);
        log.admit(one);
        log.policy(TestRules.policy(3, by(REGION, USER)));
        Decision same = log.peek(one);

        assertThat(turned.remaining()).hasValue(2);
        assertThat(same.remaining()).hasValue(1);
    }

    @Test
    void it_counts_in_every_stage_what_that_stage_knows() {
        Rule address = TestRules.composite(
                "address", Stage.IP, List.of(new Part.Of(Scope.IP), ROUTE), new FixedWindowLimit(1, 60_000));
        Rule target = TestRules.composite("target", Stage.TARGET, List.of(REGION), new FixedWindowLimit(1, 60_000));
        TestLog log = TestLog.under(address, target);
        log.admit(Caller.address("10.0.0.9"));
        log.admit(Caller.target("kim").attribute("region", "eu"));

        assertThat(log.admit(Caller.address("10.0.0.9")).denyingRule()).hasValue("address");
        assertThat(log.admit(Caller.address("10.0.0.9").route("POST /export")).verdict())
                .isEqualTo(Verdict.ALLOW);
        assertThat(log.admit(Caller.target("kim").attribute("region", "eu")).denyingRule())
                .hasValue("target");
        assertThat(log.admit(Caller.target("kim").attribute("region", "us")).verdict())
                .isEqualTo(Verdict.ALLOW);
    }

    @Test
    void one_of_its_counters_can_be_credited_when_all_parts_are_named() {
        TestLog log = TestLog.under(by(USER, REGION));
        Caller one = ATLAS.user("U-1").attribute("region", "eu");
        log.admit(one.cost(2));

        Folded half = log.act("credit-1", ATLAS.user("U-1"), new Action.Credit("mix", 1));
        Folded whole = log.act("credit-2", one, new Action.Credit("mix", 1));

        assertThat(half.problems())
                .containsExactly(
                        "action credit-1 is refused: rule mix counts by composite, which is not named in full");
        assertThat(whole.problems()).isEmpty();
        assertThat(log.peek(one).remaining()).hasValue(1);
    }

    @Test
    void it_has_one_to_eight_parts_all_different_that_its_stage_knows() {
        List<Part> most = new ArrayList<>();
        for (int i = 1; i <= Rule.MAX_PARTS; i++) {
            most.add(new Part.Attribute("a" + i));
        }
        List<Part> tooMany = new ArrayList<>(most);
        tooMany.add(USER);

        assertThat(by(most.toArray(Part[]::new)).composite()).hasSize(8);
        assertThatThrownBy(() -> by(tooMany.toArray(Part[]::new)))
                .hasMessageContaining("attributes.a8, user]; a composite has 1 to 8, all different");
        assertThatThrownBy(CompositeTest::by).hasMessageContaining("the parts are []; a composite has 1 to 8");
        assertThatThrownBy(() -> by(USER, REGION, USER)).hasMessageContaining("all different");
        assertThatThrownBy(() -> TestRules.composite("mix", Stage.IP, List.of(USER), new FixedWindowLimit(1, 1)))
                .hasMessage("the parts are [user]; in stage 'ip' nothing is counted by user");
        assertThatThrownBy(() -> new Part.Of(Scope.COMPOSITE)).hasMessageContaining("composites do not nest");
        assertThatThrownBy(() -> new Part.Attribute("")).hasMessageContaining("has 0 characters");
        assertThatThrownBy(() -> new Part.Attribute("x".repeat(65))).hasMessageContaining("has 65 characters");
        assertThatThrownBy(() -> Part.labelled("attributes.")).hasMessageContaining("has 0 characters");
        assertThat(Part.labelled("attributes.region")).isEqualTo(REGION);
        assertThat(Part.labelled("user")).isEqualTo(USER);
    }
}
