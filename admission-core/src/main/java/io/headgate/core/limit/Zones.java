package io.headgate.core.limit;

/** Where the table of a zone is found. */
@FunctionalInterface
public interface Zones {

    /**
     * The table of a zone.
     *
     * @param name the zone's name, or {@value Window.Calendar#OF_TENANT}
     * @throws UnknownZoneException if it is not known here
     */
    Zone named(String name);
}
