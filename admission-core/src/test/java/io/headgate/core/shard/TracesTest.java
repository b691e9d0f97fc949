package io.headgate.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** How decisions came about, for somebody who watches. */
class TracesTest {

    private static final Caller ATLAS = Caller.tenant("atlas");
    private static final Rule BUCKET = TestRules.rule("bucket", Scope.TENANT, new TokenBucketLimit(10, 1, 1_000));
    private static final Rule SOFT =
            TestRules.soft(200, TestRules.rule("soft", Scope.USER, new FixedWindowLimit(5, 60_000)));
    private static final Rule SHADOW = TestRules.shadow(
            TestRules.metering("tokens-in", TestRules.rule("shadow", Scope.USER, new FixedWindowLimit(5, 60_000))));

    /** Takes everything that it is shown. */
    private static final class Watcher implements Tracer {

        private final List<Trace> taken = new ArrayList<>();
        private final Verdict wanted;

        Watcher(Verdict wanted) {
            this.wanted = wanted;
        }

        @Override
        public boolean wants(DecisionId id, Verdict verdict) {
            return verdict == wanted;
        }

        @Override
        public void take(Trace trace) {
            taken.add(trace);
        }

        Trace last() {
            return taken.get(taken.size() - 1);
        }
    }

    private static Trace.Line line(
            Rule rule, long charge, long limit, long before, long after, Said said, OptionalLong retryAfterMillis) {
        return new Trace.Line(
                rule.id(),
                rule.enforcement().label(),
                rule.meter(),
                charge,
                OptionalLong.of(limit),
                OptionalLong.of(before),
                OptionalLong.of(after),
                said,
                retryAfterMillis);
    }

