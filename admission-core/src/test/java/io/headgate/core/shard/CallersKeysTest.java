package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.shard.LogRecord.Attempt;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests that carry their caller's own key are admitted once. */
class CallersKeysTest {

    private static final Caller ATLAS = Caller.tenant("atlas");
    private static final Caller BIRCH = Caller.tenant("birch");
    private static final Rule DAILY = TestRules.rule("daily", Scope.TENANT, new FixedWindowLimit(10, 86_400_000));

    private static TestLog under(long retentionMillis, long keysPerTenant) {
        return TestLog.under(
                TestLog.ONE_SHARD, TestRules.keyed(new Idempotency(retentionMillis, keysPerTenant), 1, DAILY));
    }

    @Test
    void an_admission_is_repeated_and_debits_nothing() {
        TestLog log = TestLog.under(DAILY);
        Decision first = log.admit(ATLAS.cost(3), "order-17");

        Decision again = log.at(59_999).admit(ATLAS.cost(3), "order-17");

        assertThat(first.replayed()).isFalse();
        assertThat(again.replayed()).isTrue();
        assertThat(again).usingRecursiveComparison().ignoringFields("replayed").isEqualTo(first);
        assertThat(log.peek(ATLAS).remaining()).hasValue(7);
    }

    @Test
    void after_the_retention_the_key_is_free_again() {
        TestLog log = under(5_000, 10);
        log.admit(ATLAS, "order-17");

        Decision before = log.at(4_999).admit(ATLAS, "order-17");
        Decision after = log.at(5_000).admit(ATLAS, "order-17");
        Decision repeated = log.at(9_999).admit(ATLAS, "order-17");

        assertThat(before.replayed()).isTrue();
        assertThat(after.replayed()).isFalse();
        assertThat(after.remaining()).hasValue(8);
        assertThat(repeated.replayed()).isTrue();
        assertThat(repeated.id()).isEqualTo(after.id());
    }

