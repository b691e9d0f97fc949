package io.headgate.schemas;

import java.util.Locale;

/**
 * Why a version of a policy changes nothing.
 *
 * @param cause what kind of reason it is
 * @param reason in words
 */
public record PolicyRefusal(Cause cause, String reason) {

    /** What kind of reason it is; few, so that they can be counted apart. */
    public enum Cause {
        /** There is no policy in the record, or it contradicts itself. */
        UNREADABLE,
        /** Another version came before it. */
        OUT_OF_ORDER,
        /** Nobody who may do so has signed it. */
        UNTRUSTED,
        /** It cannot follow the version before it. */
        INVALID;

        /** As it stands in a metric. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }
}
