package io.headgate.core.limit;

/** The ranges within which every algorithm is exact. A limit outside them is refused when it is made. */
public final class Bounds {

    /** The most tokens that a capacity, a limit, a refill or a cost may name. */
    public static final long MAX_TOKENS = 1_000_000_000_000L;

    /** The longest period or window: 366 days. */
    public static final long MAX_PERIOD_MILLIS = 366L * 24 * 60 * 60 * 1000;

    private Bounds() {}

    static long tokens(String field, long tokens) {
        return inRange(field, tokens, 0, MAX_TOKENS);
    }

    static long period(String field, long millis) {
        return inRange(field, millis, 1, MAX_PERIOD_MILLIS);
    }

    /** Returns the value, or says which field holds which value and what would do. */
    public static long inRange(String field, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(field + " is " + value + "; it must be " + least + " to " + most);
        }
        return value;
    }
}