    @Test
    void a_denial_is_not_remembered() {
        TestLog log = TestLog.under(TestRules.rule("ten-seconds", Scope.TENANT, new FixedWindowLimit(1, 10_000)));
        log.admit(ATLAS);

        Decision denied = log.admit(ATLAS, "order-17");
        Decision allowed = log.at(10_000).admit(ATLAS, "order-17");

        assertThat(denied.verdict()).isEqualTo(Verdict.DENY);
        assertThat(allowed.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(allowed.replayed()).isFalse();
    }

    @Test
    void another_request_under_a_key_in_use_is_a_CONFLICT_that_names_the_first() {
        TestLog log = TestLog.under(DAILY);
        Decision first = log.admit(ATLAS, "order-17");
        List<Caller> others = List.of(
                ATLAS.cost(2),
                ATLAS.route("POST /export"),
                ATLAS.attribute("plan", "free"),
                ATLAS.cost("tokens-in", 5),
                ATLAS.anonymous());

        for (Caller other : others) {
            Decision decision = log.admit(other, "order-17");
            assertThat(decision.verdict()).as("%s", other).isEqualTo(Verdict.CONFLICT);
            assertThat(decision.reason()).contains("decided as " + first.id());
            assertThat(decision.replayed()).isFalse();
        }
        assertThat(log.admit(ATLAS.ip("10.0.0.9"), "order-17").replayed()).isTrue();
        assertThat(log.peek(ATLAS).remaining()).hasValue(9);
    }

    @Test
    void another_attribute_or_another_meter_makes_another_request() {
        TestLog log = TestLog.under(DAILY);
        Caller pro = ATLAS.attribute("plan", "pro");
        log.admit(pro, "by-attribute");
        log.admit(ATLAS.cost("tokens-in", 5), "by-meter");
        log.admit(ATLAS.attribute("pages", ""), "an-attribute-is-no-cost");

        Decision otherValue = log.admit(ATLAS.attribute("plan", "free"), "by-attribute");
        Decision otherName = log.admit(ATLAS.attribute("tier", "pro"), "by-attribute");
        Decision oneMore = log.admit(pro.attribute("region", "eu"), "by-attribute");
        Decision otherMeter = log.admit(ATLAS.cost("tokens-out", 5), "by-meter");
        Decision cost = log.admit(ATLAS.cost("pages", 0), "an-attribute-is-no-cost");

        assertThat(List.of(otherValue, otherName, oneMore, otherMeter, cost))
                .extracting(Decision::verdict)
                .containsOnly(Verdict.CONFLICT);
    }

    @Test
    void a_key_belongs_to_a_tenant_a_user_and_an_API_key() {
        TestLog log = TestLog.under(DAILY);
        List<Caller> callers = List.of(
                ATLAS,
                ATLAS.user("U-1"),
                ATLAS.user("U-2"),
                ATLAS.apiKey("K-1"),
                ATLAS.user("U-1").apiKey("K-1"),
                // Joined without their lengths these would be the same.
                ATLAS.user("U-1K").apiKey("-1"),
                BIRCH);

        for (Caller caller : callers) {
            assertThat(log.admit(caller, "order-17").replayed())
                    .as("%s", caller)
                    .isFalse();
        }
        for (Caller caller : callers) {
            assertThat(log.admit(caller, "order-17").replayed())
                    .as("%s", caller)
                    .isTrue();
        }
    }

    @Test
    void one_below_the_bound_there_is_room_and_at_the_bound_an_ERROR_and_nothing_is_forgotten() {
        TestLog log = under(60_000, 3);
        log.admit(ATLAS, "one");
        log.admit(ATLAS, "two");

        Decision lastRoom = log.admit(ATLAS, "three");
        Decision full = log.admit(ATLAS, "four");
        Decision remembered = log.admit(ATLAS, "one");
        Decision keyless = log.admit(ATLAS);
        Decision other = log.admit(BIRCH, "four");

        assertThat(lastRoom.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(full.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(full.reason()).startsWith("3 idempotency keys are remembered for this caller");
        assertThat(remembered.replayed()).isTrue();
        assertThat(keyless.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(other.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.peek(ATLAS).remaining()).hasValue(6);
    }

    @Test
    void the_sweep_makes_room_once_the_retention_is_over_and_in_the_end_leaves_nothing() {
        TestLog log = under(5_000, 1);
        log.admit(ATLAS, "one");

        log.at(4_999).tick();
        Decision full = log.admit(ATLAS, "two");
        log.at(5_000);
        Decision unswept = log.admit(ATLAS, "two");
        log.tick();
        Decision room = log.admit(ATLAS, "two");
        log.at(10_000).tick();

        assertThat(full.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(unswept.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(room.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(log.entries(Keys.KEYED, Keys.KEYED_TALLY)).isEmpty();
    }

    @Test
    void a_key_whose_time_is_over_needs_no_more_room_to_be_used_again() {
        TestLog log = under(5_000, 1);
        log.admit(ATLAS, "one");

        Decision again = log.at(5_000).admit(ATLAS, "one");

        assertThat(again.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(again.replayed()).isFalse();
        assertThat(log.entries(Keys.KEYED)).hasSize(1);
        assertThat(Tally.fromBytes(log.store().get(Keys.keyedTally("atlas").bytes()))
                        .keys())
                .isEqualTo(1);
    }

    @Test
    void a_longer_retention_brings_no_key_back_whose_time_was_over() {
        TestLog log = under(1_000, 10);
        log.admit(ATLAS, "order-17");
        log.at(2_000).policy(TestRules.keyed(new Idempotency(60_000, 10), 2, DAILY));

        Decision decision = log.admit(ATLAS, "order-17");

        assertThat(decision.replayed()).isFalse();
        assertThat(decision.remaining()).hasValue(8);
    }

    @Test
    void a_peek_neither_uses_nor_heeds_a_key() {
        TestLog log = TestLog.under(DAILY);
        Command peek = new Command.Ask(ATLAS.admission(), true, Command.NEVER, false, "order-17", false);

        Decision before = log.send(peek).decisions().get(0);
        Decision admitted = log.admit(ATLAS, "order-17");
        Decision after = log.send(peek).decisions().get(0);

        assertThat(before.remaining()).hasValue(10);
        assertThat(admitted.replayed()).isFalse();
        assertThat(after.replayed()).isFalse();
        assertThat(after.remaining()).hasValue(9);
    }

    @Test
    void it_works_across_gateways_and_their_lives() {
        TestLog log = TestLog.under(DAILY);
        Command order = ATLAS.admitAs("order-17");

        Decision first =
                log.send(new Attempt("gateway-1", 1, 0), order).decisions().get(0);
        log.restart();
        Decision second =
                log.send(new Attempt("gateway-2", 7, 0), order).decisions().get(0);

        assertThat(second.replayed()).isTrue();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(log.peek(ATLAS).remaining()).hasValue(9);
    }

    @Test
    void twice_in_one_batch_is_once_and_the_second_answer_lacks_what_each_rule_said_as_any_later_one_does() {
        TestLog log = TestLog.under(DAILY);
        Command explained = new Command.Ask(ATLAS.admission(), false, Command.NEVER, true, "order-17", false);

        List<Decision> batch = log.send(explained, explained, ATLAS.cost(2).admitAs("order-17"))
                .decisions();
        Decision later = log.send(explained).decisions().get(0);

        assertThat(batch.get(0).rules()).hasSize(1);
        assertThat(batch.get(1).replayed()).isTrue();
        assertThat(batch.get(1)).isEqualTo(later);
        assertThat(later.rules()).isEmpty();
        assertThat(batch.get(2).verdict()).isEqualTo(Verdict.CONFLICT);
        assertThat(log.peek(ATLAS).remaining()).hasValue(9);
    }

    @Test
    void what_was_not_decided_leaves_the_key_free() {
        TestLog log = TestLog.under(DAILY);
        Command late = new Command.Ask(ATLAS.admission(), false, -1, false, "order-17", false);

        Decision expired = log.send(late).decisions().get(0);
        Decision inTime = log.admit(ATLAS, "order-17");

        assertThat(expired.verdict()).isEqualTo(Verdict.EXPIRED);
        assertThat(inTime.replayed()).isFalse();
        assertThat(inTime.verdict()).isEqualTo(Verdict.ALLOW);
    }

    @Test
    void keys_and_their_bounds_say_what_is_wrong_with_them() {
        assertThat(ATLAS.admitAs("x".repeat(256))).isNotNull();
        assertThatThrownBy(() -> ATLAS.admitAs("x".repeat(257)))
                .hasMessage("idempotencyKey has 257 characters; at most 256 are allowed");
        assertThatThrownBy(() -> new Idempotency(999, 1)).hasMessageContaining("retentionMillis is 999");
        assertThatThrownBy(() -> new Idempotency(24 * 3_600_000L + 1, 1)).hasMessageContaining("retentionMillis");
        assertThatThrownBy(() -> new Idempotency(1_000, 0)).hasMessageContaining("keysPerTenant is 0");
        assertThatThrownBy(() -> new Idempotency(1_000, 10_000_001)).hasMessageContaining("keysPerTenant is 10000001");
    }
}
