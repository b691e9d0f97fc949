package io.headgate.core.limit;

import java.time.LocalDate;

/** How time is cut into windows. Windows do not overlap and leave no gap, and never depend on who came first. */
public sealed interface Window {

    /** When the window that {@code millis} falls into begins. */
    long startMillis(long millis);

    /** When it ends and the next begins. */
    long endMillis(long millis);

    /** The same, with the table of the zone that it names. */
    default Window in(Zones zones) {
        return this;
    }

    /** Windows of one length, laid end to end from the epoch. */
    record Every(long lengthMillis) implements Window {

        public Every {
            Bounds.period("per", lengthMillis);
        }

        @Override
        public long startMillis(long millis) {
            return millis - millis % lengthMillis;
        }

        @Override
        public long endMillis(long millis) {
            return startMillis(millis) + lengthMillis;
        }
    }

    /**
     * Days, weeks or months of a zone.
     *
     * @param zone the zone's name, or {@value #OF_TENANT}
     */
    record Calendar(CalendarUnit unit, String zone) implements Window {

        /** Stands for the zone in the tenant's plan; UTC where that names none. */
        public static final String OF_TENANT = "tenant";

        @Override
        public long startMillis(long millis) {
            throw withoutTable();
        }

        @Override
        public long endMillis(long millis) {
            throw withoutTable();
        }

        @Override
        public Window in(Zones zones) {
            return new Located(unit, zones.named(zone));
        }

        private IllegalStateException withoutTable() {
            return new IllegalStateException("zone " + zone + " has no table here");
        }
    }

    /** Days, weeks or months of a zone whose offsets are at hand. */
    record Located(CalendarUnit unit, Zone zone) implements Window {

        @Override
        public long startMillis(long millis) {
            return zone.startOf(firstDay(millis));
        }

        @Override
        public long endMillis(long millis) {
            return zone.startOf(unit.nextFirstDay(firstDay(millis)));
        }

        /** Where a clock is set back over midnight, the day has begun that began first, whatever the clock says. */
        private LocalDate firstDay(long millis) {
            LocalDate first = unit.firstDay(zone.dateAt(millis));
            LocalDate next = unit.nextFirstDay(first);
            while (zone.startOf(next) <= millis) {
                first = next;
                next = unit.nextFirstDay(first);
            }
            return first;
        }
    }
}
