package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.Counter;
import io.headgate.core.limit.FixedWindow;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Gcra;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLog;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindow;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucket;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Part;
import io.headgate.core.policy.Rule;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How many bytes of a shard's state one counter takes at most, key and value. Found by writing the widest counter there
 * can be, as the shard writes it. What a store adds of its own is not in it.
 */
public final class CounterBytes {

    /** A log that has had 10^12 records. */
    private static final long WIDE_OFFSET = 1_000_000_000_000L;

    /** In the year 2286. */
    private static final long WIDE_MILLIS = 9_999_999_999_999L;

    private static final String PSEUDONYM = "0".repeat(32);

    private CounterBytes() {}

    /**
     * The most that one counter of a rule takes, under the widest of its limits; 0 where there is nothing to count.
     *
     * @param tenantBytes the longest id of a tenant
     * @param textBytes the longest of what else it counts by that is no pseudonym: a route group or an attribute
     */
    public static long most(Rule rule, int tenantBytes, int textBytes) {
        long value = rule.limits().stream()
                .mapToLong(limit -> valueBytes(limit, rule.enforcement()))
                .max()
                .orElse(0);
        return value == 0 ? 0 : keyBytes(rule, tenantBytes, textBytes) + value;
    }

    private static long keyBytes(Rule rule, int tenantBytes, int textBytes) {
        String text = "x".repeat(textBytes);
        Map<String, String> attributes = new TreeMap<>();
        for (Part part : rule.composite()) {
            if (part instanceof Part.Attribute attribute) {
                attributes.put(attribute.name(), text);
            }
        }
        Identity everything =
                new Identity("x".repeat(Math.max(1, tenantBytes)), PSEUDONYM, PSEUDONYM, PSEUDONYM, PSEUDONYM);
        Admission admission = new Admission(rule.stage(), everything, true, "GET /", attributes, 1);
        return Keys.bucket(rule, admission, Optional.of(text))
                .map(key -> key.bytes().length)
                .orElse(0);
    }

    private static long valueBytes(Limit limit, Enforcement enforcement) {
        long owed = enforcement instanceof Enforcement.Soft soft ? soft.debtTokens(limit.tokens()) : 0;
        return widest(limit, limit.tokens() + owed)
                .map(counter -> (long) new BucketEntry(WIDE_OFFSET, counter).toBytes().length)
                .orElse(0L);
    }

    private static Optional<Counter> widest(Limit limit, long tokens) {
        if (limit instanceof TokenBucketLimit bucket) {
            return Optional.of(new TokenBucket(tokens * 1_000, bucket.refillPeriodMillis(), WIDE_MILLIS));
        }
        if (limit instanceof FixedWindowLimit) {
            return Optional.of(new FixedWindow(tokens, WIDE_MILLIS));
        }
        if (limit instanceof SlidingWindowLimit) {
            return Optional.of(new SlidingWindow(tokens, tokens, WIDE_MILLIS));
        }
        if (limit instanceof SlidingLogLimit log) {
            int entries = (int) Math.min(SlidingLogLimit.MAX_ENTRIES, Math.max(1, tokens));
            long each = Math.max(1, tokens / entries);
            return Optional.of(new SlidingLog(
                    Collections.nCopies(entries, new SlidingLog.Spent(WIDE_MILLIS - log.windowMillis(), each)),
                    WIDE_MILLIS));
        }
        if (limit instanceof GcraLimit gcra) {
            return Optional.of(new Gcra(WIDE_MILLIS, gcra.refillTokens(), WIDE_MILLIS));
        }
        return Optional.empty();
    }
}
