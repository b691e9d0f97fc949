package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.limit.Zone;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;

class ZoneTablesTest {

    private static final long FROM = Instant.parse("2025-01-15T12:00:00Z").toEpochMilli();
    private static final long UNTIL = Instant.parse("2037-01-15T12:00:00Z").toEpochMilli();
    private static final long HOUR = 3_600_000;

    @Test
    void begins_with_the_offset_in_force_and_has_every_change_before_the_end() {
        Zone zurich = ZoneTables.of(
                "Europe/Zurich", FROM, Instant.parse("2026-03-29T01:00:00Z").toEpochMilli());

        assertThat(zurich.offsets())
                .isEqualTo(List.of(
                        new Zone.Offset(FROM, HOUR),
                        new Zone.Offset(Instant.parse("2025-03-30T01:00:00Z").toEpochMilli(), 2 * HOUR),
                        new Zone.Offset(Instant.parse("2025-10-26T01:00:00Z").toEpochMilli(), HOUR)));
        assertThat(zurich.untilMillis())
                .isEqualTo(Instant.parse("2026-03-29T01:00:00Z").toEpochMilli());
    }

    @Test
    void a_zone_without_summer_time_has_one_offset() {
        assertThat(ZoneTables.of("Asia/Kathmandu", FROM, UNTIL).offsets())
                .isEqualTo(List.of(new Zone.Offset(FROM, 5 * HOUR + 45 * 60_000)));
    }

    @Test
    void a_table_that_would_be_too_long_ends_sooner() {
        long farAway = Instant.parse("2400-01-01T00:00:00Z").toEpochMilli();

        Zone zurich = ZoneTables.of("Europe/Zurich", FROM, farAway);

        assertThat(zurich.offsets()).hasSize(Zone.MAX_OFFSETS);
        assertThat(zurich.untilMillis())
                .isBetween(Instant.parse("2270-01-01T00:00:00Z").toEpochMilli(), farAway - 1);
    }

    @Test
    void every_zone_of_the_platform_has_a_table_of_twelve_years() {
        assertThat(ZoneId.getAvailableZoneIds())
                .allSatisfy(id -> assertThat(ZoneTables.of(id, FROM, UNTIL)).satisfies(zone -> {
                    assertThat(zone.id()).isEqualTo(id);
                    assertThat(zone.untilMillis()).isEqualTo(UNTIL);
                }));
    }

    @Test
    void a_zone_that_nobody_knows_is_named() {
        for (String id : List.of("Europe/Atlantis", "", "naïve zone", "x".repeat(5_000))) {
            assertThatThrownBy(() -> ZoneTables.of(id, FROM, UNTIL))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("time zone '" + id.substring(0, Math.min(64, id.length())) + "'")
                    .message()
                    .hasSizeLessThan(200);
        }
    }
}
