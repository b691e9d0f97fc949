package io.headgate.gateway.client;

import io.headgate.core.shard.Command;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Guesses the log time of a shard, never too low, from its replies. A batch that we sent at 5,000 ms on our clock and
 * that the log has from 9,007 ms tells that log time is at most 4,007 ms ahead of us: the append came after the send. A
 * deadline at 6,000 ms of ours is then written as 10,007 ms plus a margin, so that no command is refused as late while
 * its caller waits.
 *
 * <p>The newest reply counts alone, since another broker with another clock may lead the shard by now; and it counts for
 * {@link #TRUST_NANOS}, since clocks drift. Before the first reply and after that time there is no deadline on the wire.
 */
final class LogClock {

    static final long TRUST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final long marginMillis;
    private volatile Optional<Sample> newest = Optional.empty();

    private record Sample(long aheadMillis, long takenNanos) {}

    LogClock(long marginMillis) {
        this.marginMillis = marginMillis;
    }

    /** Learns from a reply. */
    void learn(long logTimeMillis, long sentNanos, long nowNanos) {
        newest = Optional.of(
                new Sample(logTimeMillis - Math.floorDiv(sentNanos, TimeUnit.MILLISECONDS.toNanos(1)), nowNanos));
    }

    /** The deadline in log time, or {@link Command#NEVER}. */
    long deadlineMillis(long deadlineNanos, long nowNanos) {
        return newest.filter(sample -> nowNanos - sample.takenNanos < TRUST_NANOS)
                .map(sample -> sample.aheadMillis
                        + Math.floorDiv(deadlineNanos, TimeUnit.MILLISECONDS.toNanos(1))
                        + 1
                        + marginMillis)
                .orElse(Command.NEVER);
    }
}
