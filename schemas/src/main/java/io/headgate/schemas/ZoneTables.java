package io.headgate.schemas;

import io.headgate.core.limit.Zone;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;

/** Tables of time zones as this Java platform knows them. */
public final class ZoneTables {

    private static final int SHOWN_LENGTH = 64;

    private ZoneTables() {}

    /**
     * The offsets of a zone, the first being the one in force at {@code fromMillis}. A zone that changes its offset more
     * often than a table may hold gets one that ends sooner.
     *
     * @param zoneId such as {@code Europe/Zurich}
     * @param fromMillis milliseconds since the epoch
     * @param untilMillis up to when the table is to be complete; after {@code fromMillis}
     * @throws IllegalArgumentException if this platform does not know the zone
     */
    public static Zone of(String zoneId, long fromMillis, long untilMillis) {
        ZoneRules rules = rules(zoneId);
        Instant from = Instant.ofEpochMilli(fromMillis);
        List<Zone.Offset> offsets = new ArrayList<>();
        offsets.add(new Zone.Offset(fromMillis, millis(rules.getOffset(from))));
        ZoneOffsetTransition next = rules.nextTransition(from);
        while (next != null && next.toEpochSecond() * 1_000 < untilMillis) {
            if (offsets.size() == Zone.MAX_OFFSETS) {
                return new Zone(zoneId, offsets, next.toEpochSecond() * 1_000);
            }
            offsets.add(new Zone.Offset(next.toEpochSecond() * 1_000, millis(next.getOffsetAfter())));
            next = rules.nextTransition(next.getInstant());
        }
        return new Zone(zoneId, offsets, untilMillis);
    }

    private static ZoneRules rules(String zoneId) {
        try {
            return ZoneId.of(zoneId).getRules();
        } catch (DateTimeException unknown) {
            throw new IllegalArgumentException(
                    "time zone '" + zoneId.substring(0, Math.min(SHOWN_LENGTH, zoneId.length()))
                            + "' is not known here; it must be one such as Europe/Zurich",
                    unknown);
        }
    }

    private static long millis(ZoneOffset offset) {
        return offset.getTotalSeconds() * 1_000L;
    }
}
