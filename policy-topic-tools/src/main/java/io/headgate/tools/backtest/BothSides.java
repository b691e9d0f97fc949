package io.headgate.tools.backtest;

import io.headgate.core.decision.Decision;
import io.headgate.tools.CommandFailedException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Has two policies decide the same traffic, each on a thread of its own, while the caller reads on. What is handed over is
 * decided in chunks; of each, both sides are compared on the caller's thread, in order. At most two chunks are in memory.
 */
final class BothSides<T> implements AutoCloseable {

    /** How many requests a chunk has, about. */
    static final int CHUNK = 1_024;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Side<T> baseline;
    private final Side<T> candidate;
    private final Comparison<T> comparison;
    private final ExecutorService threads = Executors.newFixedThreadPool(2, work -> {
        Thread thread = new Thread(work, "backtest");
        thread.setDaemon(true);
        return thread;
    });
    private List<T> filling = new ArrayList<>();
    private int requests;
    private Deciding<T> deciding;
    private long cpuNanos;

    /**
     * Begins.
     *
     * @param comparison is given every recording with what both sides said
     */
    BothSides(Side<T> baseline, Side<T> candidate, Comparison<T> comparison) {
        this.baseline = baseline;
        this.candidate = candidate;
        this.comparison = comparison;
    }

    /** Takes what both sides said of one recording. */
    @FunctionalInterface
    interface Comparison<T> {
        void take(T recorded, List<List<Decision>> before, List<List<Decision>> after);
    }

    private record Said(List<List<List<Decision>>> ofEach, long cpuNanos) {}

    private record Deciding<T>(List<T> chunk, Future<Said> before, Future<Said> after) {}

    /** Hands over what was recorded next, and how many requests it has. */
    void take(T recorded, int count) throws CommandFailedException {
        filling.add(recorded);
        requests += count;
        if (requests >= CHUNK) {
            handOver();
        }
    }

    /** Waits until everything handed over so far is compared. */
    void settle() throws CommandFailedException {
        handOver();
        handOver();
    }

    /** Time that both threads have spent deciding, together. */
    long cpuNanos() {
        return cpuNanos;
    }

    private void handOver() throws CommandFailedException {
        Deciding<T> done = deciding;
        Said before = done == null ? null : await(done.before());
        Said after = done == null ? null : await(done.after());
        deciding = null;
        if (!filling.isEmpty()) {
            List<T> chunk = filling;
            deciding = new Deciding<>(
                    chunk,
                    threads.submit(() -> decide(baseline, chunk)),
                    threads.submit(() -> decide(candidate, chunk)));
            filling = new ArrayList<>(chunk.size());
            requests = 0;
        }
        if (done != null) {
            cpuNanos += before.cpuNanos() + after.cpuNanos();
            for (int i = 0; i < done.chunk().size(); i++) {
                comparison.take(
                        done.chunk().get(i),
                        before.ofEach().get(i),
                        after.ofEach().get(i));
            }
        }
    }

    private static <T> Said decide(Side<T> side, List<T> chunk) {
        long began = THREADS.getCurrentThreadCpuTime();
        List<List<List<Decision>>> said = new ArrayList<>(chunk.size());
        for (T recorded : chunk) {
            said.add(side.decide(recorded));
        }
        return new Said(said, THREADS.getCurrentThreadCpuTime() - began);
    }

    private static Said await(Future<Said> said) throws CommandFailedException {
        try {
            return said.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException bug) {
                throw bug;
            }
            throw new IllegalStateException("deciding failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted");
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
