package io.headgate.gateway.server.rls;

import static io.headgate.gateway.server.rls.Envoy.descriptor;
import static io.headgate.gateway.server.rls.Envoy.request;
import static io.headgate.gateway.server.rls.Envoy.withHits;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.headgate.envoy.service.ratelimit.v3.RateLimitRequest;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Unavailable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How often, and in which order, the questions of one request are put. */
class AllOrNothingTest {

    private static final long SECOND = 1_000;

    private final ShardLimiter limiter = ShardLimiter.under(ShopPolicy.SPEC);
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger leftCharged = new AtomicInteger();
    private final AllOrNothing asking = new AllOrNothing(limiter, nanos::get, leftCharged::incrementAndGet);

    private List<Answer> ask(RateLimitRequest.Builder request) {
        return asking.ask(questions(request), SECOND).join();
    }

    private List<DescriptorQuestion> questions(RateLimitRequest.Builder request) {
        return new DescriptorReader(limiter, Map.of()).read(request.build(), new NamedValues(limiter.candidates()));
    }

    private static RateLimitRequest.Builder pathAndTen() {
        return request("shop", descriptor("ten", "x"), descriptor("path", "/a"));
    }

    /** {@code +} and {@code ?} for each question that was admitted or looked at, with its first key. */
    private List<String> asked() {
        return limiter.asked().stream()
                .map(one -> (one.admit() ? "+" : "?") + one.ask().route().split("/", -1)[2])
                .toList();
    }

    private static List<Boolean> allowed(List<Answer> answers) {
        return answers.stream().map(Answer::allowed).toList();
    }

    private static long remaining(Answer answer) {
        return ((Decided) answer).decision().remaining().orElseThrow();
    }

    @Test
    void one_question_is_asked_once() {
        ask(request("shop", descriptor("path", "/a")));
        ask(request("shop", withHits(0, descriptor("path", "/a"))));

        assertThat(asked()).containsExactly("+path", "?path");
    }

    @Test
    void several_are_looked_at_and_the_one_that_is_nearly_spent_is_charged_before_the_others() {
        List<Answer> answers = ask(pathAndTen());

        assertThat(asked()).containsExactly("?ten", "?path", "+path", "+ten");
        assertThat(answers).extracting(AllOrNothingTest::remaining).containsExactly(9L, 2L);
    }

    @Test
    void where_none_is_nearly_spent_they_are_charged_together() {
        limiter.decideBy(ShopPolicy.SPEC
                .replace("'requests':10,", "'requests':1000,")
                .replace("'requests':3,", "'requests':900,"));
        CompletableFuture<Answer> first = new CompletableFuture<>();
        limiter.answerInstead(one -> one.admit() && one.ask().attributes().containsKey("ten")
                ? first
                : CompletableFuture.completedFuture(limiter.fold(one)));

        CompletableFuture<List<Answer>> answers = asking.ask(questions(pathAndTen()), SECOND);

        assertThat(asked()).containsExactly("?ten", "?path", "+ten", "+path");
        assertThat(answers).isNotDone();
        first.complete(limiter.fold(limiter.asked().get(2)));
        assertThat(answers.join()).extracting(AllOrNothingTest::remaining).containsExactly(999L, 899L);
    }

    @Test
    void a_denial_at_the_look_charges_nothing() {
        ask(request("shop", descriptor("path", "/a")).setHitsAddend(3));

        List<Answer> answers = ask(pathAndTen());

        assertThat(allowed(answers)).containsExactly(true, false);
        assertThat(asked()).containsExactly("+path", "?ten", "?path");
        assertThat(leftCharged).hasValue(0);
    }

    @Test
    void checks_are_never_charged() {
        ask(request(
                "shop",
                withHits(0, descriptor("ten", "x")),
                descriptor("path", "/a"),
                withHits(0, descriptor("a", "b"))));

        assertThat(asked()).containsExactly("?ten", "?path", "?a", "+path");
    }

    @Test
    void only_checks_are_looked_at_and_that_is_all() {
        ask(request("shop", withHits(0, descriptor("ten", "x")), withHits(0, descriptor("path", "/a"))));

        assertThat(asked()).containsExactly("?ten", "?path");
    }

    /** Between the look and the charge somebody else takes what was left of the scarce one: nothing else is charged. */
    @Test
    void whoever_loses_the_last_of_the_scarce_one_is_charged_for_nothing() {
        somebodyElseTakesAfterTheLook(descriptor("path", "/a"), 3);

        List<Answer> answers = ask(pathAndTen());

        assertThat(allowed(answers)).containsExactly(true, false);
        assertThat(remaining(ask(request("shop", withHits(0, descriptor("ten", "x"))))
                        .get(0)))
                .isEqualTo(10);
        assertThat(leftCharged).hasValue(0);
    }

