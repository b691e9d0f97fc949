package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Rules that count something other than requests. */
class MetersTest {

    private static final Caller ATLAS = Caller.tenant("atlas");
    private static final Rule REQUESTS = TestRules.rule("requests", Scope.TENANT, new FixedWindowLimit(5, 60_000));
    private static final Rule TOKENS = TestRules.metering(
            "tokens-in", TestRules.rule("tokens", Scope.TENANT, new TokenBucketLimit(1_000, 100, 1_000)));

    @Test
    void each_rule_is_charged_on_its_own_meter() {
        TestLog log = TestLog.under(REQUESTS, TOKENS);

        log.admit(ATLAS.cost("tokens-in", 400));
        Decision decision = log.peek(ATLAS.cost("tokens-in", 1));

        assertThat(decision.rules().get(0).remaining()).hasValue(4);
        assertThat(decision.rules().get(1).remaining()).hasValue(600);
    }

    @Test
    void a_denial_on_one_meter_debits_none() {
        TestLog log = TestLog.under(REQUESTS, TOKENS);
        log.admit(ATLAS.cost("tokens-in", 900));

        Decision denied = log.admit(ATLAS.cost("tokens-in", 200));
        Decision after = log.peek(ATLAS);

        assertThat(denied.verdict()).isEqualTo(Verdict.DENY);
        assertThat(denied.denyingRule()).hasValue("tokens");
        assertThat(denied.retryAfterMillis()).hasValue(1_000);
        assertThat(after.remaining()).hasValue(4);
    }

    @Test
    void a_request_that_does_not_name_the_meter_is_not_the_rules_business() {
        TestLog log = TestLog.under(REQUESTS, TOKENS);
        log.admit(ATLAS.cost("tokens-in", 1_000));

        Decision unmetered = log.send(ATLAS.admitExplained()).decisions().get(0);
        Decision zero = log.peek(ATLAS.cost("tokens-in", 0));

        assertThat(unmetered.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(unmetered.rules().get(1).said()).isEqualTo(Said.SKIP);
        assertThat(zero.rules().get(1).said()).isEqualTo(Said.PASS);
    }

    @Test
    void a_request_of_no_requests_is_charged_on_the_other_meters_only() {
        TestLog log = TestLog.under(REQUESTS, TOKENS);

        log.admit(ATLAS.cost(0).cost("tokens-in", 300));

        assertThat(log.peek(ATLAS).remaining()).hasValue(5);
        assertThat(log.buckets("requests")).isEmpty();
        assertThat(log.buckets("tokens")).hasSize(1);
    }

    @Test
    void the_rules_cost_multiplies_what_the_meter_says() {
        TestLog log = TestLog.under(TestRules.costing(new Cost.Fixed(2), TOKENS));

        log.admit(ATLAS.cost("tokens-in", 300));

        assertThat(log.peek(ATLAS.cost("tokens-in", 1)).remaining()).hasValue(400);
    }

    @Test
    void a_charge_beyond_all_numbers_is_denied_for_good() {
        Rule rule = TestRules.metering(
                "tokens-in",
                TestRules.costing(
                        new Cost.Fixed(1_000_000_000_000L),
                        TestRules.rule("tokens", Scope.TENANT, new TokenBucketLimit(1_000_000_000_000L, 1, 1_000))));
        TestLog log = TestLog.under(rule);

        Decision decision = log.admit(ATLAS.cost("tokens-in", 1_000_000_000_000L));

        assertThat(decision.verdict()).isEqualTo(Verdict.DENY);
        assertThat(decision.retryAfterMillis()).isEmpty();
        assertThat(log.buckets()).isEmpty();
    }

    @Test
    void a_rule_that_changes_its_meter_begins_afresh() {
        TestLog log = TestLog.under(TestRules.rule("one", Scope.TENANT, new SlidingLogLimit(10, 60_000)));
        log.admit(ATLAS.cost(4));

        log.policy(TestRules.policy(
                2,
                TestRules.metering("tokens-in", TestRules.rule("one", Scope.TENANT, new SlidingLogLimit(10, 60_000)))));

        assertThat(log.peek(ATLAS.cost("tokens-in", 1)).remaining()).hasValue(10);
    }

    @Test
    void a_name_that_is_no_meters_is_refused_in_a_rule_and_in_a_request() {
        for (String bad : new String[] {"", "Tokens", "1st", "-in", "tokens_in", "a".repeat(33)}) {
            assertThatThrownBy(() -> TestRules.metering(bad, REQUESTS))
                    .as(bad)
                    .hasMessageStartingWith("meter is '" + bad + "'");
            assertThatThrownBy(() -> ATLAS.cost(bad, 1).admission()).as(bad).hasMessageStartingWith("meter is '");
        }
        assertThat(TestRules.metering("a".repeat(32), REQUESTS).meter()).hasSize(32);
    }

    @Test
    void a_request_names_eight_meters_at_most_requests_among_them() {
        Map<String, Long> seven = new TreeMap<>();
        for (int i = 1; i < Admission.MAX_METERS; i++) {
            seven.put("meter-" + i, 1L);
        }
        Caller most = new Caller(ATLAS.stage(), ATLAS.identity(), true, "", Map.of(), seven);

        assertThat(most.admission().costs()).hasSize(8);
        assertThatThrownBy(() -> most.cost("meter-8", 1).admission())
                .hasMessage("costs has 9 meters; at most 8 are allowed");
        assertThatThrownBy(() -> ATLAS.cost("tokens-in", -1).admission())
                .hasMessage("costs.tokens-in is -1; it must be 0 to 1000000000000");
        assertThatThrownBy(() -> ATLAS.cost(1_000_000_000_001L).admission())
                .hasMessage("cost is 1000000000001; it must be 0 to 1000000000000");
    }
}
