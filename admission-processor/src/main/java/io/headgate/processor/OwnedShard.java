package io.headgate.processor;

import io.headgate.core.shard.Account;
import io.headgate.core.shard.ShardView;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * A shard that this process owns, as its other threads see it: the stream thread reports here what the shard has come to,
 * and finds here what an operator wants of it.
 */
final class OwnedShard {

    /** The most questions that wait at once; whoever asks more is told to come again. */
    static final int MAX_INQUIRIES = 16;

    private final int number;
    private final BlockingQueue<Inquiry> inquiries = new ArrayBlockingQueue<>(MAX_INQUIRIES);
    private final AtomicReference<Acceptance> acceptance = new AtomicReference<>();

    private volatile ShardView view;
    private volatile Optional<String> halted = Optional.empty();

    OwnedShard(int number, ShardView view) {
        this.number = number;
        this.view = view;
    }

    /** An operator's word that what is missing from the log is given up; {@code result} says where the fold went on. */
    record Acceptance(String author, String reason, CompletableFuture<Long> result) {}

    /** A question about an account, which only the stream thread may look at. */
    private record Inquiry(String partitionKey, CompletableFuture<Account> answer) {}

    int number() {
        return number;
    }

    ShardView view() {
        return view;
    }

    /** Why the shard decides nothing, if it was halted. */
    Optional<String> halted() {
        return halted;
    }

    boolean ready() {
        return halted.isEmpty() && view.caughtUp();
    }

    /** Called by the stream thread after a record. */
    void report(ShardView now) {
        view = now;
    }

    /** Called by the stream thread when log and state do not fit, and with nothing when they fit again. */
    void reportHalted(Optional<String> reason) {
        halted = reason;
    }

    /**
     * Asks the stream thread to go on behind the loss, and waits until it has.
     *
     * @return the offset at which the fold went on
     * @throws IllegalStateException if the shard is not halted
     * @throws TimeoutException if no record came along to go on with
     */
    long acceptLoss(String author, String reason, long timeoutMillis) throws TimeoutException, InterruptedException {
        if (halted.isEmpty()) {
            throw new IllegalStateException("shard " + number + " is not halted; there is no loss to accept");
        }
        Acceptance wanted = new Acceptance(author, reason, new CompletableFuture<>());
        acceptance.set(wanted);
        try {
            return wanted.result().get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause().getMessage(), failed.getCause());
        } finally {
            acceptance.compareAndSet(wanted, null);
        }
    }

    /** Takes what an operator has accepted, once. */
    Optional<Acceptance> takeAcceptance() {
        return Optional.ofNullable(acceptance.getAndSet(null));
    }

    /**
     * Asks the stream thread what the shard knows of a partition key, and waits until it has said so.
     *
     * @throws TimeoutException if no record came along for the stream thread to find the question with, or too many ask
     */
    Account account(String partitionKey, long timeoutMillis) throws TimeoutException, InterruptedException {
        Inquiry inquiry = new Inquiry(partitionKey, new CompletableFuture<>());
        if (!inquiries.offer(inquiry)) {
            throw new TimeoutException(MAX_INQUIRIES + " others are waiting for shard " + number);
        }
        try {
            return inquiry.answer().get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause().getMessage(), failed.getCause());
        } finally {
            inquiries.remove(inquiry);
        }
    }

    /** Called by the stream thread between two records. What goes wrong here is told to whoever asked. */
    void answerInquiries(Function<String, Account> accounts) {
        for (Inquiry inquiry = inquiries.poll(); inquiry != null; inquiry = inquiries.poll()) {
            try {
                inquiry.answer().complete(accounts.apply(inquiry.partitionKey()));
            } catch (RuntimeException failure) {
                inquiry.answer().completeExceptionally(failure);
            }
        }
    }
}
