package io.headgate.tools.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.Desk;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ListCommandTest {

    private final Desk desk = Shop.desk();

    @BeforeEach
    void fill() {
        desk.signed("set", "atlas", "--plan", "pro", "--zone", "Asia/Tokyo", "--override", "READ=unlimited");
        desk.signed("set", "birch", "--suspend");
        desk.signed("set", "cedar", "--unlimited", "--home-region", "eu");
        desk.signed("set", "dogwood", "--plan", "pro");
        desk.signed("remove", "dogwood");
        desk.signed("set", "elm", "--plan", "pro");
        desk.cluster()
                .put(
                        TopicCatalogue.TENANT_PLANS,
                        Partitioning.shardOf("elm", Desk.SHARDS),
                        "elm".getBytes(StandardCharsets.UTF_8),
                        null);
    }

    @Test
    void lists_the_newest_plan_of_each_tenant_shard_by_shard() {
        assertThat(desk.tenant("list")).isZero();

        List<String> expected = new ArrayList<>(List.of("atlas", "birch", "cedar"));
        expected.sort(Comparator.comparing((String tenant) -> Partitioning.shardOf(tenant, Desk.SHARDS))
                .thenComparing(Comparator.naturalOrder()));
        assertThat(desk.out().lines().skip(1).map(line -> line.substring(0, line.indexOf(' '))))
                .isEqualTo(expected);
        assertThat(desk.out().lines())
                .contains(
                        "TENANT                            STATUS     PLAN              UNLIMITED  OVERRIDES  ZONE                  HOME REGION",
                        "atlas                             active     pro               -                  1  Asia/Tokyo            -",
                        "birch                             suspended  default           -                  -  -                     -",
                        "cedar                             active     default           yes                -  -                     eu");
        assertThat(desk.err()).isEmpty();
    }

    @Test
    void lists_those_on_a_plan_or_of_a_status() {
        assertThat(tenants("list", "--plan", "pro")).containsExactly("atlas");
        assertThat(tenants("list", "--status", "suspended")).containsExactly("birch");
        assertThat(tenants("list", "--status", "removed")).containsExactly("dogwood");
        assertThat(tenants("list", "--status", "active", "--plan", "default")).containsExactly("cedar");
        assertThat(tenants("list", "--plan", "none")).isEmpty();
    }

    @Test
    void drops_a_tenant_that_left_the_plan() {
        desk.signed("set", "atlas", "--plan", "default");

        assertThat(tenants("list", "--plan", "pro")).isEmpty();
    }

    @Test
    void gives_programs_an_object_a_line() {
        assertThat(desk.tenant("list", "--plan", "pro", "--output", "json")).isZero();

        assertThat(desk.out())
                .isEqualTo("{\"tenant\":\"atlas\",\"status\":\"active\",\"plan\":\"pro\",\"unlimited\":false,"
                        + "\"overrides\":1,\"zone\":\"Asia/Tokyo\"}\n");
    }

    @Test
    void passes_over_what_no_shard_takes() {
        PlanRecord stray = new PlanRecord(TenantPlan.on("zelkova", "pro"), "", "");
        int wrong = (Partitioning.shardOf("zelkova", Desk.SHARDS) + 1) % Desk.SHARDS;
        desk.cluster().put(TopicCatalogue.TENANT_PLANS, wrong, stray.key(), stray.toBytes());
        desk.cluster().put(TopicCatalogue.TENANT_PLANS, 7, null, stray.toBytes());

        assertThat(tenants("list")).doesNotContain("zelkova").hasSize(3);

        assertThat(desk.err()).startsWith("2 records were passed over, as a shard does; the first: tenant-plans, ");
    }

    @Test
    void shows_a_strange_name_on_one_line() {
        desk.signed("set", "a\nb", "--suspend");

        assertThat(tenants("list")).contains("a?b");
    }

    @Test
    void keeps_one_row_a_tenant_however_often_it_changed() {
        for (int i = 0; i < 1_000; i++) {
            desk.put(new PlanRecord(TenantPlan.on("atlas", i % 2 == 0 ? "pro" : "default"), "a", "r"), i);
        }

        assertThat(tenants("list")).containsOnlyOnce("atlas");
        assertThat(tenants("list", "--plan", "pro")).isEmpty();
    }

    @Test
    void takes_only_a_status_that_there_is() {
        assertThat(desk.tenant("list", "--status", "gone")).isEqualTo(2);

        assertThat(desk.err()).contains("[active, suspended, removed]");
    }

    private List<String> tenants(String... args) {
        assertThat(desk.tenant(args)).isZero();
        return desk.out()
                .lines()
                .skip(1)
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }
}
