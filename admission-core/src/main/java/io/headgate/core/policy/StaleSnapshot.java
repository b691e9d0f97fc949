package io.headgate.core.policy;

import io.headgate.core.limit.Bounds;

/**
 * What gateways do that have not heard for long whether their policy is still the newest.
 *
 * @param afterMillis how long that is, 1 s to 30 days
 * @param action what they do then
 */
public record StaleSnapshot(long afterMillis, Action action) {

    public static final long LEAST_AFTER_MILLIS = 1_000;
    public static final long MOST_AFTER_MILLIS = 30L * 24 * 3_600_000;

    /** Of a policy that says nothing. */
    public static final StaleSnapshot DEFAULT = new StaleSnapshot(3_600_000, Action.KEEP_LAST_KNOWN_GOOD);

    public StaleSnapshot {
        Bounds.inRange("afterMillis", afterMillis, LEAST_AFTER_MILLIS, MOST_AFTER_MILLIS);
    }

    /** What becomes of requests under a policy that may be old. */
    public enum Action {
        KEEP_LAST_KNOWN_GOOD("keep-last-known-good"),
        FAIL_MODE("fail-mode");

        private final String label;

        Action(String label) {
            this.label = label;
        }

        /** The name in documents. */
        public String label() {
            return label;
        }
    }
}
