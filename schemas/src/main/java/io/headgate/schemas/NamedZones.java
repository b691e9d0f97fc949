package io.headgate.schemas;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Window;
import io.headgate.core.limit.Zone;
import io.headgate.core.policy.Policy;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The time zones that policies, plans and actions name, and the tables that shards get of them: from two years before the
 * day on which it is made to ten years after it, and a new one when less than one of those is left.
 */
public final class NamedZones {

    private static final long YEAR_MILLIS = TimeUnit.DAYS.toMillis(366);
    private static final long PAST_MILLIS = 2 * YEAR_MILLIS;
    private static final long AHEAD_MILLIS = 10 * YEAR_MILLIS;

    private NamedZones() {}

    public static Set<String> in(Policy policy) {
        return in(policy.rules().stream().flatMap(rule -> rule.limits().stream()));
    }

    public static Set<String> in(TenantPlan plan) {
        if (plan.zone().isEmpty() && plan.overrides().isEmpty()) {
            return Set.of();
        }
        Set<String> zones = in(plan.overrides().values().stream());
        plan.zone().filter(NamedZones::needsTable).ifPresent(zones::add);
        return zones;
    }

    public static Set<String> in(Action action) {
        return action.effect() instanceof Action.LimitOverride override ? in(Stream.of(override.limit())) : Set.of();
    }

    private static Set<String> in(Stream<Limit> limits) {
        Set<String> zones = new TreeSet<>();
        limits.forEach(limit -> {
            if (limit instanceof FixedWindowLimit fixed
                    && fixed.window() instanceof Window.Calendar calendar
                    && needsTable(calendar.zone())) {
                zones.add(calendar.zone());
            }
        });
        return zones;
    }

    private static boolean needsTable(String zone) {
        return !zone.equals(Zone.UTC.id()) && !zone.equals(Window.Calendar.OF_TENANT);
    }

    /**
     * A zone's table as of now.
     *
     * @throws IllegalArgumentException if this platform does not know the zone
     */
    public static Zone table(String zone, long nowMillis) {
        return ZoneTables.of(zone, nowMillis - PAST_MILLIS, nowMillis + AHEAD_MILLIS);
    }

    /** Those of which this platform has no table. */
    public static List<String> unknown(Collection<String> zones) {
        return zones.stream().filter(zone -> !isKnown(zone)).toList();
    }

    public static boolean isKnown(String zone) {
        try {
            return ZoneTables.of(zone, 0, 1) != null;
        } catch (IllegalArgumentException unknown) {
            return false;
        }
    }

    /** Whether a table that is complete up to then has to be replaced. */
    public static boolean endsSoon(long untilMillis, long nowMillis) {
        return untilMillis < nowMillis + YEAR_MILLIS;
    }
}
