package io.headgate.core.limit;

/**
 * The theoretical arrival time of the generic cell rate algorithm: when everything spent so far will have been paid
 * for. In the past, nothing is owed.
 *
 * @param arrivalMillis whole milliseconds of it, log time
 * @param fraction the rest of it, in 1/refillTokens of a millisecond
 * @param updatedAtMillis log time
 */
public record Gcra(long arrivalMillis, long fraction, long updatedAtMillis) implements Counter {

    static Gcra idle(long nowMillis) {
        return new Gcra(nowMillis, 0, nowMillis);
    }

    @Override
    public boolean unused() {
        return arrivalMillis == updatedAtMillis && fraction == 0;
    }
}
