package io.headgate.core.limit;

import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;

/** Tables of time zones, made from the rules of the Java platform that runs the test. */
public final class TestZones {

    private static final Instant FROM = Instant.parse("1970-01-01T00:00:00Z");
    private static final Instant UNTIL = Instant.parse("2101-01-01T00:00:00Z");

    private TestZones() {}

    /** Complete from 1970 to 2100. */
    public static Zone table(String id) {
        return table(id, UNTIL);
    }

    public static Zone table(String id, Instant until) {
        ZoneRules rules = ZoneId.of(id).getRules();
        List<Zone.Offset> offsets = new ArrayList<>();
        offsets.add(new Zone.Offset(FROM.toEpochMilli(), rules.getOffset(FROM).getTotalSeconds() * 1_000L));
        ZoneOffsetTransition next = rules.nextTransition(FROM);
        while (next != null && next.getInstant().isBefore(until)) {
            offsets.add(new Zone.Offset(
                    next.getInstant().toEpochMilli(), next.getOffsetAfter().getTotalSeconds() * 1_000L));
            next = rules.nextTransition(next.getInstant());
        }
        return new Zone(id, offsets, until.toEpochMilli());
    }
}
