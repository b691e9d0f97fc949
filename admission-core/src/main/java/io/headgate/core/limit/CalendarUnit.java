package io.headgate.core.limit;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.TemporalAdjusters;

/** A span of the calendar. A week begins on Monday (ISO 8601). */
public enum CalendarUnit {
    DAY("day"),
    WEEK("week"),
    MONTH("month");

    private final String label;

    CalendarUnit(String label) {
        this.label = label;
    }

    /** The name in documents. */
    public String label() {
        return label;
    }

    /** The first day of the span that {@code day} falls into. */
    LocalDate firstDay(LocalDate day) {
        return switch (this) {
            case DAY -> day;
            case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTH -> day.withDayOfMonth(1);
        };
    }

    /** The first day of the span after the one that begins with {@code first}. */
    LocalDate nextFirstDay(LocalDate first) {
        return switch (this) {
            case DAY -> first.plusDays(1);
            case WEEK -> first.plusWeeks(1);
            case MONTH -> first.plusMonths(1);
        };
    }
}
