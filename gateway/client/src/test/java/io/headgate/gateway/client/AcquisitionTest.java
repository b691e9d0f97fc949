package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Unavailable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Waiting for budget, on a clock that stands until a test says otherwise. */
class AcquisitionTest {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Bench bench = bench(Map.of());

    /** A tenant may spend 2, earned back at one a second; an address 10, never earned back. */
    private static Bench bench(Map<String, String> settings) {
        Policy policy = new Policy(
                "test",
                7,
                new RouteTable(List.of(), Map.of()),
                List.of(
                        FoldingShards.rule("P-TENANT", Stage.TENANT, Scope.TENANT, new TokenBucketLimit(2, 1, 1_000)),
                        FoldingShards.rule("P-IP", Stage.IP, Scope.IP, new TokenBucketLimit(10, 0, 1_000))),
                1_000);
        return new Bench(4, policy, settings);
    }

    private CompletableFuture<Answer> acquire(Ask ask, Duration maxWait) {
        CompletableFuture<Answer> answer = bench.client.acquireAsync(ask, maxWait);
        bench.answerAll();
        return answer;
    }

    private void pass(long millis) {
        bench.pass(millis);
        bench.answerAll();
    }

    private void spend(long tokens) {
        assertThat(bench.answer(Bench.ask("atlas").withCost(tokens)).allowed()).isTrue();
    }

    @Test
    void what_is_there_is_had_at_once() {
        assertThat(Bench.now(acquire(Bench.ask("atlas"), PATIENCE)).allowed()).isTrue();
        assertThat(bench.sent()).hasSize(1);
    }

    @Test
    void a_spent_budget_is_waited_for_as_long_as_the_denial_says_and_not_shorter() {
        spend(2);
        CompletableFuture<Answer> answer = acquire(Bench.ask("atlas"), PATIENCE);
        assertThat(bench.client.waiting()).isEqualTo(1);
        assertThat(bench.client.pending()).isZero();

        pass(999);
        assertThat(bench.sent()).hasSize(2);
        assertThat(answer).isNotDone();
        pass(4);

        assertThat(Bench.now(answer).allowed()).isTrue();
        assertThat(bench.sent()).hasSize(3);
        assertThat(bench.client.waiting()).isZero();
    }

    @Test
    void nobody_asks_before_the_hint_is_over_wherever_in_a_tick_the_wait_began() {
        for (int offset = 0; offset < 4; offset++) {
            Bench one = bench(Map.of());
            one.pass(offset);
            one.answer(Bench.ask("atlas").withCost(2));
            CompletableFuture<Answer> answer = one.client.acquireAsync(Bench.ask("atlas"), PATIENCE);
            one.answerAll();
            int sent = one.sent().size();
            for (int millis = 1; millis < 1_000; millis++) {
                one.pass(1);
                assertThat(one.sent()).as("%s ms after %s", millis, offset).hasSize(sent);
            }
            one.pass(4);
            one.answerAll();
            assertThat(Bench.now(answer).allowed()).isTrue();
        }
    }

    @Test
    void a_hint_beyond_the_patience_is_the_answer_at_once() {
        spend(2);

        Decided denied = (Decided) Bench.now(acquire(Bench.ask("atlas"), Duration.ofMillis(999)));

        assertThat(denied.decision().retryAfterMillis()).hasValue(1_000);
        assertThat(bench.client.waiting()).isZero();
    }

    @Test
    void no_patience_at_all_is_one_question() {
        spend(2);

        assertThat(Bench.now(acquire(Bench.ask("atlas"), Duration.ZERO)).allowed())
                .isFalse();
    }

    @Test
    void a_denial_without_a_hint_is_the_answer_at_once() {
        Decided denied = (Decided) Bench.now(acquire(Bench.ask("atlas").withCost(3), PATIENCE));

        assertThat(denied.decision().retryAfterMillis()).isEmpty();
        assertThat(bench.sent()).hasSize(1);
    }

    @Test
    void no_decision_is_the_answer_at_once() {
        CompletableFuture<Answer> answer = bench.client.acquireAsync(Bench.ask("atlas"), PATIENCE);

        bench.pass(1_000);

        assertThat(((Unavailable) Bench.now(answer)).cause()).isEqualTo(Cause.DEADLINE);
    }

