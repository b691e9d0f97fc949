package io.headgate.tools.tenant;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.random.RandomGenerator;

/** Ids of actions that nobody named: what, when, and eight hexadecimal digits at random. */
final class ActionId {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private ActionId() {}

    /** Such as {@code ban-20261130T195903Z-5f0e91c2}. */
    static String next(String kind, long nowMillis, RandomGenerator random) {
        return String.format(
                Locale.ROOT, "%s-%s-%08x", kind, TIME.format(Instant.ofEpochMilli(nowMillis)), random.nextInt());
    }
}
