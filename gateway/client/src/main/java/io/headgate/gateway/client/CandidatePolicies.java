package io.headgate.gateway.client;

import io.headgate.core.policy.Policy;
import io.headgate.schemas.PolicyStatusReports.Versions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The versions that a shard may decide by now: the newest for everybody, what is rolled out since, and what waits for its
 * time. A client does not know a shard's log time, so it lets a version's time be over for a while before it drops what
 * that version replaces. Not safe for use by several threads.
 */
final class CandidatePolicies {

    /** How far a shard's log time may be behind this clock. */
    private static final long MARGIN_MILLIS = Duration.ofMinutes(5).toMillis();

    private final List<Policy> newestFirst = new ArrayList<>();
    private long source = -1;

    /** Takes up the next version. */
    void add(long offset, Policy policy) {
        source = offset;
        newestFirst.add(0, policy);
    }

    int count() {
        return newestFirst.size();
    }

    /** Drops what decides nothing any more, and returns the rest, newest first. */
    List<Policy> possible(long nowMillis) {
        boolean replaced = false;
        List<Policy> kept = new ArrayList<>();
        for (Policy policy : newestFirst) {
            boolean whole = policy.activation().isWhole();
            boolean surelyDue = policy.activation().isDue(nowMillis - MARGIN_MILLIS);
            if (whole || !replaced) {
                kept.add(policy);
            }
            if (whole && surelyDue) {
                break;
            }
            replaced |= surelyDue;
        }
        newestFirst.clear();
        newestFirst.addAll(kept);
        return List.copyOf(kept);
    }

    /** What a shard is expected to go by whose log time is this clock's. */
    Versions versions(long nowMillis) {
        long pending = 0;
        long rolledOut = 0;
        for (Policy policy : newestFirst) {
            if (!policy.activation().isDue(nowMillis)) {
                pending = Math.max(pending, policy.version());
            } else if (policy.activation().isWhole()) {
                return new Versions(source, policy.version(), rolledOut, pending);
            } else if (rolledOut == 0) {
                rolledOut = policy.version();
            }
        }
        return new Versions(source, 0, rolledOut, pending);
    }
}
