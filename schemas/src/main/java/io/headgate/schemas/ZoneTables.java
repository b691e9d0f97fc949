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

/** Tables of time zones as this Java platform knows them, to be written to a log. */
public final class ZoneTables {

    private ZoneTables() {}

    /** Whether there is a zone of that name. */
    public static boolean knows(String zoneId) {
        return ZoneRulesProvider.getAvailableZoneIds().contains(zoneId);
    }

    /**
     * The offsets of a zone from one moment to another.
     *
     * @param zoneId such as {@code Europe/Zurich}
     * @param fromMillis since when, in milliseconds since the epoch; the offset at that moment is the first of the table
     * @param untilMillis up to when, likewise
     * @throws IllegalArgumentException if there is no such zone, the time ends before it begins, or there are more than
     *     {@value Zone#MAX_OFFSETS} offsets in it
     */
    public static Zone of(String zoneId, long fromMillis, long untilMillis) {
        if (!knows(zoneId)) {
            throw new IllegalArgumentException("zone is '" + zoneId + "', which is no time zone that this Java platform"
                    + " knows; it must be one such as Europe/Zurich");
        }
        if (untilMillis < fromMillis) {
            throw new IllegalArgumentException("untilMillis is " + untilMillis + "; it must be at least " + fromMillis);
        }
        ZoneRules rules = ZoneId.of(zoneId).getRules();
        Instant from = Instant.ofEpochMilli(fromMillis);
        List<Zone.Offset> offsets = new ArrayList<>();
        offsets.add(offset(fromMillis, rules.getOffset(from)));
        for (ZoneOffsetTransition next = rules.nextTransition(from);
                next != null && next.toEpochSecond() <= Math.floorDiv(untilMillis, 1_000);
                next = rules.nextTransition(next.getInstant())) {
            if (offsets.size() == Zone.MAX_OFFSETS) {
                throw new IllegalArgumentException("zone " + zoneId + " changes its offset more than "
                        + (Zone.MAX_OFFSETS - 1) + " times from " + from + " to " + Instant.ofEpochMilli(untilMillis)
                        + "; a table must end earlier");
            }
            offsets.add(offset(next.toEpochSecond() * 1_000, next.getOffsetAfter()));
        }
        return new Zone(zoneId, offsets, untilMillis);
    }

    private static Zone.Offset offset(long fromMillis, ZoneOffset offset) {
        return new Zone.Offset(fromMillis, offset.getTotalSeconds() * 1_000L);
    }
}