    /** The same with the other one: the scarce one was charged before. That stays, and is counted. */
    @Test
    void what_was_charged_before_another_was_lost_stays_charged_and_is_counted() {
        somebodyElseTakesAfterTheLook(descriptor("ten", "x"), 10);

        List<Answer> answers = ask(pathAndTen());

        assertThat(allowed(answers)).containsExactly(false, true);
        assertThat(remaining(ask(request("shop", withHits(0, descriptor("path", "/a"))))
                        .get(0)))
                .isEqualTo(2);
        assertThat(leftCharged).hasValue(1);
    }

    @Test
    void the_same_descriptor_twice_needs_room_for_both() {
        ask(request("shop", descriptor("path", "/a")).setHitsAddend(2));

        List<Answer> answers = ask(request("shop", descriptor("path", "/a"), descriptor("path", "/a")));

        assertThat(allowed(answers)).containsExactly(true, false);
        assertThat(leftCharged).as("one of the two had room").hasValue(1);
    }

    @Test
    void what_nobody_decided_at_the_look_is_not_charged() {
        limiter.answerInstead(one -> CompletableFuture.completedFuture(
                one.ask().attributes().containsKey("ten")
                        ? Unavailable.because(Cause.DEADLINE, "no answer came in time")
                        : limiter.fold(one)));

        List<Answer> answers = ask(pathAndTen());

        assertThat(allowed(answers)).containsExactly(false, true);
        assertThat(asked()).containsExactly("?ten", "?path");
    }

    @Test
    void under_contention_no_limit_is_exceeded_and_every_hit_is_of_a_request_that_passed_or_counted_as_left() {
        limiter.decideBy(ShopPolicy.SPEC
                .replace("'requests':10,", "'requests':500,")
                .replace("'requests':3,", "'requests':300,"));
        RateLimitRequest.Builder request = pathAndTen();
        ExecutorService callers = Executors.newFixedThreadPool(8);
        try {
            List<CompletableFuture<List<Answer>>> all = IntStream.range(0, 2_000)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> ask(request), callers))
                    .toList();
            long passed = all.stream()
                    .map(CompletableFuture::join)
                    .filter(answers -> !allowed(answers).contains(false))
                    .count();

            long tenSpent = 500
                    - remaining(ask(request("shop", withHits(0, descriptor("ten", "x"))))
                            .get(0));
            long pathSpent = 300
                    - remaining(ask(request("shop", withHits(0, descriptor("path", "/a"))))
                            .get(0));
            assertThat(pathSpent).isBetween(passed, 300L);
            assertThat(tenSpent).isBetween(passed, 500L);
            assertThat(tenSpent + pathSpent).isEqualTo(2 * passed + leftCharged.get());
            assertThat(pathSpent).as("the scarce one is used to the last").isEqualTo(300);
        } finally {
            callers.shutdownNow();
        }
    }

    @Test
    void all_steps_share_one_deadline() {
        answersTake(300);

        ask(pathAndTen());

        assertThat(limiter.asked())
                .extracting(one -> one.ask().deadlineMillis().orElseThrow())
                .as("looks together, one charge after the other")
                .containsExactly(1_000L, 1_000L, 400L, 100L);
    }

    @Test
    void after_the_deadline_nothing_is_asked() {
        answersTake(500);

        List<Answer> answers = ask(pathAndTen());

        assertThat(asked()).containsExactly("?ten", "?path");
        assertThat(allowed(answers)).containsExactly(true, false);
        assertThat(answers.get(1)).isEqualTo(Unavailable.because(Cause.DEADLINE, "no answer came in time"));
    }

    private void answersTake(long millis) {
        limiter.answerInstead(one -> {
            nanos.addAndGet(millis * 1_000_000);
            return CompletableFuture.completedFuture(limiter.fold(one));
        });
    }

    /** Once, after the last look. */
    private void somebodyElseTakesAfterTheLook(RateLimitDescriptor.Builder descriptor, int hits) {
        AtomicInteger charges = new AtomicInteger();
        limiter.answerInstead(one -> {
            if (one.admit() && charges.getAndIncrement() == 0) {
                DescriptorQuestion theirs = questions(
                                request("shop", descriptor).setHitsAddend(hits))
                        .get(0);
                assertThat(limiter.fold(new ShardLimiter.Asked(true, theirs.ask()))
                                .allowed())
                        .isTrue();
            }
            return CompletableFuture.completedFuture(limiter.fold(one));
        });
    }
}
