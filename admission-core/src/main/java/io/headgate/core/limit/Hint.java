package io.headgate.core.limit;

import java.util.OptionalLong;

/** A wait told to a client. One too long for a {@code long} (292 million years) is not told. */
final class Hint {

    private Hint() {}

    static OptionalLong of(long millis) {
        return millis == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(millis);
    }
}
