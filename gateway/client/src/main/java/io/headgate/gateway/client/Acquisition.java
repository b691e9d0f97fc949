package io.headgate.gateway.client;

import io.headgate.core.decision.Decision;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A request that may wait for its budget: asked, and asked again when there should be room. */
final class Acquisition extends DeadlineWheel.Entry {

    private final long number;
    private final long endNanos;
    private final CompletableFuture<Answer> future = new CompletableFuture<>();
    private final AtomicBoolean waiting = new AtomicBoolean();

    // what the thread keeps that handles its present answer, or the end of its wait
    private Ask ask;
    private List<Decision> passed = List.of();

    /**
     * Begins one.
     *
     * @param number those with lower ones began before
     * @param ask what is asked
     * @param endNanos when waiting ends
     */
    Acquisition(long number, Ask ask, long endNanos) {
        this.number = number;
        this.ask = ask;
        this.endNanos = endNanos;
    }

    long number() {
        return number;
    }

    long endNanos() {
        return endNanos;
    }

    CompletableFuture<Answer> future() {
        return future;
    }

    /** What is asked next. */
    Ask ask() {
        return ask;
    }

    /** The answer to the whole, given the newest one. */
    Answer concluded(Answer answer) {
        return answer.after(passed);
    }

    /** Stays where it was denied: the stages before have let it pass, and are not asked and debited again. */
    void staysAt(Answer.Decided denial) {
        passed = denial.after(passed).earlier();
        ask = ask.from(denial.stage());
    }

    /** Notes that it waits. */
    void waits() {
        waiting.set(true);
    }

    /** Ends its wait; says whether it waited. */
    boolean waitsNoLonger() {
        return waiting.compareAndSet(true, false);
    }
}
