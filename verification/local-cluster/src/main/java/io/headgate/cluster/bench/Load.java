package io.headgate.cluster.bench;

/** A way of asking for a while. */
interface Load {

    /** Asks for that long, waits for the last answer, and counts everything. */
    void run(Target target, long durationNanos, Tally tally) throws InterruptedException;
}
