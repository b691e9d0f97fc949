package io.headgate.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.tools.AccessLog;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** What came of a replay. Safe for use by several threads. */
final class ReplayReport {

    private static final int TOP = 10;
    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(10);

    private final Map<String, Long> byVerdict = new TreeMap<>();
    private final Map<String, Long> byRule = new TreeMap<>();
    private final Map<String, Long> deniedByAddress = new TreeMap<>();
    private final Map<String, Long> failures = new TreeMap<>();
    private final Histogram micros = new Histogram(LONGEST_MICROS, 3);
    private long sent;
    private long answered;
    private long elapsedNanos;

    synchronized void countSent() {
        sent++;
    }

    synchronized void countAnswer(String address, int status, JsonNode body, long latencyMicros) {
        answered++;
        micros.recordValue(Math.min(latencyMicros, LONGEST_MICROS));
        String verdict = body.path("verdict").asText("");
        byVerdict.merge(status + (verdict.isEmpty() ? "" : " " + verdict), 1L, Long::sum);
        if (status == 429) {
            byRule.merge(body.path("denyingRule").asText("?"), 1L, Long::sum);
            deniedByAddress.merge(address, 1L, Long::sum);
        }
    }

    synchronized void countFailure(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        failures.merge(cause.getClass().getSimpleName() + " " + cause.getMessage(), 1L, Long::sum);
    }

    synchronized void finish(long nanos) {
        elapsedNanos = nanos;
    }

    synchronized long sent() {
        return sent;
    }

    /** Answers of any status; a request without one is a failure. */
    synchronized long answered() {
        return answered;
    }

    synchronized String print(AccessLog log) {
        StringBuilder out = new StringBuilder();
        double seconds = elapsedNanos / 1e9;
        out.append("sent       %d in %.1f s (%.0f/s)%n".formatted(sent, seconds, sent / Math.max(seconds, 1e-9)));
        out.append("answered   %d%n".formatted(answered));
        table(out, "by verdict", largestFirst(byVerdict));
        table(out, "by denying rule", largestFirst(byRule));
        table(out, "most denied", largestFirst(deniedByAddress));
        table(out, "not answered", largestFirst(failures));
        out.append("latency    p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, p99.9 %.1f ms, max %.1f ms%n"
                .formatted(millis(50), millis(90), millis(99), millis(99.9), micros.getMaxValue() / 1000.0));
        if (log.badLines() > 0) {
            out.append("bad lines  %d, left out%n".formatted(log.badLines()));
            log.firstBadLines().forEach(line -> out.append("  %s%n".formatted(line)));
        }
        return out.toString();
    }

    private double millis(double percentile) {
        return micros.getValueAtPercentile(percentile) / 1000.0;
    }

    private static List<Map.Entry<String, Long>> largestFirst(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(TOP)
                .toList();
    }

    private static void table(StringBuilder out, String title, List<Map.Entry<String, Long>> rows) {
        if (!rows.isEmpty()) {
            out.append(title).append('\n');
            rows.forEach(row -> out.append("  %8d  %s%n".formatted(row.getValue(), row.getKey())));
        }
    }
}
