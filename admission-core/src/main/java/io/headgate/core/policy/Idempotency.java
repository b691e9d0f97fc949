package io.headgate.core.policy;

import io.headgate.core.limit.Bounds;

/**
 * How long an admission under a caller's key is repeated, and how many keys one tenant may have at once.
 *
 * @param retentionMillis log time, 1 s to 24 h
 * @param keysPerTenant 1 to 10^7; while as many are remembered, further keyed requests of the tenant get an error
 */
public record Idempotency(long retentionMillis, long keysPerTenant) {

    public static final Idempotency DEFAULT = new Idempotency(60_000, 100_000);

    public static final long LEAST_RETENTION_MILLIS = 1_000;
    public static final long MOST_RETENTION_MILLIS = 24L * 3_600_000;
    public static final long MOST_KEYS = 10_000_000;

    public Idempotency {
        Bounds.inRange("retentionMillis", retentionMillis, LEAST_RETENTION_MILLIS, MOST_RETENTION_MILLIS);
        Bounds.inRange("keysPerTenant", keysPerTenant, 1, MOST_KEYS);
    }
}
