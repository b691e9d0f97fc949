package io.headgate.core.limit;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;

/** When windows begin and end, by the rules of time zones of the Java platform. */
final class NaiveWindows {

    private NaiveWindows() {}

    /** The latest beginning that is not after {@code millis}. */
    static long startMillis(Window window, long millis) {
        if (window instanceof Window.Every every) {
            return millis / every.lengthMillis() * every.lengthMillis();
        }
        return start(firstDay(window, millis), zoneOf(window));
    }

    /** The first beginning that is after {@code millis}. */
    static long endMillis(Window window, long millis) {
        if (window instanceof Window.Every every) {
            return (millis / every.lengthMillis() + 1) * every.lengthMillis();
        }
        return start(next(firstDay(window, millis), unitOf(window)), zoneOf(window));
    }

    private static LocalDate firstDay(Window window, long millis) {
        LocalDate day = Instant.ofEpochMilli(millis).atZone(zoneOf(window)).toLocalDate();
        LocalDate first = first(day, unitOf(window));
        while (start(next(first, unitOf(window)), zoneOf(window)) <= millis) {
            first = next(first, unitOf(window));
        }
        return first;
    }

    private static long start(LocalDate day, ZoneId zone) {
        return day.atStartOfDay(zone).toInstant().toEpochMilli();
    }

    private static LocalDate first(LocalDate day, CalendarUnit unit) {
        return switch (unit) {
            case DAY -> day;
            case WEEK -> day.minusDays(day.getDayOfWeek().getValue() - DayOfWeek.MONDAY.getValue());
            case MONTH -> YearMonth.from(day).atDay(1);
        };
    }

    private static LocalDate next(LocalDate first, CalendarUnit unit) {
        return switch (unit) {
            case DAY -> first.plusDays(1);
            case WEEK -> first.with(TemporalAdjusters.next(DayOfWeek.MONDAY));
            case MONTH -> YearMonth.from(first).plusMonths(1).atDay(1);
        };
    }

    private static ZoneId zoneOf(Window window) {
        return ZoneId.of(
                window instanceof Window.Located located ? located.zone().id() : ((Window.Calendar) window).zone());
    }

    private static CalendarUnit unitOf(Window window) {
        return window instanceof Window.Located located ? located.unit() : ((Window.Calendar) window).unit();
    }
}
