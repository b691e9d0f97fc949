package io.headgate.cluster.bench;

import java.util.concurrent.TimeUnit;

/** The time that a load runs by. */
interface Ticker {

    /** This JVM's. */
    Ticker SYSTEM = new Ticker() {

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void awaitUntil(long nanos) throws InterruptedException {
            for (long left = nanos - nanos(); left > 0; left = nanos - nanos()) {
                TimeUnit.NANOSECONDS.sleep(left);
            }
        }
    };

    /** Only differences mean anything. */
    long nanos();

    /** Returns at that time or later; at once if it is past. */
    void awaitUntil(long nanos) throws InterruptedException;
}
