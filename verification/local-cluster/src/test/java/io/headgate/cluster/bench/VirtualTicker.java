package io.headgate.cluster.bench;

/** A time that passes only when somebody waits, or is held up. */
final class VirtualTicker implements Ticker {

    private long nanos = 1_000_000_007L;

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public void awaitUntil(long until) {
        nanos = Math.max(nanos, until);
    }

    void pass(long more) {
        nanos += more;
    }
}
