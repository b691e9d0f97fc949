package io.headgate.core.policy;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * When a version takes effect, and for whom.
 *
 * @param effectiveAtMillis log time from which on it is in force; empty: from where its record stands in a shard's log
 * @param rollout which requests it is for
 */
public record Activation(OptionalLong effectiveAtMillis, Rollout rollout) {

    /** At once, for everybody. */
    public static final Activation AT_ONCE = new Activation(OptionalLong.empty(), Rollout.EVERYBODY);

    public Activation {
        Objects.requireNonNull(rollout);
        effectiveAtMillis.ifPresent(millis -> {
            if (millis < 0) {
                throw new IllegalArgumentException("effectiveAt is " + millis + "; it must be after 1970");
            }
        });
    }

    /** Whether it is in force at a log time. */
    public boolean isDue(long nowMillis) {
        return effectiveAtMillis.isEmpty() || effectiveAtMillis.getAsLong() <= nowMillis;
    }

    /** Whether it replaces the version before for everybody. */
    public boolean isWhole() {
        return rollout instanceof Rollout.Everybody;
    }
}
