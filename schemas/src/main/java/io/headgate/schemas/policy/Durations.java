package io.headgate.schemas.policy;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as documents write them: a positive integer and one unit, such as 500ms, 10s, 5m, 1h or 1d. */
public final class Durations {

    /** What a duration looks like, for messages. */
    static final String SHAPE = "a duration: a positive integer with ms, s, m, h or d, such as 10s";

    private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,17})(ms|s|m|h|d)");

    private static final Map<String, Long> UNIT_MILLIS =
            Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

    private Durations() {}

    /**
     * The duration in milliseconds.
     *
     * @throws IllegalArgumentException if it is not one, or longer than {@code mostMillis}
     */
    public static long parseMillis(String duration, long mostMillis) {
        return parseMillis(duration, 1, mostMillis);
    }

    /**
     * The duration in milliseconds.
     *
     * @throws IllegalArgumentException if it is not one, or shorter than {@code leastMillis} or longer than {@code
     *     mostMillis}
     */
    public static long parseMillis(String duration, long leastMillis, long mostMillis) {
        Matcher matcher = DURATION.matcher(duration);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("is '" + duration + "'; it must be " + SHAPE);
        }
        long count = Long.parseLong(matcher.group(1));
        long unitMillis = UNIT_MILLIS.get(matcher.group(2));
        if (count > mostMillis / unitMillis) {
            throw new IllegalArgumentException("is '" + duration + "'; it must be at most " + format(mostMillis));
        }
        if (count * unitMillis < leastMillis) {
            throw new IllegalArgumentException("is '" + duration + "'; it must be at least " + format(leastMillis));
        }
        return count * unitMillis;
    }

    /** The shortest way to write a positive duration: 86400000 ms is 1d, 90000 ms is 90s. */
    public static String format(long millis) {
        for (String unit : new String[] {"d", "h", "m", "s"}) {
            long unitMillis = UNIT_MILLIS.get(unit);
            if (millis % unitMillis == 0) {
                return millis / unitMillis + unit;
            }
        }
        return millis + "ms";
    }
}
