package io.headgate.cluster.bench;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, until this is at its end: interrupts the thread that made this, and keeps the JVM until that thread has put
 * everything away.
 */
final class Interruption {

    private static final long PATIENCE_SECONDS = 20;

    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread onShutdown;

    private Interruption(Thread interrupted) {
        onShutdown = new Thread(
                () -> {
                    interrupted.interrupt();
                    awaitEnd();
                },
                "headgate-bench-stop");
    }

    static Interruption ofThisThread() {
        Interruption interruption = new Interruption(Thread.currentThread());
        Runtime.getRuntime().addShutdownHook(interruption.onShutdown);
        return interruption;
    }

    private void awaitEnd() {
        try {
            if (!over.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("headgate bench: did not stop within " + PATIENCE_SECONDS + " s");
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    /** Everything is put away; Ctrl-C is none of this any more. */
    void end() {
        over.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(onShutdown);
        } catch (IllegalStateException shuttingDown) {
            // That is what it was for.
        }
    }
}
