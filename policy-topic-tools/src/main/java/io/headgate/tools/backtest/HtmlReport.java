package io.headgate.tools.backtest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/**
 * A report as one page that needs nothing else: no script, no font, no picture from anywhere. It is for people and may
 * change.
 */
final class HtmlReport {

    private static final String STYLE = style();

    private final Report report;
    private final Tally tally;
    private final Markup page = new Markup();

    private HtmlReport(Report report) {
        this.report = report;
        this.tally = report.tally();
    }

    static String of(Report report) {
        return new HtmlReport(report).page();
    }

    private static String style() {
        try (InputStream in = HtmlReport.class.getResourceAsStream("report.css")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("a style in this program cannot be read", e);
        }
    }

    private String page() {
        page.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .raw("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src"
                        + " 'unsafe-inline'\">\n")
                .element("title", "Backtest of " + words(report.candidate()))
                .raw("\n<style>\n" + STYLE + "</style>\n</head>\n<body>\n<main>\n");
        head();
        verdict();
        cards();
        course();
        rules();
        people("Tenants", "tenant", tally.tenants());
        people("Route groups", "route group", tally.routes());
        people("Addresses and login names", "caller", tally.callers());
        keys();
        examples("First newly denied", tally.newlyDenied());
        examples("First newly allowed", tally.newlyAllowed());
        bad();
        remarks();
        page.raw("<footer>Times are UTC. Both sides were decided by the code that decides in production.</footer>\n")
                .raw("</main>\n</body>\n</html>\n");
        return page.toString();
    }

    private static String words(Report.Version version) {
        return version.name() + " version " + version.version();
    }

    private void head() {
        page.element("h1", "What " + words(report.candidate()) + " would change")
                .raw("\n<p class=\"sub\">Candidate <b>")
                .text(report.candidate().from())
                .raw("</b> against <b>")
                .text(words(report.baseline()))
                .raw("</b> (")
                .text(report.baseline().from())
                .raw("), on ")
                .text(tally.total(Column.REQUESTS) + " requests from " + report.source());
        if (tally.total(Column.REQUESTS) > 0) {
            page.text(", " + Instant.ofEpochMilli(tally.firstMillis()) + " to "
                    + Instant.ofEpochMilli(tally.lastMillis()));
        }
        page.raw("</p>\n<p class=\"note\"><code>")
                .text(report.candidate().contentHash())
                .raw("</code></p>\n");
    }

    private void verdict() {
        if (report.threshold().isThere()) {
            boolean within = report.withinThreshold();
            page.raw("<p class=\"verdict " + (within ? "yes" : "no") + "\">")
                    .text((within ? "Within" : "Above") + " the threshold of "
                            + report.threshold().words() + " newly denied")
                    .raw("</p>\n");
        }
    }

    private void cards() {
        long requests = tally.total(Column.REQUESTS);
        page.raw("<div class=\"cards\">\n");
        card(
                "bad",
                "newly denied",
                tally.total(Column.NEWLY_DENIED),
                "allowed before; " + Report.percent(tally.total(Column.NEWLY_DENIED), requests) + " of all requests");
        card(
                "good",
                "newly allowed",
                tally.total(Column.NEWLY_ALLOWED),
                "denied before; " + Report.percent(tally.total(Column.NEWLY_ALLOWED), requests));
        card(
                "",
                "denied by the candidate",
                tally.total(Column.DENIED_AFTER),
                Report.percent(tally.total(Column.DENIED_AFTER), requests) + "; by the baseline "
                        + tally.total(Column.DENIED_BEFORE));
        card(
                "",
                "undecided",
                tally.total(Column.UNDECIDED_AFTER),
                "conflicts, errors, too late; by the baseline " + tally.total(Column.UNDECIDED_BEFORE));
        page.raw("</div>\n");
    }

    private void card(String kind, String name, long value, String remark) {
        String tone = value == 0 || kind.isEmpty() ? "" : " " + kind;
        page.raw("<div class=\"card" + tone + "\">")
                .element("small", name)
                .element("strong", Long.toString(value))
                .element("small", remark)
                .raw("</div>\n");
    }

    private void course() {
        if (tally.total(Column.REQUESTS) == 0) {
            return;
        }
        page.element("h2", "Denials over time")
                .raw("\n<figure>\n" + Charts.denials(tally.course()))
                .raw("\n<figcaption class=\"legend\"><span><i class=\"both\"></i>denied by both</span>")
                .raw("<span><i class=\"denied\"></i>newly denied</span>")
                .raw("<span><i class=\"allowed\"></i>newly allowed</span>")
                .element("span", "a bar is " + tally.course().spanMillis() / 1_000 + " s")
                .raw("</figcaption>\n</figure>\n");
    }

