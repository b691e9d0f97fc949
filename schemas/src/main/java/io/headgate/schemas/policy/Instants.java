package io.headgate.schemas.policy;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Moments as documents write them: RFC 3339, with an offset or Z, to the millisecond. */
final class Instants {

    static final String SHAPE =
            "a moment after 1970 with its offset from UTC, such as \"2027-01-15T08:00:00Z\" or \"2027-01-15T09:00:00+01:00\"";

    private static final Pattern INSTANT = Pattern.compile(
            "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,3})?(Z|[+-][0-9]{2}:[0-9]{2})");

    private Instants() {}

    /** Milliseconds since the epoch; empty if it is no such moment. */
    static OptionalLong parse(String text) {
        if (!INSTANT.matcher(text).matches()) {
            return OptionalLong.empty();
        }
        try {
            long millis = OffsetDateTime.parse(text).toInstant().toEpochMilli();
            return millis < 0 ? OptionalLong.empty() : OptionalLong.of(millis);
        } catch (DateTimeException noSuchDay) {
            return OptionalLong.empty();
        }
    }
}
