package io.headgate.core.limit;

import java.time.LocalDate;
import java.util.List;

/**
 * A time zone as a table of its offsets from UTC. The rules of a zone change with governments and with the release of
 * the Java platform, so whoever folds a log takes them from the log and not from its own platform.
 *
 * @param id the zone's name, such as {@code Europe/Zurich}
 * @param offsets oldest first, at least one and at most {@value #MAX_OFFSETS}; the first holds for all time before it,
 *     the last for all time after it
 * @param untilMillis up to when the table is known to be complete, in milliseconds since the epoch
 */
public record Zone(String id, List<Offset> offsets, long untilMillis) {

    /** The most changes of offset that a table may have: 250 years of summer time. */
    public static final int MAX_OFFSETS = 500;

    /** Needs no table of anybody's making. */
    public static final Zone UTC = new Zone("UTC", List.of(new Offset(0, 0)), Long.MAX_VALUE);

    private static final int MAX_ID_LENGTH = 64;
    private static final long MAX_OFFSET_MILLIS = 18L * 60 * 60 * 1000;
    private static final long DAY_MILLIS = 24L * 60 * 60 * 1000;

    /**
     * An offset and from when it holds.
     *
     * @param fromMillis milliseconds since the epoch
     * @param offsetMillis local time minus UTC, at most 18 h either way
     */
    public record Offset(long fromMillis, long offsetMillis) {
        public Offset {
            Bounds.inRange("offsetMillis", offsetMillis, -MAX_OFFSET_MILLIS, MAX_OFFSET_MILLIS);
        }
    }

    public Zone {
        offsets = List.copyOf(offsets);
        if (id.isEmpty() || id.length() > MAX_ID_LENGTH) {
            throw new IllegalArgumentException(
                    "zone has a name of " + id.length() + " characters; it must have 1 to " + MAX_ID_LENGTH);
        }
        Bounds.inRange("number of offsets of zone " + id, offsets.size(), 1, MAX_OFFSETS);
        for (int i = 1; i < offsets.size(); i++) {
            if (offsets.get(i).fromMillis() <= offsets.get(i - 1).fromMillis()) {
                throw new IllegalArgumentException("offsets of zone " + id + " are not in order of time: "
                        + offsets.get(i - 1).fromMillis() + ", then "
                        + offsets.get(i).fromMillis());
            }
        }
    }

    /** The local date at a moment. */
    LocalDate dateAt(long millis) {
        return LocalDate.ofEpochDay(Math.floorDiv(millis + offsetAt(millis), DAY_MILLIS));
    }

    /**
     * The moment at which a local day begins: local midnight, of two the earlier, and where the clock jumps over
     * midnight the jump.
     */
    long startOf(LocalDate day) {
        long localMillis = day.toEpochDay() * DAY_MILLIS;
        for (int i = 0; i < offsets.size() - 1; i++) {
            if (localMillis - offsets.get(i).offsetMillis() < offsets.get(i + 1).fromMillis()) {
                return startWithin(i, localMillis);
            }
        }
        return startWithin(offsets.size() - 1, localMillis);
    }

    private long startWithin(int index, long localMillis) {
        long millis = localMillis - offsets.get(index).offsetMillis();
        return index == 0 ? millis : Math.max(millis, offsets.get(index).fromMillis());
    }

    private long offsetAt(long millis) {
        int index = offsets.size() - 1;
        while (index > 0 && offsets.get(index).fromMillis() > millis) {
            index--;
        }
        return offsets.get(index).offsetMillis();
    }
}