    private void rules() {
        List<Counts.Row> rows = tally.rules().all();
        if (rows.isEmpty()) {
            return;
        }
        long most = 1;
        for (Counts.Row row : rows) {
            most = Math.max(most, Math.max(row.count(RuleColumn.DENIED_BEFORE), row.count(RuleColumn.DENIED_AFTER)));
        }
        page.element("h2", "Rules");
        open(List.of(
                "rule",
                "denials",
                "#before",
                "#after",
                "#newly denied",
                "#newly allowed",
                "#shadow",
                "#→",
                "#soft",
                "#→"));
        for (Counts.Row row : rows) {
            page.raw("<tr>")
                    .element("td class=\"name\"", row.name())
                    .raw("<td class=\"bar\">"
                            + Charts.pair(row.count(RuleColumn.DENIED_BEFORE), row.count(RuleColumn.DENIED_AFTER), most)
                            + "</td>");
            number(row.count(RuleColumn.DENIED_BEFORE), "");
            number(row.count(RuleColumn.DENIED_AFTER), "");
            number(row.count(RuleColumn.NEWLY_DENIED), "up");
            number(row.count(RuleColumn.NEWLY_ALLOWED), "down");
            number(row.count(RuleColumn.SHADOW_BEFORE), "");
            number(row.count(RuleColumn.SHADOW_AFTER), "");
            number(row.count(RuleColumn.SOFT_BEFORE), "");
            number(row.count(RuleColumn.SOFT_AFTER), "");
            page.raw("</tr>\n");
        }
        close();
        page.raw("<p class=\"note legend\"><span><i class=\"before\"></i>baseline</span>"
                + "<span><i class=\"after\"></i>candidate</span></p>\n");
    }

    private void people(String title, String kind, Counts counts) {
        List<Counts.Row> rows = counts.top(Column.NEWLY_DENIED, report.top());
        if (rows.isEmpty()) {
            return;
        }
        page.element("h2", title + " that are newly denied");
        open(List.of(kind, "share newly denied", "#", "#newly denied", "#requests", "#denied before", "#after"));
        for (Counts.Row row : rows) {
            page.raw("<tr>")
                    .element("td class=\"name\"", row.name())
                    .raw("<td class=\"bar\">" + Charts.share(row.count(Column.NEWLY_DENIED), row.count(Column.REQUESTS))
                            + "</td>");
            page.element("td class=\"n\"", Report.percent(row.count(Column.NEWLY_DENIED), row.count(Column.REQUESTS)));
            number(row.count(Column.NEWLY_DENIED), "up");
            number(row.count(Column.REQUESTS), "");
            number(row.count(Column.DENIED_BEFORE), "");
            number(row.count(Column.DENIED_AFTER), "");
            page.raw("</tr>\n");
        }
        close();
        approximate(counts);
    }

    private void keys() {
        List<Counts.Row> rows = tally.keys().top(RuleColumn.NEWLY_DENIED, report.top());
        if (rows.isEmpty()) {
            return;
        }
        page.element("h2", "Worst-hit keys of rules");
        open(List.of("rule", "key", "#newly denied"));
        for (Counts.Row row : rows) {
            int at = row.name().indexOf(Tally.SEPARATOR);
            page.raw("<tr>")
                    .element("td", row.name().substring(0, at))
                    .element("td class=\"name\"", row.name().substring(at + 1));
            number(row.count(RuleColumn.NEWLY_DENIED), "up");
            page.raw("</tr>\n");
        }
        close();
        approximate(tally.keys());
    }

    private void approximate(Counts counts) {
        if (counts.missing() > 0) {
            page.raw("<p class=\"note\">")
                    .text("There are more than can be told apart: each count may be up to " + counts.missing()
                            + " too low.")
                    .raw("</p>\n");
        }
    }

    private void examples(String title, List<Example> examples) {
        if (examples.isEmpty()) {
            return;
        }
        page.element("h2", title);
        open(List.of("where", "time", "who", "route", "rule", "#limit", "#left", "#retry after"));
        for (Example example : examples) {
            page.raw("<tr>")
                    .element("td", example.place())
                    .element("td", Instant.ofEpochMilli(example.timeMillis()).toString())
                    .element("td class=\"name\"", example.who())
                    .element("td class=\"name\"", example.route())
                    .element("td", example.rule())
                    .element("td class=\"n\"", orDash(example.limit(), ""))
                    .element("td class=\"n\"", orDash(example.remaining(), ""))
                    .element("td class=\"n\"", orDash(example.retryAfterMillis(), " ms"))
                    .raw("</tr>\n");
        }
        close();
    }

    private void bad() {
        if (tally.badCount() == 0) {
            return;
        }
        page.element("h2", tally.badCount() + " that could not be read").raw("<ul>\n");
        tally.bad().forEach(bad -> page.element("li", bad).raw("\n"));
        page.raw("</ul>\n");
    }

    private void remarks() {
        page.element("h2", "How to read this").raw("<ul>\n");
        report.remarks().forEach(remark -> page.element("li", remark).raw("\n"));
        page.raw("</ul>\n");
    }

    private static String orDash(long value, String unit) {
        return value < 0 ? "–" : value + unit;
    }

    private void number(long value, String tone) {
        String kind = value == 0 || tone.isEmpty() ? "n" : "n " + tone;
        page.element("td class=\"" + kind + "\"", Long.toString(value));
    }

    /** Columns of numbers have a # in front. */
    private void open(List<String> columns) {
        page.raw("\n<div class=\"scroll\"><table>\n<tr>");
        for (String column : columns) {
            if (column.startsWith("#")) {
                page.element("th class=\"n\"", column.substring(1));
            } else {
                page.element("th", column);
            }
        }
        page.raw("</tr>\n");
    }

    private void close() {
        page.raw("</table></div>\n");
    }
}
