package io.headgate.tools.backtest;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A report as CSV (RFC 4180, but for lines that end in LF): a line a name, with the kind of name in front. Its columns are
 * a promise; others may be added behind them.
 */
final class CsvReport {

    private final PrintWriter out;

    private CsvReport(PrintWriter out) {
        this.out = out;
    }

    static void print(Report report, PrintWriter out) {
        new CsvReport(out).print(report);
        out.flush();
    }

    private void print(Report report) {
        Tally tally = report.tally();
        List<String> header = new ArrayList<>(List.of("kind", "name"));
        for (Column column : Column.values()) {
            header.add(JsonReport.camel(column));
        }
        header.addAll(List.of("shadowBefore", "shadowAfter", "softBefore", "softAfter", "mayMiss"));
        line(header);
        List<String> all = new ArrayList<>(List.of("all", ""));
        for (Column column : Column.values()) {
            all.add(Long.toString(tally.total(column)));
        }
        all.addAll(List.of("", "", "", "", "0"));
        line(all);
        for (Counts.Row row : tally.rules().all()) {
            line(List.of(
                    "rule",
                    row.name(),
                    "",
                    count(row, RuleColumn.DENIED_BEFORE),
                    count(row, RuleColumn.DENIED_AFTER),
                    count(row, RuleColumn.NEWLY_DENIED),
                    count(row, RuleColumn.NEWLY_ALLOWED),
                    "",
                    "",
                    count(row, RuleColumn.SHADOW_BEFORE),
                    count(row, RuleColumn.SHADOW_AFTER),
                    count(row, RuleColumn.SOFT_BEFORE),
                    count(row, RuleColumn.SOFT_AFTER),
                    "0"));
        }
        people("tenant", tally.tenants(), report.top());
        people("routeGroup", tally.routes(), report.top());
        people("caller", tally.callers(), report.top());
        for (Counts.Row row : tally.keys().top(RuleColumn.NEWLY_DENIED, report.top())) {
            line(List.of(
                    "key",
                    row.name().replace(Tally.SEPARATOR, ' '),
                    "",
                    "",
                    "",
                    count(row, RuleColumn.NEWLY_DENIED),
                    count(row, RuleColumn.NEWLY_ALLOWED),
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                    Long.toString(tally.keys().missing())));
        }
    }

    private void people(String kind, Counts counts, int top) {
        for (Counts.Row row : counts.top(Column.NEWLY_DENIED, top)) {
            List<String> cells = new ArrayList<>(List.of(kind, row.name()));
            for (Column column : Column.values()) {
                cells.add(count(row, column));
            }
            cells.addAll(List.of("", "", "", "", Long.toString(counts.missing())));
            line(cells);
        }
    }

    private static String count(Counts.Row row, CountColumn column) {
        return Long.toString(row.count(column));
    }

    private void line(List<String> cells) {
        out.print(String.join(",", cells.stream().map(CsvReport::quoted).toList()));
        out.print('\n');
    }

    /** What a stranger named must not become a formula where somebody opens this. */
    private static String quoted(String cell) {
        String safe = !cell.isEmpty() && "=+-@\t\r".indexOf(cell.charAt(0)) >= 0 ? "'" + cell : cell;
        boolean plain = safe.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? safe : '"' + safe.replace("\"", "\"\"") + '"';
    }
}
