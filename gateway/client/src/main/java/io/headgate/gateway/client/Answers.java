package io.headgate.gateway.client;

import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Counts the questions that wait, and gives each its answer, once: an answer to one of its calls that is not the last
 * word sends it on to its next stage. Futures are completed on threads of their own, so that a caller who blocks there
 * holds up neither replies nor deadlines.
 */
final class Answers {

    static final Unavailable TOO_LATE = Unavailable.because(Cause.DEADLINE, "no answer came in time");

    private final int maxPending;
    private final DeadlineWheel wheel;
    private final LongSupplier nanoClock;
    private final Executor answering;
    private final ClientMeters meters;
    private final AtomicInteger pending;
    private final Course course;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private volatile boolean awaitingIdle;

    /**
     * Makes the counter of one client.
     *
     * @param maxPending how many questions may wait
     * @param pending how many do
     * @param wheel where their deadlines stand
     * @param nanoClock the client's clock
     * @param answering completes the futures
     * @param meters counts the answers
     * @param course what happens to calls and questions on their way
     */
    Answers(
            int maxPending,
            AtomicInteger pending,
            DeadlineWheel wheel,
            LongSupplier nanoClock,
            Executor answering,
            ClientMeters meters,
            Course course) {
        this.maxPending = maxPending;
        this.wheel = wheel;
        this.nanoClock = nanoClock;
        this.answering = answering;
        this.meters = meters;
        this.pending = pending;
        this.course = course;
    }

    /** What happens to calls and questions on their way. */
    interface Course {

        /** Notes the answer to a call. */
        void heard(Call call, Answer answer);

        /** Puts a question to the stage that it is in. */
        void goOn(Question question);

        /** What its caller gets in the end. */
        Answer lastWord(Question question, Answer answer);

        /** A question waits no longer. */
        void left(Question question);
    }

    /** How many questions wait. */
    int pending() {
        return pending.get();
    }

    /** Takes a place for a question; says whether there was one. Its answer gives the place back. */
    boolean takePlace() {
        if (pending.incrementAndGet() <= maxPending) {
            return true;
        }
        givePlaceBack();
        return false;
    }

    /** Gives a place back that no question has come to. */
    void leavePlace() {
        givePlaceBack();
    }

    /** An answer to a question that never got a place. */
    CompletableFuture<Answer> atOnce(Answer answer, long startNanos) {
        meters.answered(answer, nanoClock.getAsLong() - startNanos);
        return CompletableFuture.completedFuture(answer);
    }

    /** Gives each of the calls the same answer. */
    void giveAll(List<Call> calls, Answer answer) {
        give(calls, Collections.nCopies(calls.size(), answer));
    }

    /** Gives each call its answer, unless it has one. */
    void give(List<Call> calls, List<Answer> answers) {
        long nowNanos = nanoClock.getAsLong();
        List<Runnable> completions = new ArrayList<>(calls.size());
        for (int i = 0; i < calls.size(); i++) {
            Call call = calls.get(i);
            Answer answer = answers.get(i);
            if (call.claim()) {
                wheel.remove(call);
                call.lane().answered(call);
                call.ended(answer, nowNanos);
                course.heard(call, answer);
                Question question = call.question();
                boolean passes = question.passes(answer);
                if (passes && nowNanos < question.deadlineNanos()) {
                    course.goOn(question);
                } else {
                    Answer whole = course.lastWord(question, question.concluded(passes ? TOO_LATE : answer));
                    givePlaceBack();
                    course.left(question);
                    meters.answered(whole, nowNanos - question.startNanos());
                    completions.add(() -> question.future().complete(whole));
                }
            }
        }
        if (!completions.isEmpty()) {
            complete(() -> completions.forEach(Runnable::run));
        }
    }

    /** Waits until no question waits any more, or the time is up. */
    void awaitIdle(long millis) throws InterruptedException {
        long leftNanos = TimeUnit.MILLISECONDS.toNanos(millis);
        awaitingIdle = true;
        lock.lock();
        try {
            while (pending.get() > 0 && leftNanos > 0) {
                leftNanos = idle.awaitNanos(leftNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Runs what completes futures, where callers may block. */
    void complete(Runnable completions) {
        try {
            answering.execute(completions);
        } catch (RejectedExecutionException closing) {
            completions.run();
        }
    }

    private void givePlaceBack() {
        if (pending.decrementAndGet() == 0 && awaitingIdle) {
            lock.lock();
            try {
                idle.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
