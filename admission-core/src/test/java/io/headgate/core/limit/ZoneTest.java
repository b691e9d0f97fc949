package io.headgate.core.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.Seeds;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ZoneTest {

    private static final long FROM = Instant.parse("1970-01-01T00:00:00Z").toEpochMilli();
    private static final long UNTIL = Instant.parse("2100-12-01T00:00:00Z").toEpochMilli();

    @Test
    void every_zone_of_the_platform_has_the_days_weeks_and_months_that_java_time_gives_it() {
        List<String> ids = new ArrayList<>(new TreeSet<>(ZoneId.getAvailableZoneIds()));
        Seeds.forEach(1, random -> {
            for (String id : ids) {
                Zone table = TestZones.table(id);
                for (long millis : moments(ZoneId.of(id), random)) {
                    assertThat(table.dateAt(millis))
                            .as("%s at %s", id, millis)
                            .isEqualTo(Instant.ofEpochMilli(millis)
                                    .atZone(ZoneId.of(id))
                                    .toLocalDate());
                    for (CalendarUnit unit : CalendarUnit.values()) {
                        Window window = new Window.Located(unit, table);
                        assertThat(List.of(window.startMillis(millis), window.endMillis(millis)))
                                .as("%s of %s at %s", unit, id, Instant.ofEpochMilli(millis))
                                .containsExactly(
                                        NaiveWindows.startMillis(window, millis),
                                        NaiveWindows.endMillis(window, millis));
                    }
                }
            }
        });
        assertThat(ids).hasSizeGreaterThan(500);
    }

    /** Any, and around changes of the offset. */
    private static List<Long> moments(ZoneId zone, Random random) {
        List<Long> moments = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            long any = FROM + (long) (random.nextInt() >>> 1) * 1_900;
            moments.add(Math.min(any, UNTIL));
            ZoneOffsetTransition next = zone.getRules().nextTransition(Instant.ofEpochMilli(any));
            if (next != null && next.getInstant().toEpochMilli() < UNTIL) {
                long at = next.getInstant().toEpochMilli();
                Collections.addAll(moments, at - 3_600_001, at - 1, at, at + 1, at + 1_800_000, at + 7_200_000);
            }
        }
        return moments;
    }

    @Test
    void windows_leave_no_gap_and_do_not_overlap() {
        List<String> ids = List.of(
                "Europe/Zurich",
                "America/Los_Angeles",
                "America/Sao_Paulo",
                "America/St_Johns",
                "America/Havana",
                "America/Nuuk",
                "Africa/Cairo",
                "Asia/Beirut",
                "Pacific/Apia");
        for (String id : ids) {
            for (CalendarUnit unit : CalendarUnit.values()) {
                Window window = new Window.Located(unit, TestZones.table(id));
                long at = Instant.parse("1985-01-01T12:00:00Z").toEpochMilli();
                while (at < Instant.parse("2030-01-01T00:00:00Z").toEpochMilli()) {
                    long end = window.endMillis(at);
                    assertThat(end).as("%s of %s", unit, id).isGreaterThan(at);
                    assertThat(window.endMillis(end - 1))
                            .as("%s of %s at %s", unit, id, end)
                            .isEqualTo(end);
                    assertThat(window.startMillis(end))
                            .as("%s of %s at %s", unit, id, end)
                            .isEqualTo(end);
                    at = end;
                }
            }
        }
    }

    /** In 2006 St. John's set its clocks back at 00:01, to 23:01 of the day before. */
    @Test
    void a_day_that_has_begun_does_not_end_again_when_the_clock_is_set_back_over_midnight() {
        Window day = new Window.Located(CalendarUnit.DAY, TestZones.table("America/St_Johns"));
        long midnight = Instant.parse("2006-10-29T02:30:00Z").toEpochMilli();
        long setBack = midnight + 60_000;

        assertThat(ZonedDateTime.ofInstant(Instant.ofEpochMilli(setBack), ZoneId.of("America/St_Johns"))
                        .toLocalDate())
                .isEqualTo(LocalDate.of(2006, 10, 28));
        assertThat(day.startMillis(setBack)).isEqualTo(midnight);
        assertThat(day.endMillis(setBack)).isEqualTo(midnight + 25 * 3_600_000L);
    }

    @Test
    void a_table_is_one_offset_at_least_and_500_at_most_in_order_of_time() {
        List<Zone.Offset> most = new ArrayList<>();
        for (int i = 0; i < Zone.MAX_OFFSETS; i++) {
            most.add(new Zone.Offset(i, 0));
        }
        List<Zone.Offset> tooMany = new ArrayList<>(most);
        tooMany.add(new Zone.Offset(Zone.MAX_OFFSETS, 0));

        assertThat(new Zone("X", most, 0).offsets()).hasSize(500);
        assertThatThrownBy(() -> new Zone("X", tooMany, 0)).hasMessageContaining("number of offsets of zone X is 501");
        assertThatThrownBy(() -> new Zone("X", List.of(), 0)).hasMessageContaining("number of offsets of zone X is 0");
        assertThatThrownBy(() -> new Zone("X", List.of(new Zone.Offset(5, 0), new Zone.Offset(5, 1)), 0))
                .hasMessageContaining("not in order of time: 5, then 5");
        assertThatThrownBy(() -> new Zone("", most, 0)).hasMessageContaining("a name of 0 characters");
        assertThatThrownBy(() -> new Zone.Offset(0, 18 * 3_600_000L + 1)).hasMessageContaining("offsetMillis");
    }
}