    @Test
    void an_admission_shows_what_each_rule_had_and_has() {
        Watcher watcher = new Watcher(Verdict.ALLOW);
        TestLog log = TestLog.under(BUCKET, SOFT, SHADOW).watchedBy(watcher);
        Caller user = ATLAS.user("U-1").cost(3).cost("tokens-in", 6);

        Decision decision = log.at(7).admit(user);

        Trace trace = watcher.last();
        assertThat(trace.id()).isEqualTo(decision.id());
        assertThat(trace.atMillis()).isEqualTo(7);
        assertThat(trace.stage()).isEqualTo(Stage.TENANT);
        assertThat(trace.partitionKey()).isEqualTo("atlas");
        assertThat(trace.group()).hasValue("catalog");
        assertThat(trace.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(trace.policyVersion()).isEqualTo(1);
        assertThat(trace.denyingRule()).isEmpty();
        assertThat(trace.lines())
                .containsExactly(
                        line(BUCKET, 3, 10, 10, 7, Said.PASS, OptionalLong.empty()),
                        line(SOFT, 3, 5, 5, 2, Said.PASS, OptionalLong.empty()),
                        line(SHADOW, 6, 5, 5, 5, Said.DENY, OptionalLong.empty()));
    }

    @Test
    void a_soft_rule_that_was_exceeded_shows_the_wait_that_it_did_not_insist_on() {
        Watcher watcher = new Watcher(Verdict.ALLOW);
        TestLog log = TestLog.under(SOFT).watchedBy(watcher);
        log.admit(ATLAS.user("U-1").cost(4));

        log.at(20_000).admit(ATLAS.user("U-1").cost(3));

        assertThat(watcher.last().lines()).containsExactly(line(SOFT, 3, 5, 1, 0, Said.SOFT, OptionalLong.of(40_000)));
    }

    @Test
    void a_denial_shows_that_nothing_was_debited_and_who_denied() {
        Watcher watcher = new Watcher(Verdict.DENY);
        TestLog log = TestLog.under(BUCKET, SOFT).watchedBy(watcher);
        log.act(
                "INC-7",
                ATLAS,
                new Action.LimitOverride("bucket", new TokenBucketLimit(2, 1, 1_000), Long.MAX_VALUE / 2));
        log.admit(ATLAS.user("U-1").cost(2));

        log.admit(ATLAS.user("U-1"));

        assertThat(watcher.taken).hasSize(1);
        Trace trace = watcher.last();
        assertThat(trace.verdict()).isEqualTo(Verdict.DENY);
        assertThat(trace.denyingRule()).hasValue("bucket");
        assertThat(trace.actions()).containsExactly("INC-7");
        assertThat(trace.lines())
                .containsExactly(
                        line(BUCKET, 1, 2, 0, 0, Said.DENY, OptionalLong.of(1_000)),
                        line(SOFT, 1, 5, 3, 3, Said.PASS, OptionalLong.empty()));
    }

    @Test
    void a_ban_is_shown_with_the_rules_that_had_nothing_against_it() {
        Watcher watcher = new Watcher(Verdict.DENY);
        TestLog log = TestLog.under(BUCKET).watchedBy(watcher);
        log.act("ban-1", ATLAS, new Action.Ban(Scope.TENANT, 5_000));

        log.admit(ATLAS);

        assertThat(watcher.last().denyingRule()).hasValue("headgate.banned");
        assertThat(watcher.last().actions()).containsExactly("ban-1");
        assertThat(watcher.last().lines())
                .containsExactly(line(BUCKET, 1, 10, 10, 10, Said.PASS, OptionalLong.empty()));
    }

    @Test
    void a_peek_shows_that_nothing_changed() {
        Watcher watcher = new Watcher(Verdict.DENY);
        TestLog log = TestLog.under(BUCKET).watchedBy(watcher);

        log.send(ATLAS.cost(4).peekTraced());

        assertThat(watcher.last().verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(watcher.last().lines())
                .containsExactly(line(BUCKET, 4, 10, 10, 10, Said.PASS, OptionalLong.empty()));
    }

    @Test
    void a_rule_without_a_limit_has_nothing_to_show_but_the_charge() {
        Watcher watcher = new Watcher(Verdict.ALLOW);
        TestLog log = TestLog.under(TestRules.rule("free", Scope.TENANT, new Unlimited()))
                .watchedBy(watcher);

        log.admit(ATLAS.cost(4));

        Trace.Line line = watcher.last().lines().get(0);
        assertThat(line.chargeTokens()).isEqualTo(4);
        assertThat(line.limitTokens()).isEmpty();
        assertThat(line.beforeTokens()).isEmpty();
        assertThat(line.afterTokens()).isEmpty();
    }

    @Test
    void a_request_that_asks_to_be_traced_is_decided_alike_where_nobody_watches() {
        TestLog log = TestLog.under(BUCKET);

        Folded folded = log.send(ATLAS.admitTraced(), ATLAS.peekTraced());

        assertThat(folded.problems()).isEmpty();
        assertThat(folded.decisions()).extracting(Decision::verdict).containsOnly(Verdict.ALLOW);
        assertThat(log.peek(ATLAS).remaining()).hasValue(9);
    }

    @Test
    void a_watcher_that_fails_changes_no_decision() {
        TestLog log = TestLog.under(BUCKET).watchedBy(new Tracer() {
            @Override
            public boolean wants(DecisionId id, Verdict verdict) {
                throw new IllegalStateException("no");
            }

            @Override
            public void take(Trace trace) {
                throw new IllegalStateException("no");
            }
        });

        Folded folded = log.send(ATLAS.admit(), ATLAS.admitTraced());

        assertThat(folded.problems()).isEmpty();
        assertThat(folded.decisions()).extracting(Decision::verdict).containsOnly(Verdict.ALLOW);
        assertThat(log.peek(ATLAS).remaining()).hasValue(8);
    }

    @Test
    void an_answer_that_is_repeated_is_not_traced_again() {
        Watcher watcher = new Watcher(Verdict.ALLOW);
        TestLog log = TestLog.under(BUCKET).watchedBy(watcher);

        log.admit(ATLAS, "order-17");
        log.admit(ATLAS, "order-17");

        assertThat(watcher.taken).hasSize(1);
    }

    @Test
    void rules_in_shadow_are_shown_with_every_request_but_no_peek() {
        List<String> seen = new ArrayList<>();
        TestLog log = TestLog.under(BUCKET, SHADOW).watchedBy(new Tracer() {
            @Override
            public boolean wants(DecisionId id, Verdict verdict) {
                return false;
            }

            @Override
            public void take(Trace trace) {}

            @Override
            public void shadow(Rule rule, String partitionKey, boolean denies) {
                seen.add(rule.id() + " " + partitionKey + " " + denies);
            }
        });
        Caller user = ATLAS.user("U-1").cost("tokens-in", 3);

        log.admit(user);
        log.admit(user);
        log.peek(user);
        log.admit(ATLAS);
        log.admit(user.cost(11));

        assertThat(seen).containsExactly("shadow atlas false", "shadow atlas true", "shadow atlas true");
    }

    @Test
    void a_watcher_that_fails_on_a_rule_in_shadow_changes_no_decision() {
        TestLog log = TestLog.under(BUCKET, SHADOW).watchedBy(new Tracer() {
            @Override
            public boolean wants(DecisionId id, Verdict verdict) {
                return false;
            }

            @Override
            public void take(Trace trace) {}

            @Override
            public void shadow(Rule rule, String partitionKey, boolean denies) {
                throw new IllegalStateException("no");
            }
        });

        Decision decision = log.admit(ATLAS.user("U-1").cost("tokens-in", 6));

        assertThat(decision.verdict()).isEqualTo(Verdict.ALLOW);
        assertThat(decision.shadowDenials()).containsExactly("shadow");
    }
}
