package io.headgate.gateway.client;

import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to one shard. Of what waits, partition keys take turns. One send is under way at a time, and what is waiting when it is over goes out together: an idle
 * lane adds no wait, and a busy one fills its batches by itself.
 *
 * <p>One at a time also keeps the numbers in order. A shard never decides a number below the highest it has seen, so
 * while it is not known whether batch 7 is in the log, batch 8 stays here: 7 is sent again, unchanged, until the log has
 * it or nobody waits for it.
 */
final class Lane {

    /** Batches without an answer, beyond which the lane sends no new ones. A shard remembers its answers to 1,024. */
    static final int MAX_UNANSWERED = 128;

    /** Bytes of a batch, at most; half of what a broker accepts by default. */
    static final int MAX_BATCH_BYTES = 512 * 1024;

    /** From a failed send to the next attempt. */
    static final long RETRY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private final int shard;
    private final int maxCommands;
    private final long resendNanos;
    private final Sender sender;
    private final DeadlineWheel wheel;
    private final Answers answers;
    private final LogClock logClock;
    private final ShardBreaker breaker;

    /** Calls that are not in a batch yet; its lock guards it. */
    private final WaitingCalls waiting = new WaitingCalls();

    private final Map<Long, Batch> unanswered = new ConcurrentHashMap<>();
    private final AtomicBoolean stepIsDue = new AtomicBoolean();

    // what the sender's thread keeps
    private Optional<Batch> underWay = Optional.empty();
    private boolean failed;
    private final Deque<Batch> toSendAgain = new ArrayDeque<>();
    private long nextSequence;

    Lane(
            int shard,
            ClientSettings settings,
            Sender sender,
            DeadlineWheel wheel,
            Answers answers,
            ShardBreaker breaker) {
        this.shard = shard;
        this.maxCommands = settings.batchMaxCommands();
        this.resendNanos = TimeUnit.MILLISECONDS.toNanos(settings.resendIntervalMillis());
        this.sender = sender;
        this.wheel = wheel;
        this.answers = answers;
        this.breaker = breaker;
        this.logClock = new LogClock(settings.deadlineMarginMillis());
    }

    int shard() {
        return shard;
    }

    LogClock logClock() {
        return logClock;
    }

    ShardBreaker breaker() {
        return breaker;
    }

    void add(Call call) {
        synchronized (waiting) {
            waiting.add(call);
        }
        wake();
    }

    /** Notes that a call of this lane has its answer, wherever from. */
    void answered(Call call) {
        Optional<Batch> batch = call.batch();
        if (batch.isPresent()) {
            leave(batch.get());
        } else {
            synchronized (waiting) {
                waiting.remove(call);
            }
        }
    }

    /** The batch of that number, if somebody waits for it. */
    Optional<Batch> find(long sequence) {
        return Optional.ofNullable(unanswered.get(sequence));
    }

    /** Closes a batch; says whether it was open. */
    boolean close(Batch batch) {
        boolean wasOpen = batch.close();
        if (wasOpen) {
            unanswered.remove(batch.sequence());
            wheel.remove(batch);
            wake();
        }
        return wasOpen;
    }

    /** Its time is up: it has waited for an answer, or for another attempt, long enough. */
    void due(Batch batch) {
        sender.run(() -> {
            if (underWay.filter(current -> current == batch).isEmpty()) {
                toSendAgain.add(batch);
                step();
            } else if (failed && batch.isOpen()) {
                send(batch);
            }
        });
    }

    private void leave(Batch batch) {
        if (batch.oneLessWaits()) {
            close(batch);
        }
    }

    private void wake() {
        if (stepIsDue.compareAndSet(false, true)) {
            sender.run(() -> {
                stepIsDue.set(false);
                step();
            });
        }
    }

    // ---- on the sender's thread

    private void step() {
        boolean givenUp = failed && !underWay.map(Batch::isOpen).orElse(false);
        if (underWay.isEmpty() || givenUp) {
            failed = false;
            underWay = next();
            underWay.ifPresent(this::send);
        }
    }

    private Optional<Batch> next() {
        while (!toSendAgain.isEmpty()) {
            Batch again = toSendAgain.remove();
            if (again.isOpen()) {
                return Optional.of(again);
            }
        }
        return unanswered.size() < MAX_UNANSWERED ? nextOfWaiting() : Optional.empty();
    }

    private Optional<Batch> nextOfWaiting() {
        Batch batch = new Batch(this, nextSequence);
        synchronized (waiting) {
            int bytes = 0;
            Optional<Call> next = waiting.first();
            while (next.isPresent() && batch.calls().size() < maxCommands) {
                int callBytes = next.get().wireSizeAtMost();
                if (!batch.calls().isEmpty() && bytes + callBytes > MAX_BATCH_BYTES) {
                    break;
                }
                waiting.removeFirst();
                bytes += batch.add(next.get()) ? callBytes : 0;
                next = waiting.first();
            }
        }
        if (batch.calls().isEmpty()) {
            return Optional.empty();
        }
        nextSequence++;
        unanswered.put(batch.sequence(), batch);
        sender.encode(batch, logClock);
        leave(batch);
        return Optional.of(batch).filter(Batch::isOpen);
    }

    private void send(Batch batch) {
        failed = false;
        sender.send(batch, failure -> sent(batch, failure));
    }

    private void sent(Batch batch, Optional<Exception> failure) {
        boolean again = failure.map(Lane::isWorthAnotherAttempt).orElse(false);
        if (again && batch.isOpen()) {
            failed = true;
            wheel.add(batch, sender.nowNanos() + RETRY_PAUSE_NANOS);
            return;
        }
        underWay = Optional.empty();
        if (failure.isEmpty() && batch.isOpen()) {
            wheel.add(batch, sender.nowNanos() + resendNanos);
        }
        if (failure.isPresent() && close(batch)) {
            LOG.atWarn()
                    .addKeyValue("shard", shard)
                    .addKeyValue("batch", batch.sequence())
                    .log("Kafka refuses a batch: {}", failure.get().toString());
            answers.giveAll(
                    batch.calls(),
                    Unavailable.because(
                            Cause.SEND_FAILED,
                            "Kafka refuses the request: "
                                    + failure.get().getClass().getSimpleName()));
        }
        step();
    }

    /** Most failures leave open whether the log has the batch; with its number it may be sent again in any case. */
    private static boolean isWorthAnotherAttempt(Exception failure) {
        boolean hopeless = failure instanceof AuthorizationException
                || failure instanceof AuthenticationException
                || failure instanceof RecordTooLargeException
                || failure instanceof SerializationException
                || failure instanceof InvalidTopicException
                || failure instanceof UnsupportedVersionException;
        return failure instanceof ApiException && !hopeless;
    }
}
