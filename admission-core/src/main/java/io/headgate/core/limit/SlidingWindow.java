package io.headgate.core.limit;

/**
 * What was spent in the window that {@code updatedAtMillis} falls into, and in the one before it.
 *
 * @param previousTokens not negative
 * @param currentTokens not negative
 * @param updatedAtMillis log time
 */
public record SlidingWindow(long previousTokens, long currentTokens, long updatedAtMillis) implements Counter {

    @Override
    public boolean unused() {
        return previousTokens == 0 && currentTokens == 0;
    }
}
