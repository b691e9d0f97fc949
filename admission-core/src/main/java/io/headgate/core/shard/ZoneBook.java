package io.headgate.core.shard;

import io.headgate.core.limit.UnknownZoneException;
import io.headgate.core.limit.Zone;
import io.headgate.core.limit.Zones;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The time zones whose offsets the log has told. UTC is always among them. */
final class ZoneBook implements Zones {

    /** The most time zones that a shard knows: there are about 600. */
    static final int MAX_ZONES = 2_000;

    private final SortedMap<String, Zone> zones = new TreeMap<>();

    private ZoneBook() {
        zones.put(Zone.UTC.id(), Zone.UTC);
    }

    static ZoneBook of(StateStore store) {
        ZoneBook book = new ZoneBook();
        for (StateStore.Entry entry : store.scan(Keys.ZONES.from(), Keys.ZONES.to(), MAX_ZONES)) {
            Zone zone = ZoneEntry.fromBytes(entry.value()).zone();
            book.zones.put(zone.id(), zone);
        }
        return book;
    }

    @Override
    public Zone named(String name) {
        Zone zone = zones.get(name);
        if (zone == null) {
            throw new UnknownZoneException(name);
        }
        return zone;
    }

    /** Takes a table, unless it ends before the one that is known. Says why it is refused, if it is. */
    Optional<String> take(Zone zone, WorkingSet state) {
        Zone known = zones.get(zone.id());
        if (known == null && zones.size() >= MAX_ZONES) {
            return Optional.of("zone " + zone.id() + " is refused: " + MAX_ZONES + " are known, as many as may be");
        }
        boolean newer = known == null || (known.untilMillis() <= zone.untilMillis() && !known.equals(zone));
        if (newer) {
            zones.put(zone.id(), zone);
            state.put(Keys.zone(zone.id()), new ZoneEntry(zone));
        }
        return Optional.empty();
    }

    /** Up to when each table is complete, by the zone's name. */
    SortedMap<String, Long> until() {
        SortedMap<String, Long> until = new TreeMap<>();
        zones.forEach((id, zone) -> until.put(id, zone.untilMillis()));
        return until;
    }
}
