package io.headgate.cluster.bench;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The way to one partition of the echo. It makes batches as the client's lanes do: one send is under way at a time, and
 * what is waiting when it is over goes out together.
 */
final class EchoLane {

    /** As for the client: commands of a batch, and batches without an answer, at most. */
    private static final int MAX_CALLS = 500;

    private static final int MAX_UNANSWERED = 128;

    private static final Outcome LATE = Outcome.unanswered("DEADLINE");

    /** One request. */
    record Call(long deadlineNanos, CompletableFuture<Outcome> future) {

        void end(Outcome outcome, long nowNanos) {
            future.complete(nowNanos - deadlineNanos > 0 ? LATE : outcome);
        }
    }

    /** Puts a batch into the log, and says when that is over, on any thread; what failed is null if nothing did. */
    @FunctionalInterface
    interface Send {
        void batch(int shard, long sequence, int calls, Consumer<Exception> over);
    }

    private final int shard;
    private final Send send;
    private final Executor sender;

    /** Its lock guards it. */
    private final Deque<Call> waiting = new ArrayDeque<>();

    private final Map<Long, List<Call>> unanswered = new ConcurrentHashMap<>();
    private final AtomicBoolean stepIsDue = new AtomicBoolean();

    // what the sender's thread keeps
    private boolean underWay;
    private long nextSequence;

    /**
     * Makes a lane.
     *
     * @param sender runs one thing after the other
     */
    EchoLane(int shard, Send send, Executor sender) {
        this.shard = shard;
        this.send = send;
        this.sender = sender;
    }

    void add(Call call) {
        synchronized (waiting) {
            waiting.add(call);
        }
        wake();
    }

    /** An echo came back. */
    void answered(long sequence, long nowNanos) {
        List<Call> calls = unanswered.remove(sequence);
        if (calls != null) {
            calls.forEach(call -> call.end(Outcome.ECHO, nowNanos));
            wake();
        }
    }

    /** Gives up what has waited beyond its deadline: a batch when the last of its calls has. */
    void expire(long nowNanos) {
        synchronized (waiting) {
            while (!waiting.isEmpty() && nowNanos - waiting.peek().deadlineNanos() > 0) {
                waiting.remove().end(LATE, nowNanos);
            }
        }
        unanswered.forEach((sequence, calls) -> {
            if (nowNanos - calls.get(calls.size() - 1).deadlineNanos() > 0) {
                answered(sequence, nowNanos);
            }
        });
    }

    private void wake() {
        if (stepIsDue.compareAndSet(false, true)) {
            sender.execute(() -> {
                stepIsDue.set(false);
                step();
            });
        }
    }

    private void step() {
        if (underWay || unanswered.size() >= MAX_UNANSWERED) {
            return;
        }
        List<Call> calls = new ArrayList<>();
        synchronized (waiting) {
            while (!waiting.isEmpty() && calls.size() < MAX_CALLS) {
                calls.add(waiting.remove());
            }
        }
        if (calls.isEmpty()) {
            return;
        }
        long sequence = nextSequence++;
        unanswered.put(sequence, calls);
        underWay = true;
        send.batch(shard, sequence, calls.size(), failure -> sender.execute(() -> sent(sequence, failure)));
    }

    private void sent(long sequence, Exception failure) {
        underWay = false;
        if (failure != null) {
            List<Call> calls = unanswered.remove(sequence);
            if (calls != null) {
                Outcome failed = Outcome.unanswered("SEND_FAILED");
                calls.forEach(call -> call.future().complete(failed));
            }
        }
        step();
    }
}
