package io.headgate.tools.backtest;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts by name, several a name, of a limited number of names. They are exact for as long as there are no more names than
 * that. Then the half that was counted least is forgotten, and each count from then on may be too low by at most
 * {@link #missing}: as in the summaries of Misra and Gries (1982). Names that matter stay.
 *
 * <p>The first column is what a name is kept by; no other may grow faster.
 */
final class Counts {

    private final int columns;
    private final int maxNames;
    private final Map<String, long[]> rows = new HashMap<>();
    private long missing;

    Counts(int columns, int maxNames) {
        this.columns = columns;
        this.maxNames = maxNames;
    }

    /** A name and its counts. */
    record Row(String name, long[] counts) {

        long count(CountColumn column) {
            return counts[column.place()];
        }
    }

    /** The counts of a name, to be raised at once; they may be forgotten with the next name. */
    long[] of(String name) {
        long[] row = rows.get(name);
        if (row == null) {
            if (rows.size() == maxNames) {
                forgetHalf();
            }
            row = new long[columns];
            rows.put(name, row);
        }
        return row;
    }

    private void forgetHalf() {
        long[] weights =
                rows.values().stream().mapToLong(row -> row[0]).sorted().toArray();
        long median = weights[weights.length / 2];
        rows.values().removeIf(row -> row[0] <= median);
        missing = Math.addExact(missing, median);
    }

    /** How much each count may be too low; 0 where all are exact. */
    long missing() {
        return missing;
    }

    int names() {
        return rows.size();
    }

    /** The rows by a column, largest first and none without anything in it; equals by name. */
    List<Row> top(CountColumn column, int most) {
        return sorted(Comparator.comparingLong((Row row) -> row.count(column))
                        .reversed()
                        .thenComparing(Row::name))
                .stream()
                .filter(row -> row.count(column) > 0)
                .limit(most)
                .toList();
    }

    /** All rows by name. */
    List<Row> all() {
        return sorted(Comparator.comparing(Row::name));
    }

    private List<Row> sorted(Comparator<Row> order) {
        return rows.entrySet().stream()
                .map(entry -> new Row(entry.getKey(), entry.getValue()))
                .sorted(order)
                .toList();
    }

    void writeTo(DataOutput out) throws IOException {
        out.writeLong(missing);
        out.writeInt(rows.size());
        for (Row row : all()) {
            out.writeUTF(row.name());
            for (long count : row.counts()) {
                out.writeLong(count);
            }
        }
    }

    /** Takes over what was written, in place of what is here. */
    void readFrom(DataInput in) throws IOException {
        rows.clear();
        missing = in.readLong();
        int size = in.readInt();
        if (size < 0 || size > maxNames) {
            throw new IOException("it counts " + size + " names; at most " + maxNames + " are counted");
        }
        for (int left = size; left > 0; left--) {
            String name = in.readUTF();
            long[] row = new long[columns];
            for (int i = 0; i < columns; i++) {
                row[i] = in.readLong();
            }
            rows.put(name, row);
        }
    }

    @Override
    public String toString() {
        return all().stream()
                .map(row -> row.name() + Arrays.toString(row.counts()))
                .toList()
                .toString();
    }
}
