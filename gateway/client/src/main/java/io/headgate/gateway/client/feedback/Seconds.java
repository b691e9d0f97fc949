package io.headgate.gateway.client.feedback;

/** Header fields count in whole seconds. All of these round up: whoever waits so long is not too early. */
final class Seconds {

    private static final long MILLIS = 1_000;

    private Seconds() {}

    /** 0 ms is 0 s, 1 ms is 1 s, 1,000 ms is 1 s. */
    static long of(long millis) {
        return millis / MILLIS + (millis % MILLIS > 0 ? 1 : 0);
    }

    /** The same, at least one: nobody is told to come back at once. */
    static long toWait(long millis) {
        return Math.max(1, of(millis));
    }
}
