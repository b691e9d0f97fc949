package io.headgate.core.limit;

/**
 * What was spent in the window that {@code updatedAtMillis} falls into. Which window that is follows from the limit in
 * force, so a counter survives a change of the window's length.
 *
 * @param usedTokens not negative
 * @param updatedAtMillis log time
 */
public record FixedWindow(long usedTokens, long updatedAtMillis) implements Counter {

    @Override
    public boolean unused() {
        return usedTokens == 0;
    }
}
