package io.headgate.schemas.policy;

import static io.headgate.schemas.policy.Documents.parse;
import static io.headgate.schemas.policy.Documents.withRules;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.Policy;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ZoneNamesTest {

    private static final Policy POLICY = parse(withRules(calendar("A", "UTC")
                    + "," + calendar("B", "tenant")
                    + "," + calendar("C", "Europe/Zurich")
                    + "," + calendar("D", "Mars/Olympus")
                    + "," + calendar("E", "Europe/Zurich")
                    + ",{'id':'F','stage':'ip','algorithm':'fixed-window','limit':{'requests':1,'per':'1d'}}"))
            .policy();

    private static final TenantPlan PLAN = TenantPlansDocument.parse(
                    Documents.bytes("{'apiVersion':'headgate.io/v1','kind':'TenantPlans','tenants':{'big corp':{"
                            + "'zone':'Moon/Sea','overrides':{'A':{'algorithm':'fixed-window','limit':{'requests':1,"
                            + "'per':'day','align':'calendar','zone':'Asia/Tokyo'}},'B':{'algorithm':'fixed-window',"
                            + "'limit':{'requests':1,'per':'day','align':'calendar','zone':'Asia/Atlantis'}}}}}}"),
                    Optional.empty())
            .get(0);

    @Test
    void names_the_zones_whose_tables_are_needed() {
        assertThat(ZoneNames.zones(POLICY)).containsExactly("Europe/Zurich", "Mars/Olympus");
        assertThat(ZoneNames.zones(PLAN)).containsExactly("Asia/Atlantis", "Asia/Tokyo", "Moon/Sea");
        assertThat(ZoneNames.zones(TenantPlan.on("atlas", "gold"))).isEmpty();
    }

    @Test
    void says_where_a_zone_is_named_that_does_not_exist() {
        assertThat(ZoneNames.unknown(POLICY))
                .extracting(Object::toString)
                .containsExactly("spec.rules[3].limit.zone is \"Mars/Olympus\", which is no time zone that this Java"
                        + " platform knows; it must be the name of a time zone, such as Europe/Zurich");
        assertThat(ZoneNames.unknownInPlans(TenantPlansDocument.written(List.of(PLAN))))
                .extracting(problem -> problem.place())
                .containsExactly("tenants.\"big corp\".zone", "tenants.\"big corp\".overrides.B.limit.zone");
    }

    @Test
    void takes_the_name_of_every_zone_of_the_platform() {
        assertThat(ZoneId.getAvailableZoneIds()).hasSizeGreaterThan(500).allMatch(ZoneNames::isName);
    }

    @Test
    void takes_no_offsets_and_nothing_that_could_disturb_a_message() {
        assertThat(List.of("", "+01:00", "UTC+1:00", "Europe//Zurich", "/Europe", "Europe/", "a b", "a\nb", "1", "ä"))
                .noneMatch(ZoneNames::isName);
        assertThat(ZoneNames.isName("A".repeat(64))).isTrue();
        assertThat(ZoneNames.isName("A".repeat(65))).isFalse();
    }

    private static String calendar(String id, String zone) {
        return "{'id':'" + id + "','stage':'tenant','algorithm':'fixed-window','limit':{'requests':1,'per':'month',"
                + "'align':'calendar','zone':'" + zone + "'}}";
    }
}
