package io.headgate.cluster.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The same load on decisions and on the echo, in turns of about two seconds, so that whatever disturbs this machine
 * disturbs both alike. Who comes first changes from round to round.
 */
final class Comparison {

    private static final int SLICE_SECONDS = 2;

    private final Target decisions;
    private final Target echo;
    private final long deadlineMillis;
    private final Runnable afterSlice;

    /**
     * Prepares.
     *
     * @param afterSlice run after each slice, {@link #slices} times a run
     */
    Comparison(Target decisions, Target echo, long deadlineMillis, Runnable afterSlice) {
        this.decisions = decisions;
        this.echo = echo;
        this.deadlineMillis = deadlineMillis;
        this.afterSlice = afterSlice;
    }

    /**
     * What came of a load.
     *
     * @param decisions by slice
     * @param echo by slice
     */
    record Measured(List<Tally> decisions, List<Tally> echo) {}

    /** How many slices, of both, a load of so many seconds of each has. */
    static int slices(int seconds) {
        return 2 * rounds(seconds);
    }

    /** Runs a load for so many seconds on each. What the warm-up brings is not counted. */
    Measured run(Load load, int warmUpSeconds, int seconds) throws InterruptedException {
        run(load, warmUpSeconds);
        return run(load, seconds);
    }

    private Measured run(Load load, int seconds) throws InterruptedException {
        int rounds = rounds(seconds);
        Measured measured = new Measured(new ArrayList<>(), new ArrayList<>());
        for (int round = 0; round < rounds; round++) {
            long sliceNanos = TimeUnit.SECONDS.toNanos(seconds) / rounds;
            boolean decisionsFirst = round % 2 == 0;
            for (boolean ofDecisions : new boolean[] {decisionsFirst, !decisionsFirst}) {
                Tally tally = new Tally(deadlineMillis);
                load.run(ofDecisions ? decisions : echo, sliceNanos, tally);
                (ofDecisions ? measured.decisions() : measured.echo()).add(tally);
                afterSlice.run();
            }
        }
        return measured;
    }

    private static int rounds(int seconds) {
        return (seconds + SLICE_SECONDS - 1) / SLICE_SECONDS;
    }
}
