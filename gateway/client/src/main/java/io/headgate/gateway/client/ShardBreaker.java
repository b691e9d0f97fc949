package io.headgate.gateway.client;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig.SlidingWindowType;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Whether it makes sense to ask one shard. It opens when half of the last calls, and a least number of them, got no
 * answer: then nobody waits for this shard any more, until a few calls that are let through after a pause get one. Each
 * shard has its own: one whose owner is gone closes no door to the others, and when the brokers are gone all of them open.
 */
final class ShardBreaker {

    static final Unavailable OPEN = Unavailable.because(
            Cause.BREAKER, "too many requests got no answer from the shard; it is not asked for a moment");

    /** How many of the last calls are looked at. */
    static final int WINDOW = 20;

    /** A call that was given less time than this says nothing of the shard when its time is up, in ms. */
    static final long LEAST_PATIENCE_MILLIS = 50;

    private static final int FAILURE_PERCENT = 50;

    private final CircuitBreaker breaker;

    /** Says that there was none; who it was is of no interest, so it has no trace. */
    private static final class NoAnswer extends Exception {

        private static final long serialVersionUID = 1;

        NoAnswer() {
            super("no answer", null, false, false);
        }
    }

    /** The client's clock, which never goes back, as the breaker wants it. Its beginning is nowhere in particular. */
    private static final class Stopwatch extends Clock {

        private final LongSupplier nanoClock;

        Stopwatch(LongSupplier nanoClock) {
            this.nanoClock = nanoClock;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusNanos(nanoClock.getAsLong());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    /**
     * Makes a closed one.
     *
     * @param shard which shard it is
     * @param settings how many calls it needs to open, how long it stays so, how many it lets through then
     * @param nanoClock the client's clock
     */
    ShardBreaker(int shard, ClientSettings settings, LongSupplier nanoClock) {
        this.breaker = CircuitBreaker.of(
                "shard-" + shard,
                CircuitBreakerConfig.custom()
                        .slidingWindow(WINDOW, settings.breakerCalls(), SlidingWindowType.COUNT_BASED)
                        .failureRateThreshold(FAILURE_PERCENT)
                        .waitDurationInOpenState(Duration.ofMillis(settings.breakerOpenMillis()))
                        .permittedNumberOfCallsInHalfOpenState(settings.breakerProbes())
                        .clock(new Stopwatch(nanoClock))
                        .currentTimestampFunction(clock -> nanoClock.getAsLong(), TimeUnit.NANOSECONDS)
                        .build());
    }

    /** Whether a call may go to the shard; how it ended has to be told then. */
    boolean lets() {
        return breaker.tryAcquirePermission();
    }

    /** A call that was let through has ended. */
    void ended(Answer answer, long nanos) {
        if (answer instanceof Unavailable hasty
                && hasty.cause() == Cause.DEADLINE
                && nanos < TimeUnit.MILLISECONDS.toNanos(LEAST_PATIENCE_MILLIS)) {
            breaker.releasePermission();
        } else if (answer instanceof Unavailable unavailable) {
            switch (unavailable.cause()) {
                case DEADLINE, SEND_FAILED -> breaker.onError(nanos, TimeUnit.NANOSECONDS, new NoAnswer());
                case CLOSED -> breaker.releasePermission();
                default -> breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
            }
        } else {
            breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
        }
    }

    boolean isOpen() {
        return breaker.getState() == CircuitBreaker.State.OPEN;
    }
}
