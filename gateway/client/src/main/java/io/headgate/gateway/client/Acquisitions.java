package io.headgate.gateway.client;

import io.headgate.core.decision.Verdict;
import io.headgate.gateway.client.Answer.Decided;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The requests that wait for their budget, a bounded number. Each waits as long as its denial says, no shorter, then
 * asks again; of those whose wait is over in the same tick the one that began first asks first. Nothing is reserved for
 * who waits: somebody else may have spent it by then, and the next denial says how long to wait from there.
 */
final class Acquisitions {

    /** The longest wait for a budget. */
    static final Duration MAX_WAIT = Duration.ofHours(1);

    private final int maxWaiting;
    private final DeadlineWheel wheel;
    private final LongSupplier nanoClock;
    private final Answers answers;
    private final Function<Ask, CompletableFuture<Answer>> admit;
    private final AtomicInteger places = new AtomicInteger();
    private final AtomicLong begun = new AtomicLong();
    private final Set<Acquisition> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Makes those of one client.
     *
     * @param maxWaiting how many may wait at a time
     * @param wheel says whose wait is over
     * @param nanoClock the client's clock
     * @param answers completes the futures of those that a close ends
     * @param admit asks once
     */
    Acquisitions(
            int maxWaiting,
            DeadlineWheel wheel,
            LongSupplier nanoClock,
            Answers answers,
            Function<Ask, CompletableFuture<Answer>> admit) {
        this.maxWaiting = maxWaiting;
        this.wheel = wheel;
        this.nanoClock = nanoClock;
        this.answers = answers;
        this.admit = admit;
    }

    /** How many wait. */
    int waiting() {
        return waiting.size();
    }

    CompletableFuture<Answer> begin(Ask ask, Duration maxWait) {
        if (maxWait.isNegative() || maxWait.compareTo(MAX_WAIT) > 0) {
            throw new IllegalArgumentException("maxWait is " + maxWait + "; it must be 0 to " + MAX_WAIT);
        }
        Acquisition acquisition =
                new Acquisition(begun.getAndIncrement(), ask, nanoClock.getAsLong() + maxWait.toNanos());
        // A caller who has lost interest completes the future himself.
        CompletableFuture<Answer> unused = acquisition.future().whenComplete((answer, failure) -> endWait(acquisition));
        ask(acquisition);
        return acquisition.future();
    }

    /** Asks again for those whose wait is over. */
    void over(List<Acquisition> due) {
        due.sort(Comparator.comparingLong(Acquisition::number));
        for (Acquisition acquisition : due) {
            if (endWait(acquisition)) {
                ask(acquisition);
            }
        }
    }

    /** Answers all that wait CLOSED, and all that would. */
    void close() {
        closed = true;
        waiting.forEach(this::giveUp);
    }

    private void ask(Acquisition acquisition) {
        CompletableFuture<Answer> unused = admit.apply(acquisition.ask()).whenComplete((answer, failure) -> {
            if (failure == null) {
                answered(acquisition, answer);
            } else {
                acquisition.future().completeExceptionally(failure);
            }
        });
    }

    private void answered(Acquisition acquisition, Answer answer) {
        OptionalLong dueNanos = dueNanos(acquisition, answer);
        if (dueNanos.isEmpty() || !takePlace()) {
            acquisition.future().complete(acquisition.concluded(answer));
            return;
        }
        acquisition.staysAt((Decided) answer);
        waiting.add(acquisition);
        acquisition.waits();
        wheel.add(acquisition, dueNanos.getAsLong());
        // Whoever closed the client or lost interest meanwhile may not have seen it wait.
        if (closed) {
            giveUp(acquisition);
        } else if (acquisition.future().isDone()) {
            endWait(acquisition);
        }
    }

    /** When to ask again; empty if that would be too late, or never of use. */
    private OptionalLong dueNanos(Acquisition acquisition, Answer answer) {
        if (!(answer instanceof Decided decided) || decided.decision().verdict() != Verdict.DENY) {
            return OptionalLong.empty();
        }
        OptionalLong hintMillis = decided.decision().retryAfterMillis();
        long leftNanos = acquisition.endNanos() - nanoClock.getAsLong();
        // The wheel gives an entry out up to a tick before its time, and a hint is the least that helps.
        long mostMillis = TimeUnit.NANOSECONDS.toMillis(leftNanos - DeadlineWheel.TICK_NANOS);
        if (acquisition.future().isDone()
                || hintMillis.isEmpty()
                || leftNanos < DeadlineWheel.TICK_NANOS
                || hintMillis.getAsLong() > mostMillis) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(nanoClock.getAsLong()
                + TimeUnit.MILLISECONDS.toNanos(hintMillis.getAsLong())
                + DeadlineWheel.TICK_NANOS);
    }

    private boolean takePlace() {
        if (places.incrementAndGet() <= maxWaiting) {
            return true;
        }
        places.decrementAndGet();
        return false;
    }

    private boolean endWait(Acquisition acquisition) {
        if (!acquisition.waitsNoLonger()) {
            return false;
        }
        waiting.remove(acquisition);
        places.decrementAndGet();
        wheel.remove(acquisition);
        return true;
    }

    private void giveUp(Acquisition acquisition) {
        if (endWait(acquisition)) {
            Answer whole = acquisition.concluded(HeadgateClient.CLOSED);
            answers.complete(() -> acquisition.future().complete(whole));
        }
    }
}
