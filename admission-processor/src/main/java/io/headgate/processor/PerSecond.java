package io.headgate.processor;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Lets so many through in each second of a clock, for any number of threads. */
final class PerSecond {

    /** More than enough for a count, which therefore never runs into the second beside it. */
    private static final int COUNT_BITS = 24;

    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

    private final int most;
    private final LongSupplier nowMillis;
    private final AtomicLong secondAndCount = new AtomicLong();

    /**
     * A gate.
     *
     * @param most 0 to 100,000; 0 lets nothing through
     */
    PerSecond(int most, LongSupplier nowMillis) {
        this.most = most;
        this.nowMillis = nowMillis;
    }

    boolean tryPass() {
        long second = Math.floorDiv(nowMillis.getAsLong(), 1_000L);
        while (true) {
            long before = secondAndCount.get();
            long count = before >>> COUNT_BITS == second ? before & COUNT_MASK : 0;
            if (count >= most) {
                return false;
            }
            if (secondAndCount.compareAndSet(before, second << COUNT_BITS | (count + 1))) {
                return true;
            }
        }
    }
}
