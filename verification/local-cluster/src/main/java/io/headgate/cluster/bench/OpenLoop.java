package io.headgate.cluster.bench;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Asks at a steady rate, whatever comes of it: request {@code i} is due {@code i / rate} after the start, and nothing
 * that happened to those before it moves that. Latency counts from when a request was due. So if something stands still
 * for 100 ms at 1,000 requests a second, that is a hundred requests with latencies of 100, 99, 98 … ms, and not one: no
 * request that users would have made is left out because an earlier one was slow.
 */
final class OpenLoop implements Load {

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Never reached: a target answers OVERLOADED long before. */
    private static final int MOST_UNDER_WAY = Integer.MAX_VALUE;

    private final int perSecond;
    private final Ticker ticker;

    OpenLoop(int perSecond, Ticker ticker) {
        this.perSecond = perSecond;
        this.ticker = ticker;
    }

    @Override
    public void run(Target target, long durationNanos, Tally tally) throws InterruptedException {
        Semaphore underWay = new Semaphore(MOST_UNDER_WAY);
        long startNanos = ticker.nanos();
        long requests = Math.multiplyExact(durationNanos, (long) perSecond) / SECOND_NANOS;
        for (long i = 0; i < requests; i++) {
            long dueNanos = startNanos + Math.multiplyExact(i, SECOND_NANOS) / perSecond;
            ticker.awaitUntil(dueNanos);
            underWay.acquire();
            tally.sent(ticker.nanos() - dueNanos);
            var unused = target.ask().whenComplete((outcome, failure) -> {
                tally.ended(outcome, failure, ticker.nanos() - dueNanos);
                underWay.release();
            });
        }
        underWay.acquire(MOST_UNDER_WAY);
        tally.ran(ticker.nanos() - startNanos);
    }
}
