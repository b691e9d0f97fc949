package io.headgate.tools.backtest;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** The pictures of a report, as SVG within its page. Every coordinate is an integer, in units of a hundredth of a pixel. */
final class Charts {

    private static final int WIDTH = 960;
    private static final int HEIGHT = 260;
    private static final int LEFT = 64;
    private static final int RIGHT = 12;
    private static final int TOP = 14;
    private static final int BOTTOM = 30;
    private static final int UNIT = 100;
    private static final int LINES = 4;
    private static final int LABELS = 5;

    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("d MMM HH:mm", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    private static final DateTimeFormatter SECOND =
            DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    private Charts() {}

    /** Denials over time: what both deny, with what only one of them denies on top of it. */
    static String denials(Course course) {
        List<Course.Span> spans = course.spans();
        if (spans.isEmpty()) {
            return "";
        }
        long first = spans.get(0).fromMillis();
        long count = (spans.get(spans.size() - 1).fromMillis() - first) / course.spanMillis() + 1;
        long most = 1;
        for (Course.Span span : spans) {
            most = Math.max(most, height(span));
        }
        most = roundUp(most);
        int plotWidth = WIDTH - LEFT - RIGHT;
        int plotHeight = HEIGHT - TOP - BOTTOM;
        Markup svg = new Markup();
        svg.raw("<svg viewBox=\"0 0 " + WIDTH + " " + HEIGHT + "\" role=\"img\" aria-label=\"Denials over time\">");
        for (int line = 0; line <= LINES; line++) {
            int y = TOP + plotHeight - plotHeight * line / LINES;
            svg.raw("<line class=\"grid\" x1=\"" + LEFT + "\" x2=\"" + (WIDTH - RIGHT) + "\" y1=\"" + y + "\" y2=\"" + y
                    + "\"/><text class=\"tick\" text-anchor=\"end\" x=\"" + (LEFT - 8) + "\" y=\"" + (y + 4) + "\">"
                    + most * line / LINES + "</text>");
        }
        for (int label = 0; label < LABELS; label++) {
            long millis = first + count * course.spanMillis() * label / (LABELS - 1);
            String anchor = label == 0 ? "start" : label == LABELS - 1 ? "end" : "middle";
            svg.raw("<text class=\"tick\" text-anchor=\"" + anchor + "\" x=\""
                    + (LEFT + plotWidth * label / (LABELS - 1)) + "\" y=\"" + (HEIGHT - 8) + "\">"
                    + format(count * course.spanMillis()).format(Instant.ofEpochMilli(millis)) + "</text>");
        }
        for (Course.Span span : spans) {
            bar(svg, span, (span.fromMillis() - first) / course.spanMillis(), count, most, course.spanMillis());
        }
        return svg.raw("</svg>").toString();
    }

    private static void bar(Markup svg, Course.Span span, long place, long count, long most, long spanMillis) {
        long plotWidth = (long) (WIDTH - LEFT - RIGHT) * UNIT;
        long from = (long) LEFT * UNIT + plotWidth * place / count;
        long width = Math.max(UNIT / 2, plotWidth / count - (count > 120 ? UNIT / 4 : UNIT));
        long base = (long) (HEIGHT - BOTTOM) * UNIT;
        svg.raw("<g>")
                .element(
                        "title",
                        Instant.ofEpochMilli(span.fromMillis()) + " + " + spanMillis / 1_000 + " s: "
                                + of(span, Column.REQUESTS) + " requests, denied by both " + byBoth(span)
                                + ", newly denied " + of(span, Column.NEWLY_DENIED) + ", newly allowed "
                                + of(span, Column.NEWLY_ALLOWED));
        // So that a span without denials says so, too, when somebody points at it.
        svg.raw("<rect class=\"hover\" x=\"" + px(from) + "\" y=\"" + TOP + "\" width=\"" + px(width) + "\" height=\""
                + (HEIGHT - TOP - BOTTOM) + "\"/>");
        base = rect(svg, "both", from, width, base, byBoth(span), most);
        base = rect(svg, "allowed", from, width, base, of(span, Column.NEWLY_ALLOWED), most);
        rect(svg, "denied", from, width, base, of(span, Column.NEWLY_DENIED), most);
        svg.raw("</g>");
    }

    /** Draws a piece of a bar and returns where it ends. */
    private static long rect(Markup svg, String kind, long from, long width, long base, long value, long most) {
        if (value == 0) {
            return base;
        }
        long height = Math.max(UNIT / 2, (long) (HEIGHT - TOP - BOTTOM) * UNIT * value / most);
        svg.raw("<rect class=\"" + kind + "\" x=\"" + px(from) + "\" y=\"" + px(base - height) + "\" width=\""
                + px(width) + "\" height=\"" + px(height) + "\"/>");
        return base - height;
    }

    private static long byBoth(Course.Span span) {
        return Math.max(0, of(span, Column.DENIED_BEFORE) - of(span, Column.NEWLY_ALLOWED));
    }

    private static long height(Course.Span span) {
        return byBoth(span) + of(span, Column.NEWLY_ALLOWED) + of(span, Column.NEWLY_DENIED);
    }

    private static long of(Course.Span span, Column column) {
        return span.counts()[column.place()];
    }

    private static String px(long hundredths) {
        long rest = hundredths % UNIT;
        return hundredths / UNIT + (rest == 0 ? "" : "." + (rest < 10 ? "0" : "") + rest);
    }

    private static DateTimeFormatter format(long lengthMillis) {
        return lengthMillis > 6 * 3_600_000L ? DAY : SECOND;
    }

    /** To a number that divides by four and has few digits that matter. */
    private static long roundUp(long value) {
        long step = LINES;
        while (step * 10 < value) {
            step *= 10;
        }
        return (value + step - 1) / step * step;
    }

    /** Two bars, one over the other: a rule's denials before and after. */
    static String pair(long before, long after, long most) {
        return "<span class=\"pair\">" + half("before", before, most) + half("after", after, most) + "</span>";
    }

    private static String half(String kind, long value, long most) {
        long thousandths = value == 0 ? 0 : Math.max(4, value * 1_000 / Math.max(1, most));
        return "<i class=\"" + kind + "\" style=\"width:" + thousandths / 10 + "." + thousandths % 10 + "%\"></i>";
    }

    /** A part of a whole as a bar of one line. */
    static String share(long part, long whole) {
        return "<span class=\"pair share\">" + half("denied", part, whole) + "</span>";
    }
}
