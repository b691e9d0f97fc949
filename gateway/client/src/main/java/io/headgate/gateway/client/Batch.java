package io.headgate.gateway.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls that go to their shard in one record, under one number. It may be sent again, but only as it is: the shard
 * remembers the number and repeats its answers.
 */
final class Batch extends DeadlineWheel.Entry {

    private final Lane lane;
    private final long sequence;
    private final List<Call> calls = new ArrayList<>();

    /** The calls that nobody answered, and one more while the batch is being filled. */
    private final AtomicInteger waiting = new AtomicInteger(1);

    private final AtomicBoolean closed = new AtomicBoolean();

    private byte[] key = new byte[0];
    private byte[] value = new byte[0];
    private volatile long firstSentNanos;
    private int sends;

    Batch(Lane lane, long sequence) {
        this.lane = lane;
        this.sequence = sequence;
    }

    Lane lane() {
        return lane;
    }

    long sequence() {
        return sequence;
    }

    /** Adds a call, unless it has been answered; says whether it did. */
    boolean add(Call call) {
        waiting.incrementAndGet();
        if (call.joins(this)) {
            calls.add(call);
            return true;
        }
        waiting.decrementAndGet();
        return false;
    }

    /** In the order of the commands. */
    List<Call> calls() {
        return calls;
    }

    /** Sets what stands in the log, for good. */
    void encodedAs(byte[] recordKey, byte[] recordValue) {
        key = recordKey;
        value = recordValue;
    }

    byte[] key() {
        return key;
    }

    byte[] value() {
        return value;
    }

    /** Notes that it is being sent; says whether for the first time. */
    boolean sendingAt(long nowNanos) {
        if (sends++ > 0) {
            return false;
        }
        firstSentNanos = nowNanos;
        return true;
    }

    /** When it was first sent; the log cannot have it from an earlier time. */
    long firstSentNanos() {
        return firstSentNanos;
    }

    /** Notes that one less waits for it; says whether that was the last. */
    boolean oneLessWaits() {
        return waiting.decrementAndGet() == 0;
    }

    /** Whether somebody still waits for it and no answer came. */
    boolean isOpen() {
        return !closed.get();
    }

    /** Closes it; says whether it was open. */
    boolean close() {
        return closed.compareAndSet(false, true);
    }
}
