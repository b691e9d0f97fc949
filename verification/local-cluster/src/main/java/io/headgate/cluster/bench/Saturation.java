package io.headgate.cluster.bench;

import java.util.concurrent.Semaphore;

/**
 * Asks as fast as answers come: so many requests are under way all the time, and each answer makes room for the next.
 * What this tells is throughput. Its latencies are mostly time in queues of its own making: requests under way divided by
 * throughput.
 */
final class Saturation implements Load {

    private final int inFlight;
    private final Ticker ticker;

    Saturation(int inFlight, Ticker ticker) {
        this.inFlight = inFlight;
        this.ticker = ticker;
    }

    @Override
    public void run(Target target, long durationNanos, Tally tally) throws InterruptedException {
        Semaphore room = new Semaphore(inFlight);
        long startNanos = ticker.nanos();
        while (ticker.nanos() - startNanos < durationNanos) {
            room.acquire();
            long askedNanos = ticker.nanos();
            tally.sent(0);
            var unused = target.ask().whenComplete((outcome, failure) -> {
                tally.ended(outcome, failure, ticker.nanos() - askedNanos);
                room.release();
            });
        }
        room.acquire(inFlight);
        tally.ran(ticker.nanos() - startNanos);
    }
}
