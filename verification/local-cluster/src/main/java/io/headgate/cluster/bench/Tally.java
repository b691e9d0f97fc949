package io.headgate.cluster.bench;

import java.math.BigInteger;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * What came of a load. Safe for use by several threads.
 *
 * <p>A request without an answer counts among the latencies too, with the deadline or the time it waited, whichever is
 * longer: otherwise a target that refuses half of what it is asked would look twice as fast.
 */
final class Tally {

    private static final long LONGEST_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int DIGITS = 3;

    private final long deadlineMicros;
    private final Histogram latencyMicros = new ConcurrentHistogram(LONGEST_MICROS, DIGITS);
    private final Histogram lateMicros = new ConcurrentHistogram(LONGEST_MICROS, DIGITS);
    private final Map<Outcome, LongAdder> outcomes = new ConcurrentHashMap<>();
    private final LongAdder sent = new LongAdder();
    private final LongAdder elapsedNanos = new LongAdder();

    /** @param deadlineMillis how long an answer is waited for */
    Tally(long deadlineMillis) {
        this.deadlineMicros = TimeUnit.MILLISECONDS.toMicros(deadlineMillis);
    }

    /** A request went out, so long after it was due. */
    void sent(long lateNanos) {
        sent.increment();
        lateMicros.recordValue(micros(lateNanos));
    }

    /** A request is over, so long after it was due; either {@code outcome} or {@code failure} is null. */
    void ended(Outcome outcome, Throwable failure, long nanos) {
        Outcome known = failure == null
                ? outcome
                : Outcome.unanswered(failure.getClass().getSimpleName());
        outcomes.computeIfAbsent(known, first -> new LongAdder()).increment();
        latencyMicros.recordValue(known.answered() ? micros(nanos) : Math.max(micros(nanos), deadlineMicros));
    }

    /** A slice of the load took so long, the wait for its last answer included. */
    void ran(long nanos) {
        elapsedNanos.add(nanos);
    }

    /** Adds what came of another slice of the same load. */
    void add(Tally other) {
        latencyMicros.add(other.latencyMicros);
        lateMicros.add(other.lateMicros);
        other.outcomes.forEach((outcome, count) ->
                outcomes.computeIfAbsent(outcome, first -> new LongAdder()).add(count.sum()));
        sent.add(other.sent.sum());
        elapsedNanos.add(other.elapsedNanos.sum());
    }

    long sent() {
        return sent.sum();
    }

    long answered() {
        return outcomes.entrySet().stream()
                .filter(entry -> entry.getKey().answered())
                .mapToLong(entry -> entry.getValue().sum())
                .sum();
    }

    /** How many ended without an answer. */
    long unanswered() {
        return latencyMicros.getTotalCount() - answered();
    }

    /** How often each outcome came, by its name. */
    SortedMap<String, Long> outcomes() {
        SortedMap<String, Long> counts = new TreeMap<>();
        outcomes.forEach((outcome, count) -> counts.merge(outcome.name(), count.sum(), Long::sum));
        return counts;
    }

    /** Answers a second, rounded to the nearest; 0 if no time has passed. */
    long answeredPerSecond() {
        BigInteger nanos = BigInteger.valueOf(elapsedNanos.sum());
        return nanos.signum() == 0
                ? 0
                : BigInteger.valueOf(answered())
                        .multiply(BigInteger.valueOf(TimeUnit.SECONDS.toNanos(1)))
                        .add(nanos.shiftRight(1))
                        .divide(nanos)
                        .longValueExact();
    }

    /** The latency that {@code percentile} per cent stay at or below, in µs, to three digits. */
    long latencyMicros(double percentile) {
        return latencyMicros.getValueAtPercentile(percentile);
    }

    /** The longest latency, in µs, to three digits. */
    long maxLatencyMicros() {
        return latencyMicros.getMaxValue();
    }

    /** How late {@code percentile} per cent of the requests went out at most, in µs, to three digits. */
    long lateMicros(double percentile) {
        return lateMicros.getValueAtPercentile(percentile);
    }

    private static long micros(long nanos) {
        return Math.min(LONGEST_MICROS, TimeUnit.NANOSECONDS.toMicros(nanos));
    }
}
