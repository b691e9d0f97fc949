package io.headgate.schemas;

import io.headgate.core.limit.Zone;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.time.zone.ZoneRulesProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Tables of time zones as this Java platform knows them, to be written to a log. */
public final class ZoneTables {

    private static final int LONGEST_SHOWN = 64;

    private static final long YEAR_MILLIS = TimeUnit.DAYS.toMillis(366);

    private ZoneTables() {}

    /** Whether there is a zone of that name. */
    public static boolean knows(String zoneId) {
        return ZoneRulesProvider.getAvailableZoneIds().contains(zoneId);
    }

    /**
     * The offsets of a zone, the first being the one in force at {@code fromMillis}. A zone that changes its offset more
     * often than a table may hold gets one that ends sooner.
     *
     * @param zoneId such as {@code Europe/Zurich}
     * @param fromMillis milliseconds since the epoch
     * @param untilMillis up to when the table is to be complete; not before {@code fromMillis}
     * @throws IllegalArgumentException if there is no such zone
     */
    public static Zone of(String zoneId, long fromMillis, long untilMillis) {
        if (!knows(zoneId)) {
            throw new IllegalArgumentException("zone is '" + shown(zoneId) + "', which is no time zone that this Java"
                    + " platform knows; it must be one such as Europe/Zurich");
        }
        if (untilMillis < fromMillis) {
            throw new IllegalArgumentException("untilMillis is " + untilMillis + "; it must be at least " + fromMillis);
        }
        ZoneRules rules = ZoneId.of(zoneId).getRules();
        Instant from = Instant.ofEpochMilli(fromMillis);
        List<Zone.Offset> offsets = new ArrayList<>();
        offsets.add(offset(fromMillis, rules.getOffset(from)));
        ZoneOffsetTransition next = rules.nextTransition(from);
        while (next != null && millis(next) < untilMillis) {
            if (offsets.size() == Zone.MAX_OFFSETS) {
                return new Zone(zoneId, offsets, millis(next));
            }
            offsets.add(offset(millis(next), next.getOffsetAfter()));
            next = rules.nextTransition(next.getInstant());
        }
        return new Zone(zoneId, offsets, untilMillis);
    }

    /**
     * The table that a shard gets of a zone: from two years before now to ten years after.
     *
     * @throws IllegalArgumentException if this platform does not know the zone
     */
    public static Zone around(String zoneId, long nowMillis) {
        return of(zoneId, nowMillis - 2 * YEAR_MILLIS, nowMillis + 10 * YEAR_MILLIS);
    }

    /** Whether a table that is complete up to {@code untilMillis} has to be replaced: within a year. */
    public static boolean endsSoon(long untilMillis, long nowMillis) {
        return untilMillis < nowMillis + YEAR_MILLIS;
    }

    private static long millis(ZoneOffsetTransition transition) {
        return transition.toEpochSecond() * 1_000;
    }

    private static String shown(String zoneId) {
        String cut = zoneId.substring(0, Math.min(LONGEST_SHOWN, zoneId.length()));
        return cut.replaceAll("\\p{Cntrl}", "?");
    }

    private static Zone.Offset offset(long fromMillis, ZoneOffset offset) {
        return new Zone.Offset(fromMillis, offset.getTotalSeconds() * 1_000L);
    }
}
