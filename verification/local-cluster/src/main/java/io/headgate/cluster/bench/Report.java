package io.headgate.cluster.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.cluster.bench.Bench.Results;
import io.headgate.cluster.bench.Comparison.Measured;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/** What a bench measured, as a table for people or as JSON. */
final class Report {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Plan plan;
    private final Setting setting;
    private final Results results;

    Report(Plan plan, Setting setting, Results results) {
        this.plan = plan;
        this.setting = setting;
        this.results = results;
    }

    /** A quantile that is reported. */
    private record Quantile(String label, String field, ToLongFunction<Tally> micros) {}

    private static final List<Quantile> QUANTILES = List.of(
            new Quantile("p50", "p50", tally -> tally.latencyMicros(50)),
            new Quantile("p99", "p99", tally -> tally.latencyMicros(99)),
            new Quantile("p99.9", "p999", tally -> tally.latencyMicros(99.9)),
            new Quantile("max", "max", Tally::maxLatencyMicros));

    /** Whether every request was answered. */
    boolean complete() {
        return List.of(results.openLoop(), results.saturation()).stream()
                .allMatch(part -> total(part.decisions()).unanswered() == 0
                        && total(part.echo()).unanswered() == 0);
    }

    String table() {
        StringBuilder out = new StringBuilder();
        out.append(line(
                "%s, %d shards, %d users; %d processors, %d MiB heap, Java %s, %s%n",
                setting.embedded() ? "broker and processor in this JVM" : "a cluster elsewhere",
                setting.shards(),
                plan.keys(),
                setting.processors(),
                setting.maxHeapMebibytes(),
                setting.java(),
                setting.system()));
        String seconds = ", " + plan.durationSeconds() + " s each";
        table(out, "open loop, " + plan.rate() + "/s" + seconds, results.openLoop(), true);
        table(out, "saturation, " + plan.inFlight() + " under way" + seconds, results.saturation(), false);
        return out.toString();
    }

    private static void table(StringBuilder out, String title, Measured part, boolean paced) {
        Tally decisions = total(part.decisions());
        Tally echo = total(part.echo());
        out.append(line("%n%-40s %16s %16s %8s%n", title, "decisions", "echo", "ratio"));
        row(
                out,
                "  answered per second",
                Long.toString(decisions.answeredPerSecond()),
                Long.toString(echo.answeredPerSecond()),
                ratio(decisions.answeredPerSecond(), echo.answeredPerSecond()));
        for (Quantile quantile : QUANTILES) {
            long ours = quantile.micros().applyAsLong(decisions);
            long floor = quantile.micros().applyAsLong(echo);
            row(out, "  latency " + quantile.label(), millis(ours), millis(floor), ratio(ours, floor));
        }
        row(out, "  p99 of the best and the worst slice", spread(part.decisions()), spread(part.echo()), null);
        if (paced) {
            row(out, "  sent late p99", millis(decisions.lateMicros(99)), millis(echo.lateMicros(99)), null);
        }
        row(out, "  sent", Long.toString(decisions.sent()), Long.toString(echo.sent()), null);
        decisions.outcomes().forEach((name, count) -> row(out, "    " + name, Long.toString(count), "", null));
        echo.outcomes().forEach((name, count) -> row(out, "    " + name, "", Long.toString(count), null));
        row(out, "  not answered", Long.toString(decisions.unanswered()), Long.toString(echo.unanswered()), null);
    }

    private static void row(StringBuilder out, String name, String decisions, String echo, BigDecimal ratio) {
        String line = line("%-40s %16s %16s %8s", name, decisions, echo, ratio == null ? "" : ratio.toPlainString());
        out.append(line.stripTrailing()).append('\n');
    }

    private static String spread(List<Tally> slices) {
        var p99 = slices.stream().mapToLong(slice -> slice.latencyMicros(99)).summaryStatistics();
        return shortMillis(p99.getMin()) + "-" + shortMillis(p99.getMax()) + " ms";
    }

    String json() {
        ObjectNode root = JSON.createObjectNode();
        root.putObject("setting")
                .put("embedded", setting.embedded())
                .put("shards", setting.shards())
                .put("processors", setting.processors())
                .put("maxHeapMebibytes", setting.maxHeapMebibytes())
                .put("java", setting.java())
                .put("system", setting.system());
        root.putObject("plan")
                .put("rate", plan.rate())
                .put("durationSeconds", plan.durationSeconds())
                .put("warmUpSeconds", plan.warmUpSeconds())
                .put("keys", plan.keys())
                .put("inFlight", plan.inFlight())
                .put("deadlineMillis", plan.deadlineMillis())
                .put("route", plan.route());
        json(root.putObject("openLoop"), results.openLoop());
        json(root.putObject("saturation"), results.saturation());
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("a tree can always be written", impossible);
        }
    }

    private static void json(ObjectNode out, Measured part) {
        Tally decisions = total(part.decisions());
        Tally echo = total(part.echo());
        json(out.putObject("decisions"), decisions, part.decisions());
        json(out.putObject("echo"), echo, part.echo());
        ObjectNode ratio = out.putObject("ratio");
        ratio.put("answeredPerSecond", ratio(decisions.answeredPerSecond(), echo.answeredPerSecond()));
        for (Quantile quantile : QUANTILES) {
            ratio.put(
                    quantile.field(),
                    ratio(
                            quantile.micros().applyAsLong(decisions),
                            quantile.micros().applyAsLong(echo)));
        }
    }

    private static void json(ObjectNode out, Tally total, List<Tally> slices) {
        out.put("sent", total.sent())
                .put("answered", total.answered())
                .put("unanswered", total.unanswered())
                .put("answeredPerSecond", total.answeredPerSecond());
        ObjectNode outcomes = out.putObject("outcomes");
        for (Map.Entry<String, Long> outcome : total.outcomes().entrySet()) {
            outcomes.put(outcome.getKey(), outcome.getValue());
        }
        latencies(out.putObject("latencyMicros"), total);
        out.put("sentLateMicrosP99", total.lateMicros(99));
        ArrayNode bySlice = out.putArray("slices");
        for (Tally slice : slices) {
            ObjectNode one = bySlice.addObject().put("answeredPerSecond", slice.answeredPerSecond());
            latencies(one.putObject("latencyMicros"), slice);
        }
    }

    private static void latencies(ObjectNode out, Tally tally) {
        QUANTILES.forEach(
                quantile -> out.put(quantile.field(), quantile.micros().applyAsLong(tally)));
    }

    private static Tally total(List<Tally> slices) {
        Tally total = new Tally(0);
        slices.forEach(total::add);
        return total;
    }

    /** To two decimals; null if there is nothing to divide by. */
    private static BigDecimal ratio(long decisions, long echo) {
        return echo == 0
                ? null
                : BigDecimal.valueOf(decisions).divide(BigDecimal.valueOf(echo), 2, RoundingMode.HALF_UP);
    }

    private static String millis(long micros) {
        return BigDecimal.valueOf(micros, 3).setScale(2, RoundingMode.HALF_UP).toPlainString() + " ms";
    }

    private static String shortMillis(long micros) {
        return BigDecimal.valueOf(micros, 3).setScale(1, RoundingMode.HALF_UP).toPlainString();
    }

    private static String line(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
