package io.headgate.tools;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CodingErrorAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * The requests of a web server's log in order of time; those of one moment stay in the order of the file. A server
 * writes a line when a request ends and stamps it with when it began, so the lines of a real log are not in order.
 *
 * @param entries by time
 * @param outOfOrder how many entries had an earlier time than the entry before them in the file
 * @param badLines how many lines could not be read
 * @param firstBadLines the first of those, at most {@value #BAD_LINES_KEPT}
 */
public record AccessLog(List<Entry> entries, long outOfOrder, long badLines, List<BadLine> firstBadLines) {

    /** How many bad lines are kept to be shown. */
    public static final int BAD_LINES_KEPT = 10;

    /** The most entries that are sorted, which is done in memory. */
    public static final int MAX_ENTRIES = 5_000_000;

    public AccessLog {
        entries = List.copyOf(entries);
        firstBadLines = List.copyOf(firstBadLines);
    }

    /**
     * One request, as the server logged it. Text that the log leaves out ("-") is empty.
     *
     * @param timeMillis since the epoch
     * @param ip the client's address, or its name if the server looks names up; never empty
     * @param user who was authenticated
     * @param method empty if the client sent no request line that could be understood
     * @param target path and query; empty as the method
     * @param status 0 if left out
     * @param bytes 0 if left out, which is how the format writes 0
     * @param agent as sent; empty in the common format
     */
    public record Entry(
            long timeMillis,
            String ip,
            String user,
            String method,
            String target,
            int status,
            long bytes,
            String agent) {

        /**
         * Reads a line; refuses here, where the line is known, what could not be asked later.
         *
         * @throws UnreadableLineException saying what is wrong with it
         */
        public static Entry askable(String line) throws UnreadableLineException {
            Entry entry = AccessLogLine.parse(line);
            try {
                Request.of(entry);
                return entry;
            } catch (IllegalArgumentException refused) {
                throw new UnreadableLineException("is refused: " + refused.getMessage());
            }
        }

        /** {@code GET /path?query}. */
        public String route() {
            return method + " " + target;
        }
    }

    /**
     * Reads a log in the common or the combined format.
     *
     * @throws IOException if it cannot be read, or has more than {@value #MAX_ENTRIES} requests
     */
    public static AccessLog read(Path file) throws IOException {
        return read(file, AccessLogLine::parse);
    }

    /** Reads a log of which {@code parser} may refuse more lines. */
    static AccessLog read(Path file, Lines.Parser<Entry> parser) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return read(in, parser);
        }
    }

    static AccessLog read(InputStream in, Lines.Parser<Entry> parser) throws IOException {
        Collector collector = new Collector();
        Lines.read(in, CodingErrorAction.REPLACE, parser, collector::add, collector::addBad);
        if (collector.tooMany) {
            throw new IOException("there are more than " + MAX_ENTRIES + " requests in the log; split it");
        }
        collector.entries.sort(Comparator.comparingLong(Entry::timeMillis));
        return new AccessLog(collector.entries, collector.outOfOrder, collector.badLines, collector.firstBadLines);
    }

    /** Hands over the lines in the order of the file, whatever their time, without keeping them. */
    public static void stream(InputStream in, Consumer<Entry> entries, Consumer<BadLine> badLines) throws IOException {
        Lines.read(in, CodingErrorAction.REPLACE, AccessLogLine::parse, entries, badLines);
    }

    private static final class Collector {

        private final List<Entry> entries = new ArrayList<>();
        private final List<BadLine> firstBadLines = new ArrayList<>();
        private boolean tooMany;
        private long outOfOrder;
        private long badLines;
        private long previousMillis;

        void add(Entry entry) {
            tooMany = entries.size() == MAX_ENTRIES;
            if (tooMany) {
                return;
            }
            if (entry.timeMillis() < previousMillis) {
                outOfOrder++;
            }
            previousMillis = entry.timeMillis();
            entries.add(entry);
        }

        void addBad(BadLine line) {
            badLines++;
            if (firstBadLines.size() < BAD_LINES_KEPT) {
                firstBadLines.add(line);
            }
        }
    }
}
