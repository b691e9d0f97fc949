package io.headgate.gateway.server.rls;

import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Asks the questions of one request so that a request that is refused is not charged for. One question is one decision, and
 * a decision charges all its rules or none. Several are looked at first, together; only if all of them would pass they are
 * charged, together again. Where one is nearly spent, it is charged first and alone, since that is the one that somebody
 * else may have taken meanwhile.
 *
 * <p>Between the look and the charge another request may come in between. Then what this one was charged under its other
 * descriptors stays charged, and is counted.
 */
final class AllOrNothing {

    /** With room for fewer such requests a question counts as nearly spent. */
    static final long NEARLY_SPENT = 100;

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final Unavailable TOO_LATE = Unavailable.because(Cause.DEADLINE, "no answer came in time");

    private final Limiter limiter;
    private final LongSupplier nanoClock;
    private final Runnable leftCharged;

    /**
     * Makes one.
     *
     * @param leftCharged told of each question that stays charged although its request is refused
     */
    AllOrNothing(Limiter limiter, LongSupplier nanoClock, Runnable leftCharged) {
        this.limiter = limiter;
        this.nanoClock = nanoClock;
        this.leftCharged = leftCharged;
    }

    /** One answer to each question, by the deadline. Of a request that was refused some answers are those of the look. */
    CompletableFuture<List<Answer>> ask(List<DescriptorQuestion> questions, long deadlineMillis) {
        return new Round(questions, nanoClock.getAsLong() + deadlineMillis * NANOS_PER_MILLI).ask();
    }

    /** The questions of one request. Its steps follow each other; no two run at a time. */
    private final class Round {

        private final List<DescriptorQuestion> questions;
        private final long deadlineNanos;
        private final List<Integer> charging;
        private final Answer[] answers;

        Round(List<DescriptorQuestion> questions, long deadlineNanos) {
            this.questions = questions;
            this.deadlineNanos = deadlineNanos;
            this.charging = places(place -> !questions.get(place).checkOnly());
            this.answers = new Answer[questions.size()];
        }

        CompletableFuture<List<Answer>> ask() {
            CompletableFuture<Boolean> allowed = questions.size() == 1 && !charging.isEmpty()
                    ? charge(charging)
                    : put(places(place -> true), limiter::peek).thenCompose(all -> all ? chargeAll() : done(false));
            return allowed.thenApply(whole -> List.of(answers));
        }

        private CompletableFuture<Boolean> chargeAll() {
            List<Integer> first = charging.size() > 1 ? nearlySpent() : List.of();
            if (first.isEmpty()) {
                return charge(charging).thenApply(all -> settled(charging, all));
            }
            List<Integer> rest = new ArrayList<>(charging);
            rest.removeAll(first);
            return charge(first)
                    .thenCompose(
                            passed -> passed ? charge(rest).thenApply(all -> settled(charging, all)) : done(false));
        }

        private CompletableFuture<Boolean> charge(List<Integer> places) {
            return put(places, limiter::admit);
        }

        /** Puts some of the questions, together, and says whether all of them pass. */
        private CompletableFuture<Boolean> put(List<Integer> places, Function<Ask, CompletableFuture<Answer>> asking) {
            long leftMillis = (deadlineNanos - nanoClock.getAsLong()) / NANOS_PER_MILLI;
            List<CompletableFuture<Answer>> given = places.stream()
                    .map(place -> leftMillis < 1
                            ? CompletableFuture.<Answer>completedFuture(TOO_LATE)
                            : asking.apply(questions.get(place).ask().withDeadlineMillis(leftMillis)))
                    .toList();
            return CompletableFuture.allOf(given.toArray(CompletableFuture<?>[]::new))
                    .thenApply(unused -> {
                        IntStream.range(0, given.size())
                                .forEach(i ->
                                        answers[places.get(i)] = given.get(i).join());
                        return places.stream().allMatch(place -> answers[place].allowed());
                    });
        }

        private boolean settled(List<Integer> charged, boolean allowed) {
            if (!allowed) {
                charged.stream().filter(place -> answers[place].allowed()).forEach(place -> leftCharged.run());
            }
            return allowed;
        }

        /** The place that has room for the fewest such requests, if they are few. */
        private List<Integer> nearlySpent() {
            return charging.stream()
                    .filter(place -> room(place) < NEARLY_SPENT)
                    .min(Comparator.comparingLong(this::room))
                    .stream()
                    .toList();
        }

        private long room(int place) {
            return answers[place] instanceof Decided decided
                            && decided.decision().remaining().isPresent()
                    ? decided.decision().remaining().getAsLong()
                            / questions.get(place).hits()
                    : Long.MAX_VALUE;
        }

        private List<Integer> places(IntPredicate which) {
            return IntStream.range(0, questions.size()).filter(which).boxed().toList();
        }
    }

    private static CompletableFuture<Boolean> done(boolean allowed) {
        return CompletableFuture.completedFuture(allowed);
    }
}
