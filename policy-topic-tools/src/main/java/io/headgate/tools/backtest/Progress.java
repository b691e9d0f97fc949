package io.headgate.tools.backtest;

import java.io.PrintWriter;

/** How far the reading of a topic has come, on a terminal; nothing where nobody watches. */
final class Progress {

    private static final long EVERY_NANOS = 200_000_000;
    private static final int BARS = 30;

    private final PrintWriter err;
    private final boolean watched;
    private long shownAtNanos = System.nanoTime();
    private boolean shown;

    Progress(PrintWriter err, boolean watched) {
        this.err = err;
        this.watched = watched;
    }

    void at(int shard, TopicSpan span, long nextOffset) {
        if (!watched || System.nanoTime() - shownAtNanos < EVERY_NANOS) {
            return;
        }
        long done = nextOffset - span.shards().get(shard).from();
        for (TopicSpan.Part earlier : span.shards().subList(0, shard)) {
            done += earlier.records();
        }
        int percent = (int) (done * 100 / Math.max(1, span.records()));
        int bars = percent * BARS / 100;
        err.print("\r[" + "#".repeat(bars) + "-".repeat(BARS - bars) + "] " + percent + " %, shard " + (shard + 1)
                + " of " + span.shards().size() + ", " + done + " of " + span.records() + " records ");
        err.flush();
        shownAtNanos = System.nanoTime();
        shown = true;
    }

    void done() {
        if (shown) {
            err.println();
        }
    }
}
