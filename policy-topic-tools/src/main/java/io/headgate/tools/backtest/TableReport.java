package io.headgate.tools.backtest;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A report for a terminal. It is for people and may change. */
final class TableReport {

    private static final int LONGEST_NAME = 48;

    private final Report report;
    private final Tally tally;
    private final PrintWriter out;

    private TableReport(Report report, PrintWriter out) {
        this.report = report;
        this.tally = report.tally();
        this.out = out;
    }

    static void print(Report report, PrintWriter out) {
        new TableReport(report, out).print();
        out.flush();
    }

    private void print() {
        line("candidate", words(report.candidate()));
        line("baseline", words(report.baseline()));
        line("requests", tally.total(Column.REQUESTS) + " from " + report.source());
        if (tally.total(Column.REQUESTS) > 0) {
            line("time", Instant.ofEpochMilli(tally.firstMillis()) + " to " + Instant.ofEpochMilli(tally.lastMillis()));
        }
        if (tally.badCount() > 0) {
            line("unreadable", Long.toString(tally.badCount()));
            tally.bad().forEach(bad -> out.println("  " + bad));
            if (tally.badCount() > tally.bad().size()) {
                out.println("  and " + (tally.badCount() - tally.bad().size()) + " more");
            }
        }
        out.println();
        out.printf("%-16s%14s%14s%n", "", "baseline", "candidate");
        both("denied", Column.DENIED_BEFORE, Column.DENIED_AFTER);
        both("undecided", Column.UNDECIDED_BEFORE, Column.UNDECIDED_AFTER);
        out.println();
        line("newly denied", share(Column.NEWLY_DENIED));
        line("newly allowed", share(Column.NEWLY_ALLOWED));
        rules();
        people("by tenant", tally.tenants());
        people("by route group", tally.routes());
        people("by address or login name", tally.callers());
        keys();
        examples("first newly denied", tally.newlyDenied());
        examples("first newly allowed", tally.newlyAllowed());
        out.println();
        report.remarks().forEach(remark -> out.println("note: " + remark));
        if (report.threshold().isThere()) {
            out.println((report.withinThreshold() ? "within" : "ABOVE") + " the threshold of "
                    + report.threshold().words() + " newly denied");
        }
    }

    private static String words(Report.Version version) {
        return version.name() + " version " + version.version() + ", " + version.from();
    }

    private String share(Column column) {
        return tally.total(column) + " (" + Report.percent(tally.total(column), tally.total(Column.REQUESTS)) + ")";
    }

    private void both(String name, Column before, Column after) {
        out.printf("%-16s%14d%14d%n", name, tally.total(before), tally.total(after));
    }

    private void rules() {
        List<Counts.Row> rows = tally.rules().all();
        if (rows.isEmpty()) {
            return;
        }
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of("by rule", "denied", "→", "newly denied", "newly allowed", "shadow", "→", "soft", "→"));
        for (Counts.Row row : rows) {
            cells.add(List.of(
                    row.name(),
                    count(row, RuleColumn.DENIED_BEFORE),
                    count(row, RuleColumn.DENIED_AFTER),
                    count(row, RuleColumn.NEWLY_DENIED),
                    count(row, RuleColumn.NEWLY_ALLOWED),
                    count(row, RuleColumn.SHADOW_BEFORE),
                    count(row, RuleColumn.SHADOW_AFTER),
                    count(row, RuleColumn.SOFT_BEFORE),
                    count(row, RuleColumn.SOFT_AFTER)));
        }
        table(cells);
    }

    /** Those that changed most, of which there may be none. */
    private void people(String title, Counts counts) {
        List<Counts.Row> rows = counts.top(Column.NEWLY_DENIED, report.top());
        if (rows.isEmpty()) {
            return;
        }
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of(title, "requests", "denied", "→", "newly denied", "share"));
        for (Counts.Row row : rows) {
            cells.add(List.of(
                    cut(row.name()),
                    count(row, Column.REQUESTS),
                    count(row, Column.DENIED_BEFORE),
                    count(row, Column.DENIED_AFTER),
                    count(row, Column.NEWLY_DENIED),
                    Report.percent(row.count(Column.NEWLY_DENIED), row.count(Column.REQUESTS))));
        }
        table(cells);
        approximate(counts);
    }

    private void keys() {
        List<Counts.Row> rows = tally.keys().top(RuleColumn.NEWLY_DENIED, report.top());
        if (rows.isEmpty()) {
            return;
        }
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of("worst-hit keys of rules", "newly denied"));
        for (Counts.Row row : rows) {
            cells.add(List.of(cut(row.name().replace(Tally.SEPARATOR, ' ')), count(row, RuleColumn.NEWLY_DENIED)));
        }
        table(cells);
        approximate(tally.keys());
    }

    private void approximate(Counts counts) {
        if (counts.missing() > 0) {
            out.println("  there are more than can be told apart: each count may be up to " + counts.missing()
                    + " too low");
        }
    }

    private void examples(String title, List<Example> examples) {
        if (examples.isEmpty()) {
            return;
        }
        List<List<String>> cells = new ArrayList<>();
        cells.add(List.of(title, "time", "who", "route", "rule", "limit", "left"));
        for (Example example : examples) {
            cells.add(List.of(
                    example.place(),
                    Instant.ofEpochMilli(example.timeMillis()).toString(),
                    cut(example.who()),
                    cut(example.route()),
                    example.rule(),
                    number(example.limit()),
                    number(example.remaining())));
        }
        table(cells);
    }

    private static String number(long value) {
        return value < 0 ? "-" : Long.toString(value);
    }

    private static String count(Counts.Row row, CountColumn column) {
        return Long.toString(row.count(column));
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_NAME ? text : text.substring(0, LONGEST_NAME - 1) + "…";
    }

    /** Columns as wide as they have to be; text to the left, numbers to the right. */
    private void table(List<List<String>> cells) {
        out.println();
        int columns = cells.get(0).size();
        int[] widths = new int[columns];
        boolean[] numbers = new boolean[columns];
        for (int column = 0; column < columns; column++) {
            numbers[column] = true;
            for (int row = 0; row < cells.size(); row++) {
                String cell = cells.get(row).get(column);
                widths[column] = Math.max(widths[column], cell.length());
                numbers[column] &= row == 0 || cell.matches("[0-9]+(\\.[0-9] %)?|-");
            }
        }
        for (List<String> row : cells) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < columns; column++) {
                String pad = " ".repeat(widths[column] - row.get(column).length());
                line.append(numbers[column] ? pad + row.get(column) : row.get(column) + pad)
                        .append("  ");
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private void line(String name, String value) {
        out.printf("%-15s %s%n", name, value);
    }
}
