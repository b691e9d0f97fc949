package io.headgate.core.limit;

import java.util.OptionalLong;

/** Everything is admitted and nothing is counted. */
public record Unlimited() implements Limit {

    public static final String ALGORITHM = "unlimited";

    private static final Counter NOTHING = new FixedWindow(0, 0);

    @Override
    public String algorithm() {
        return ALGORITHM;
    }

    @Override
    public long tokens() {
        return Long.MAX_VALUE;
    }

    @Override
    public Counter fresh(long nowMillis) {
        return NOTHING;
    }

    @Override
    public boolean owns(Counter counter) {
        return counter.equals(NOTHING);
    }

    @Override
    public Counter advanced(Counter counter, long nowMillis) {
        return NOTHING;
    }

    @Override
    public Counter adopted(Counter counter, Limit before, long atMillis) {
        return NOTHING;
    }

    @Override
    public Check check(Counter counter, long costTokens, long nowMillis) {
        return Check.permit(Long.MAX_VALUE);
    }

    @Override
    public Counter debited(Counter counter, long costTokens, long nowMillis) {
        return NOTHING;
    }

    @Override
    public Counter credited(Counter counter, long tokens, long nowMillis) {
        return NOTHING;
    }

    @Override
    public Limit raised(long tokens) {
        return this;
    }

    @Override
    public OptionalLong resetAfterMillis(Counter counter, long nowMillis) {
        return OptionalLong.of(0);
    }
}
