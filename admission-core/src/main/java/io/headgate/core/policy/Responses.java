package io.headgate.core.policy;

import io.headgate.core.limit.Bounds;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What gateways tell callers about the limits.
 *
 * @param headers the header fields that an answer carries; may be none
 * @param advertiseTo who is told limits and what is left of them
 * @param retryJitterPercent the most that is added at random to the advice when to come back, 0 to 100 percent of it, so
 *     that those who were refused together do not come back together
 * @param denyCacheMillis how long a gateway may repeat a denial without asking again, 0 (never) to 60 s
 */
public record Responses(Set<Header> headers, Audience advertiseTo, int retryJitterPercent, long denyCacheMillis) {

    /** Of a policy that says nothing. */
    public static final Responses DEFAULT = new Responses(EnumSet.of(Header.RETRY_AFTER), Audience.AUTHENTICATED, 0, 0);

    public static final int MOST_JITTER_PERCENT = 100;
    public static final long MOST_DENY_CACHE_MILLIS = 60_000;

    public Responses {
        Bounds.inRange("retryJitterPercent", retryJitterPercent, 0, MOST_JITTER_PERCENT);
        Bounds.inRange("denyCacheMillis", denyCacheMillis, 0, MOST_DENY_CACHE_MILLIS);
        EnumSet<Header> copy = EnumSet.noneOf(Header.class);
        copy.addAll(headers);
        headers = Collections.unmodifiableSet(copy);
    }

    /** Header fields that belong together. */
    public enum Header {
        /** {@code Retry-After}, in seconds. */
        RETRY_AFTER("retry-after"),
        /** {@code RateLimit} and {@code RateLimit-Policy} after the tenth IETF draft. */
        RATELIMIT_DRAFT10("ratelimit-draft10"),
        /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}. */
        X_RATELIMIT("x-ratelimit");

        private final String label;

        Header(String label) {
            this.label = label;
        }

        /** The name in documents. */
        public String label() {
            return label;
        }
    }

    /** Who is told. */
    public enum Audience {
        AUTHENTICATED("authenticated"),
        EVERYBODY("everybody"),
        NOBODY("nobody");

        private final String label;

        Audience(String label) {
            this.label = label;
        }

        /** The name in documents. */
        public String label() {
            return label;
        }
    }
}
