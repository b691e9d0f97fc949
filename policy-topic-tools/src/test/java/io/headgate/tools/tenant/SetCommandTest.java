package io.headgate.tools.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.Desk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SetCommandTest {

    private static final int SHARD = Partitioning.shardOf("atlas", Desk.SHARDS);

    private final Desk desk = Shop.desk();

    @TempDir
    Path folder;

    @Test
    void writes_a_plan_to_the_partition_of_the_tenants_shard() {
        assertThat(desk.signed("set", "atlas", "--plan", "pro", "--zone", "Europe/Zurich", "--home-region", "eu"))
                .isZero();

        var record = desk.cluster().records(TopicCatalogue.TENANT_PLANS).get(0);
        assertThat(record.partition()).isEqualTo(SHARD);
        assertThat(record.key()).isEqualTo("atlas".getBytes(StandardCharsets.UTF_8));
        assertThat(PlanRecord.fromBytes(record.value()))
                .isEqualTo(new PlanRecord(
                        new TenantPlan(
                                "atlas",
                                TenantPlan.Status.ACTIVE,
                                "pro",
                                false,
                                Optional.of("Europe/Zurich"),
                                Optional.of("eu"),
                                new TreeMap<>()),
                        "ann",
                        "because"));
        assertThat(desk.out())
                .isEqualTo("atlas is active on plan pro; zone Europe/Zurich; home region eu\n"
                        + "written to tenant-plans, partition " + SHARD + ", offset 0\n");
        assertThat(desk.err()).isEqualTo("atlas had no plan before\n");
        assertThat(desk.cluster().closed()).isEqualTo(1);
    }

    @Test
    void leaves_alone_what_no_option_speaks_of() {
        desk.signed("set", "atlas", "--plan", "pro", "--zone", "Asia/Tokyo", "--override", "READ=unlimited");

        assertThat(desk.signed("set", "atlas", "--suspend")).isZero();
        assertThat(desk.err()).isEmpty();
        TenantPlan suspended = newest();
        assertThat(suspended.status()).isEqualTo(TenantPlan.Status.SUSPENDED);
        assertThat(suspended.plan()).isEqualTo("pro");
        assertThat(suspended.zone()).contains("Asia/Tokyo");
        assertThat(suspended.overrides()).containsOnlyKeys("READ");

        assertThat(desk.signed("set", "atlas", "--activate", "--no-zone", "--no-override", "READ", "--unlimited"))
                .isZero();
        assertThat(newest())
                .isEqualTo(new TenantPlan(
                        "atlas",
                        TenantPlan.Status.ACTIVE,
                        "pro",
                        true,
                        Optional.empty(),
                        Optional.empty(),
                        new TreeMap<>()));

        assertThat(desk.signed("set", "atlas", "--limited")).isZero();
        assertThat(newest()).isEqualTo(TenantPlan.on("atlas", "pro"));
    }

    @Test
    void reads_an_override_with_the_algorithm_of_the_rule() {
        assertThat(desk.signed(
                        "set",
                        "atlas",
                        "--override",
                        "READ={limit: {capacity: 50, refill: {tokens: 5, per: 1s}}}",
                        "--override",
                        "MODEL=unlimited"))
                .isZero();

        assertThat(newest().overrides())
                .containsEntry("READ", new TokenBucketLimit(50, 5, 1_000))
                .containsEntry("MODEL", new Unlimited());
        assertThat(desk.out())
                .startsWith("atlas is active on plan default; override of MODEL: unlimited; override of READ:"
                        + " {capacity: 50, refill: {tokens: 5, per: 1s}}\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            READ={limit: {capacity: x, refill: {tokens: 5, per: 1s}}} | limit.capacity is 'x'
            READ={limit: {capacity: 5}}                              | limit.refill is missing
            READ={capacity: 5}                                       | limit is missing
            READ={limit: {capacity: 5                                | is not YAML
            READ={unlimited: false}                                  | unlimited is false
            NONE={limit: {capacity: 5}}                              | algorithm is missing
            """)
    void names_the_place_of_a_mistake_in_an_override(String override, String message) {
        assertThat(desk.signed("set", "atlas", "--override", override)).isEqualTo(1);

        assertThat(desk.err())
                .startsWith("--override " + override.substring(0, 4))
                .contains(message.replace('\'', '"'));
        assertThat(desk.plans()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            READ={algorithm: gcra, limit: {capacity: 5, refill: {tokens: 1, per: 1s}}} | gcra
            EXPORT={limit: {requests: 9, per: 1h}}                                     | 10
            TENANT={limit: {requests: 9, per: 1m}}                                     | 10
            ANON={limit: {requests: 9, per: 1m}}                                       | ANON
            """)
    void refuses_an_override_that_would_do_nothing_or_deny_for_ever(String override, String because) {
        assertThat(desk.signed("set", "atlas", "--override", override)).isEqualTo(1);

        assertThat(desk.err()).contains(because).endsWith("nothing has been written; --force writes it all the same\n");
        assertThat(desk.plans()).isEmpty();

        assertThat(desk.signed("set", "atlas", "--override", override, "--force"))
                .isZero();

        assertThat(desk.err()).startsWith("warning: ");
        assertThat(desk.plans()).hasSize(1);
    }

    @Test
    void takes_an_override_of_nothing_at_all_as_meant() {
        assertThat(desk.signed("set", "atlas", "--override", "EXPORT={limit: {requests: 0, per: 1h}}"))
                .isZero();
    }

    @Test
    void refuses_a_plan_that_the_policy_does_not_have() {
        assertThat(desk.signed("set", "atlas", "--plan", "prp")).isEqualTo(1);

        assertThat(desk.err()).contains("'prp'", "default", "pro", "--force");
        assertThat(desk.plans()).isEmpty();
        assertThat(desk.signed("set", "atlas", "--plan", "prp", "--force")).isZero();
        assertThat(newest().plan()).isEqualTo("prp");
    }

    @Test
    void refuses_to_drop_an_override_that_is_not_there() {
        assertThat(desk.signed("set", "atlas", "--no-override", "READ")).isEqualTo(1);

        assertThat(desk.err())
                .isEqualTo("--no-override is 'READ', and atlas has no override of that rule; there are []\n");
    }

    @Test
    void begins_a_removed_tenant_afresh() {
        desk.signed("set", "atlas", "--plan", "pro", "--zone", "Asia/Tokyo");
        desk.signed("remove", "atlas");

        assertThat(desk.signed("set", "atlas", "--home-region", "eu")).isZero();

        assertThat(newest().plan()).isEqualTo(TenantPlan.DEFAULT);
        assertThat(newest().zone()).isEmpty();
        assertThat(newest().status()).isEqualTo(TenantPlan.Status.ACTIVE);
    }

    @Test
    void begins_afresh_after_a_null() {
        desk.signed("set", "atlas", "--plan", "pro");
        desk.cluster().put(TopicCatalogue.TENANT_PLANS, SHARD, "atlas".getBytes(StandardCharsets.UTF_8), null);

        assertThat(desk.signed("set", "atlas", "--unlimited")).isZero();

        assertThat(desk.err()).isEqualTo("atlas had no plan before\n");
    }

    @Test
    void says_when_somebody_else_wrote_the_same_tenant_meanwhile() {
        desk.cluster().beforeNextAppend(() -> desk.put(new PlanRecord(TenantPlan.on("atlas", "pro"), "bob", "x"), 1));

        assertThat(desk.signed("set", "atlas", "--suspend")).isEqualTo(1);

        assertThat(desk.out()).contains("written to tenant-plans, partition " + SHARD + ", offset 1\n");
        assertThat(desk.err())
                .endsWith("somebody else wrote the plan of atlas meanwhile, to tenant-plans, partition " + SHARD
                        + ", offset 0, and what they changed may be undone; look at headgate tenant show atlas\n");
    }

    @Test
    void another_tenant_of_the_shard_may_change_meanwhile() {
        String neighbour = neighbour();
        desk.cluster().beforeNextAppend(() -> desk.put(new PlanRecord(TenantPlan.on(neighbour, "pro"), "bob", "x"), 1));

        assertThat(desk.signed("set", "atlas", "--suspend")).isZero();
    }

    @Test
    void passes_over_what_no_shard_takes() {
        byte[] key = "atlas".getBytes(StandardCharsets.UTF_8);
        desk.signed("set", "atlas", "--plan", "pro");
        desk.cluster().put(TopicCatalogue.TENANT_PLANS, SHARD, key, new byte[] {1, 2, 3});
        desk.cluster()
                .put(
                        TopicCatalogue.TENANT_PLANS,
                        SHARD,
                        key,
                        new PlanRecord(TenantPlan.on("birch", "x"), "", "").toBytes());

        assertThat(desk.signed("set", "atlas", "--suspend")).isZero();

        assertThat(newest().plan()).isEqualTo("pro");
        assertThat(desk.err())
                .startsWith("2 records were passed over, as a shard does; the first: tenant-plans, partition " + SHARD
                        + ", offset 1: value has 3 bytes");
    }

    @Test
    void tells_programs_what_was_written() {
        desk.signed("set", "atlas", "--plan", "pro", "--output", "json");

        assertThat(desk.out())
                .isEqualTo("{\"tenant\":\"atlas\",\"plan\":\"pro\",\"author\":\"ann\",\"reason\":\"because\","
                        + "\"topic\":\"tenant-plans\",\"partition\":" + SHARD + ",\"offset\":0}\n");
    }

    @Test
    void needs_a_policy_to_check_against() {
        Desk empty = new Desk();

        assertThat(empty.signed("set", "atlas", "--plan", "pro")).isEqualTo(1);
        assertThat(empty.err()).startsWith("there is no policy on topic policies to check against\n");
        assertThat(empty.signed("set", "atlas", "--plan", "pro", "--force")).isZero();
    }

    @Test
    void says_which_topic_is_missing() {
        desk.cluster().delete(TopicCatalogue.TENANT_PLANS);

        assertThat(desk.signed("set", "atlas", "--plan", "pro")).isEqualTo(1);
        assertThat(desk.err()).contains("there is no topic tenant-plans");
    }

    @Test
    void sets_every_tenant_of_a_file_to_what_stands_there() throws Exception {
        desk.signed("set", "atlas", "--plan", "pro", "--zone", "Asia/Tokyo");
        Path file = Files.writeString(folder.resolve("tenants.yaml"), """
                apiVersion: headgate.io/v1
                kind: TenantPlans
                tenants:
                  atlas: {plan: pro, homeRegion: eu}
                  birch: {status: suspended, overrides: {READ: {limit: {capacity: 9, refill: {tokens: 1, per: 1s}}}}}
                """);

        assertThat(desk.signed("set", "--file", file.toString())).isZero();

        assertThat(newest())
                .isEqualTo(new TenantPlan(
                        "atlas",
                        TenantPlan.Status.ACTIVE,
                        "pro",
                        false,
                        Optional.empty(),
                        Optional.of("eu"),
                        new TreeMap<>()));
        assertThat(newest("birch").overrides()).containsEntry("READ", new TokenBucketLimit(9, 1, 1_000));
        assertThat(desk.out().lines()).hasSize(4);
    }

    @Test
    void writes_nothing_of_a_file_with_a_mistake() throws Exception {
        Path file = Files.writeString(folder.resolve("tenants.yaml"), """
                apiVersion: headgate.io/v1
                kind: TenantPlans
                tenants:
                  atlas: {plan: pro}
                  birch: {plan: prp}
                  cedar: {zone: Europe/Zurch}
                """);

        assertThat(desk.signed("set", "--file", file.toString())).isEqualTo(1);
        assertThat(desk.err()).contains(file + ":6: ", "Europe/Zurch");

        Files.writeString(file, Files.readString(file).replace("Europe/Zurch", "Europe/Zurich"));
        assertThat(desk.signed("set", "--file", file.toString())).isEqualTo(1);
        assertThat(desk.err()).contains(file + ": ", "birch", "prp", "--force");
        assertThat(desk.plans()).isEmpty();

        assertThat(desk.signed("set", "--file", file.toString(), "--force")).isZero();
        assertThat(desk.plans()).hasSize(3);
    }

    @Test
    void names_a_file_that_is_not_there() {
        Path gone = folder.resolve("gone.yaml");

        assertThat(desk.signed("set", "--file", gone.toString())).isEqualTo(1);
        assertThat(desk.err()).isEqualTo(gone + ": does not exist\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            set                                            | Missing required parameter: 'TENANT', or --file
            set atlas                                      | nothing is to be set
            set atlas --plan                               | Expected parameter for option '--plan'
            set atlas --plan a,b                           | plan is 'a,b'
            set atlas --home-region a/b                    | homeRegion is 'a/b'
            set atlas --zone Mars/Base                     | Invalid value for --zone: 'Mars/Base'
            set atlas --zone UTC --no-zone                 | are mutually exclusive
            set atlas --suspend --activate                 | are mutually exclusive
            set atlas --unlimited --limited                | are mutually exclusive
            set atlas --override READ                      | KEY=VALUE
            set atlas --override A=unlimited --no-override A | both name rule 'A'
            set atlas --file x.yaml                        | leave out TENANT
            set --plan pro --file x.yaml                   | leave out TENANT
            set atlas --plan pro --output xml              | expected one of
            set atlas --plan pro birch                     | Unmatched argument
            remove                                         | Missing required parameter: 'TENANT'
            """)
    void says_what_is_wrong_with_the_usage(String command, String message) {
        assertThat(desk.signed(command.strip().split(" +"))).isEqualTo(2);

        assertThat(desk.err()).contains(message).endsWith(" --help)\n");
        assertThat(desk.err().lines()).hasSize(1);
        assertThat(desk.plans()).isEmpty();
    }

    @Test
    void needs_to_know_who_and_why() {
        assertThat(desk.tenant("set", "atlas", "--suspend", "--author", "ann")).isEqualTo(2);
        assertThat(desk.err()).contains("--reason");
        assertThat(desk.tenant("set", "atlas", "--suspend", "--author", " ", "--reason", "r"))
                .isEqualTo(2);
        assertThat(desk.err()).contains("Invalid value for --author: it has 1 characters");
        assertThat(desk.tenant("set", "atlas", "--suspend", "--author", "a", "--reason", "r".repeat(257)))
                .isEqualTo(2);
        assertThat(desk.err()).contains("Invalid value for --reason: it has 257 characters; it must have 1 to 256");
        assertThat(desk.tenant("set", "atlas", "--suspend", "--author", "a", "--reason", "r".repeat(256)))
                .isZero();
    }

    @Test
    void removes_a_tenant_by_a_record() {
        desk.signed("set", "atlas", "--plan", "pro", "--zone", "Asia/Tokyo");

        assertThat(desk.signed("remove", "atlas")).isZero();

        assertThat(newest().status()).isEqualTo(TenantPlan.Status.REMOVED);
        assertThat(newest().zone()).isEmpty();
        assertThat(desk.out())
                .isEqualTo("atlas is removed\nwritten to tenant-plans, partition " + SHARD + ", offset 1\n");
    }

    @Test
    void takes_a_tenant_of_256_characters_and_none_longer() {
        assertThat(desk.signed("set", "t".repeat(256), "--suspend")).isZero();
        assertThat(desk.signed("set", "t".repeat(257), "--suspend")).isEqualTo(2);
        assertThat(desk.signed("remove", "t".repeat(257))).isEqualTo(2);
        assertThat(desk.err()).contains("it has 257 characters; it must have 1 to 256");
    }

    private TenantPlan newest() {
        return newest("atlas");
    }

    private TenantPlan newest(String tenant) {
        List<TenantPlan> plans = desk.plans().stream()
                .map(PlanRecord::plan)
                .filter(plan -> plan.tenant().equals(tenant))
                .toList();
        return plans.get(plans.size() - 1);
    }

    private static String neighbour() {
        for (int i = 0; ; i++) {
            if (Partitioning.shardOf("n" + i, Desk.SHARDS) == SHARD) {
                return "n" + i;
            }
        }
    }
}
