package io.headgate.tools.backtest;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts by time, in at most {@value #MAX_SPANS} spans of one length. They begin with a second each; when there would be
 * too many, two become one, as often as it takes. Spans without a request are not there.
 */
final class Course {

    static final int MAX_SPANS = 240;

    private static final long FIRST_MILLIS = 1_000;

    private final TreeMap<Long, long[]> spans = new TreeMap<>();
    private long spanMillis = FIRST_MILLIS;
    private long latestSpan = -1;
    private long[] latest = {};

    /** Counts of one span of time. */
    record Span(long fromMillis, long[] counts) {}

    /** The counts of the span that a time is in, to be raised at once. */
    long[] at(long timeMillis) {
        long span = Math.floorDiv(timeMillis, spanMillis);
        if (span == latestSpan) {
            return latest;
        }
        long[] counts = spans.computeIfAbsent(span, none -> new long[Column.COUNT]);
        while (spans.lastKey() - spans.firstKey() >= MAX_SPANS) {
            halve();
            span = Math.floorDiv(timeMillis, spanMillis);
            counts = spans.get(span);
        }
        latestSpan = span;
        latest = counts;
        return counts;
    }

    private void halve() {
        Map<Long, long[]> before = new TreeMap<>(spans);
        spans.clear();
        spanMillis = Math.multiplyExact(spanMillis, 2);
        before.forEach((span, counts) -> {
            long[] sum = spans.computeIfAbsent(Math.floorDiv(span, 2), none -> new long[Column.COUNT]);
            for (int i = 0; i < sum.length; i++) {
                sum[i] += counts[i];
            }
        });
    }

    long spanMillis() {
        return spanMillis;
    }

    List<Span> spans() {
        List<Span> all = new ArrayList<>();
        spans.forEach((span, counts) -> all.add(new Span(span * spanMillis, counts)));
        return all;
    }

    void writeTo(DataOutput out) throws IOException {
        out.writeLong(spanMillis);
        out.writeInt(spans.size());
        for (Map.Entry<Long, long[]> span : spans.entrySet()) {
            out.writeLong(span.getKey());
            for (long count : span.getValue()) {
                out.writeLong(count);
            }
        }
    }

    void readFrom(DataInput in) throws IOException {
        spans.clear();
        latestSpan = -1;
        spanMillis = in.readLong();
        int size = in.readInt();
        if (spanMillis < FIRST_MILLIS || size < 0 || size > MAX_SPANS) {
            throw new IOException("it has " + size + " spans of " + spanMillis + " ms");
        }
        for (int left = size; left > 0; left--) {
            long span = in.readLong();
            long[] counts = new long[Column.COUNT];
            for (int i = 0; i < counts.length; i++) {
                counts[i] = in.readLong();
            }
            spans.put(span, counts);
        }
    }
}