    @Test
    void the_last_denial_is_the_answer_when_others_were_faster() {
        spend(2);
        CompletableFuture<Answer> answer = acquire(Bench.ask("atlas"), Duration.ofMillis(1_500));
        bench.pass(1_000);
        spend(1);

        pass(10);

        Decided denied = (Decided) Bench.now(answer);
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.decision().retryAfterMillis().getAsLong()).isBetween(900L, 1_000L);
    }

    @Test
    void it_takes_no_longer_than_its_patience_and_one_deadline() {
        spend(2);
        CompletableFuture<Answer> answer = acquire(Bench.ask("atlas"), Duration.ofMillis(1_100));
        bench.pass(1_004);
        bench.acknowledge(); // and no reply comes

        bench.pass(1_000);

        assertThat(((Unavailable) Bench.now(answer)).cause()).isEqualTo(Cause.DEADLINE);
    }

    @Test
    void of_two_that_wait_the_one_that_began_first_asks_first() {
        spend(2);
        CompletableFuture<Answer> first = acquire(Bench.ask("atlas"), PATIENCE);
        CompletableFuture<Answer> second = acquire(Bench.ask("atlas"), PATIENCE);

        pass(1_004);

        assertThat(Bench.now(first).allowed()).isTrue();
        assertThat(second).isNotDone();
        pass(1_004);
        assertThat(Bench.now(second).allowed()).isTrue();
    }

    @Test
    void a_stage_that_let_it_pass_is_not_asked_and_debited_again() {
        spend(2);
        Ask both = Ask.of(Caller.unknown().withTenant("atlas").withIp("203.0.113.7"), true, "");
        CompletableFuture<Answer> answer = acquire(both, PATIENCE);

        pass(1_004);

        Decided decided = (Decided) Bench.now(answer);
        assertThat(decided.allowed()).isTrue();
        assertThat(decided.earlier())
                .singleElement()
                .satisfies(ip -> assertThat(ip.remaining()).hasValue(9));
        assertThat(bench.stagesAsked()).containsExactly(Stage.TENANT, Stage.IP, Stage.TENANT, Stage.TENANT);
    }

    @Test
    void a_closed_client_ends_the_wait() {
        spend(2);
        CompletableFuture<Answer> answer = acquire(Bench.ask("atlas"), PATIENCE);

        bench.client.close();

        assertThat(((Unavailable) Bench.now(answer)).cause()).isEqualTo(Cause.CLOSED);
        assertThat(((Unavailable) Bench.now(bench.client.acquireAsync(Bench.ask("atlas"), PATIENCE))).cause())
                .isEqualTo(Cause.CLOSED);
        assertThat(bench.client.waiting()).isZero();
    }

    @Test
    void who_loses_interest_waits_no_longer_and_asks_no_more() {
        spend(2);
        CompletableFuture<Answer> answer = acquire(Bench.ask("atlas"), PATIENCE);

        assertThat(answer.cancel(false)).isTrue();

        assertThat(bench.client.waiting()).isZero();
        pass(2_000);
        assertThat(bench.sent()).hasSize(2);
    }

    @Test
    void who_loses_interest_while_asking_does_not_begin_to_wait() {
        spend(2);
        CompletableFuture<Answer> answer = bench.client.acquireAsync(Bench.ask("atlas"), PATIENCE);
        answer.cancel(false);

        bench.answerAll();

        assertThat(bench.client.waiting()).isZero();
    }

    @Test
    void as_many_wait_as_may_and_one_more_has_its_denial_at_once() {
        Bench small = bench(Map.of(ClientSettings.WAITING_MAX, "2"));
        small.answer(Bench.ask("atlas").withCost(2));
        List<CompletableFuture<Answer>> two = List.of(
                small.client.acquireAsync(Bench.ask("atlas"), PATIENCE),
                small.client.acquireAsync(Bench.ask("atlas"), PATIENCE));
        small.answerAll();

        CompletableFuture<Answer> third = small.client.acquireAsync(Bench.ask("atlas"), PATIENCE);
        small.answerAll();

        assertThat(Bench.now(third).allowed()).isFalse();
        assertThat(two).noneMatch(CompletableFuture::isDone);
        assertThat(small.registry.get("ratelimit.client.waiting").gauge().value())
                .isEqualTo(2);
    }

    @Test
    void a_patience_out_of_range_is_refused() {
        assertThatThrownBy(() -> bench.client.acquireAsync(Bench.ask("atlas"), Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxWait is PT-0.001S");
        assertThatThrownBy(() -> bench.client.acquireAsync(
                        Bench.ask("atlas"), Duration.ofHours(1).plusNanos(1)))
                .hasMessageContaining("PT1H");
    }
}
