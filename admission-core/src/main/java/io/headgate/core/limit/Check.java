package io.headgate.core.limit;

import java.util.OptionalLong;

/**
 * Whether a cost fits, before anything is taken.
 *
 * @param permitted whether the whole cost fits now
 * @param remainingTokens whole tokens that could be spent now, before the cost is taken; not negative
 * @param retryAfterMillis when not permitted, the shortest wait after which the same cost fits if nobody else spends;
 *     empty when permitted and when no wait would do
 */
public record Check(boolean permitted, long remainingTokens, OptionalLong retryAfterMillis) {

    /** What a limit of 0 says, whatever the cost: nothing is left and no wait would do. */
    public static final Check DENY_EVERYTHING = hopeless(0);

    static Check permit(long remainingTokens) {
        return new Check(true, remainingTokens, OptionalLong.empty());
    }

    static Check deny(long remainingTokens, long retryAfterMillis) {
        return new Check(false, remainingTokens, Hint.of(retryAfterMillis));
    }

    static Check hopeless(long remainingTokens) {
        return new Check(false, remainingTokens, OptionalLong.empty());
    }
}
