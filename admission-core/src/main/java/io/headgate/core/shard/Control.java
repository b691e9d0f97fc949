package io.headgate.core.shard;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.Zone;
import java.util.List;

/**
 * What the shard's owner tells the shard. The shell has verified that an owner wrote it.
 *
 * <p>Policies, settings, plans and actions stand in a chain each; every link names its own position in its source and that of the one sent before
 * it, −1 before the first. It is applied if {@code previous ≤ last applied < source}; so one that comes twice, one that
 * comes after a lost one, and two owners at once do no harm.
 */
public sealed interface Control {

    /** The most plans in one record. */
    int MAX_PLANS = 500;

    /** A policy document as it stands on the topic of policies; {@code source} is its offset there. */
    record ApplyPolicy(long source, long previous, byte[] document) implements Control {}

    /** The settings of the shard. */
    record ApplySettings(long source, long previous, ShardSettings settings) implements Control {}

    /**
     * Plans of tenants, in the order of their topic.
     *
     * @param source the offset of the last of them, on the shard's partition of the topic of tenant plans
     * @param plans 1 to {@value #MAX_PLANS}
     */
    record ApplyPlans(long source, long previous, List<TenantPlan> plans) implements Control {
        public ApplyPlans {
            plans = List.copyOf(plans);
            Bounds.inRange("number of plans", plans.size(), 1, MAX_PLANS);
        }
    }

    /** What an operator does; {@code source} is its offset on the shard's partition of the topic of adjustments. */
    record ApplyAction(long source, long previous, Action action) implements Control {}

    /** The offsets of a time zone; applied if they differ from those known and do not end before them. */
    record ApplyZone(Zone zone) implements Control {}

    /** About a second has passed: the sweep moves on. Carries the owner's clock, which no decision uses. */
    record Tick(long ownerMillis) implements Control {}

    /** The owner has appended all that there was when it took the shard over: from now on the shard decides. */
    record CaughtUp() implements Control {}
}
