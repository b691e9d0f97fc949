package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.headgate.core.limit.Zone;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneRulesProvider;
import java.util.List;
import org.junit.jupiter.api.Test;

class ZoneTablesTest {

    private static final long HOUR_MILLIS = 3_600_000;
    private static final long FROM = millis("2026-01-01T00:00:00Z");
    private static final long UNTIL = millis("2027-01-01T00:00:00Z");

    @Test
    void begins_with_the_offset_in_force_and_lists_every_change() {
        Zone zurich = ZoneTables.of("Europe/Zurich", FROM, UNTIL);

        assertThat(zurich)
                .isEqualTo(new Zone(
                        "Europe/Zurich",
                        List.of(
                                new Zone.Offset(FROM, HOUR_MILLIS),
                                new Zone.Offset(millis("2026-03-29T01:00:00Z"), 2 * HOUR_MILLIS),
                                new Zone.Offset(millis("2026-10-25T01:00:00Z"), HOUR_MILLIS)),
                        UNTIL));
        assertThat(ZoneTables.of("Asia/Kolkata", FROM, UNTIL).offsets())
                .containsExactly(new Zone.Offset(FROM, 11 * HOUR_MILLIS / 2));
        assertThat(ZoneTables.of("UTC", FROM, FROM).offsets()).containsExactly(new Zone.Offset(FROM, 0));
    }

    @Test
    void has_a_change_at_either_end() {
        long change = millis("2026-03-29T01:00:00Z");

        assertThat(ZoneTables.of("Europe/Zurich", change, UNTIL).offsets())
                .startsWith(new Zone.Offset(change, 2 * HOUR_MILLIS))
                .hasSize(2);
        assertThat(ZoneTables.of("Europe/Zurich", FROM, change + 1).offsets()).hasSize(2);
        assertThat(ZoneTables.of("Europe/Zurich", FROM, change).offsets()).hasSize(1);
    }

    /** Twelve years, which is what a shard is told. */
    @Test
    void agrees_with_the_platform_in_every_zone_at_every_hour_of_a_change() {
        long from = millis("2024-06-01T00:00:00Z");
        long until = millis("2036-06-01T00:00:00Z");
        for (String id : ZoneRulesProvider.getAvailableZoneIds()) {
            Zone zone = ZoneTables.of(id, from, until);
            for (Zone.Offset offset : zone.offsets()) {
                assertThat(offset.offsetMillis()).as(id).isEqualTo(offsetMillis(id, offset.fromMillis()));
            }
            for (int i = 1; i < zone.offsets().size(); i++) {
                assertThat(zone.offsets().get(i - 1).offsetMillis())
                        .as(id)
                        .isEqualTo(offsetMillis(id, zone.offsets().get(i).fromMillis() - 1));
            }
            Zone.Offset last = zone.offsets().get(zone.offsets().size() - 1);
            assertThat(last.offsetMillis()).as(id).isEqualTo(offsetMillis(id, until - 1));
        }
    }

    @Test
    void refuses_what_is_no_zone() {
        for (String none : List.of("Mars/Olympus", "", "+01:00", "UTC+1", "europe/zurich")) {
            assertThat(ZoneTables.knows(none)).isFalse();
            assertThat(catchThrowable(() -> ZoneTables.of(none, FROM, UNTIL)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "zone is '" + none + "', which is no time zone that this Java platform knows; it must be"
                                    + " one such as Europe/Zurich");
        }
        assertThat(catchThrowable(() -> ZoneTables.of("UTC", UNTIL, FROM)))
                .hasMessage("untilMillis is " + FROM + "; it must be at least " + UNTIL);
    }

    @Test
    void ends_sooner_where_a_table_would_not_hold_all() {
        Zone full = ZoneTables.of("Europe/Zurich", FROM, millis("2300-01-01T00:00:00Z"));

        assertThat(full.offsets()).hasSize(Zone.MAX_OFFSETS);
        assertThat(full.untilMillis()).isEqualTo(millis("2275-10-31T01:00:00Z"));
        assertThat(ZoneTables.of("Europe/Zurich", FROM, full.untilMillis())).isEqualTo(full);
    }

    private static long offsetMillis(String id, long millis) {
        return ZoneId.of(id).getRules().getOffset(Instant.ofEpochMilli(millis)).getTotalSeconds() * 1_000L;
    }

    private static long millis(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }
}
