package io.headgate.tools.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.headgate.tools.Desk;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanCommandTest {

    @TempDir
    private Path folder;

    private PolicyDesk at;
    private Desk desk;

    @BeforeEach
    void publishOne() {
        at = new PolicyDesk(folder);
        desk = at.desk();
        at.publish(PolicyDesk.yaml(1, 20));
        desk.signed("set", "atlas", "--plan", "pro");
        desk.signed("set", "birch", "--zone", "Europe/Zurich");
        desk.signed("set", "cedar", "--unlimited");
        desk.signed("set", "dogwood", "--plan", "pro", "--override", "TENANT={limit: {requests: 5, per: 1m}}");
    }

    private JsonNode plan(String yaml, int code) throws Exception {
        int said = desk.policy("plan", at.file("next.yaml", yaml), "--output", "json");
        assertThat(said).as(desk.err()).isEqualTo(code);
        return new ObjectMapper().readTree(desk.out());
    }

    private static JsonNode rule(JsonNode plan, String id) {
        return StreamSupport.stream(plan.path("rules").spliterator(), false)
                .filter(rule -> rule.path("id").asText().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void nothing_changes_where_the_rules_are_the_same() throws Exception {
        JsonNode plan = plan(PolicyDesk.yaml(2, 20), 0);

        assertThat(plan.path("differs").asBoolean()).isFalse();
        assertThat(plan.path("touches").path("tenants").path("touched").asInt()).isZero();
        assertThat(desk.policy("plan", at.file("same.yaml", PolicyDesk.yaml(1, 20))))
                .isZero();
        assertThat(desk.out()).contains("nothing differs");
    }

    @Test
    void a_changed_rule_touches_its_routes_and_everybody_it_limits() throws Exception {
        JsonNode plan = plan(PolicyDesk.yaml(2, 40), 5);

        assertThat(plan.path("touches").path("routes").toString()).isEqualTo("[\"catalog\"]");
        assertThat(plan.path("touches").path("plans").toString()).isEqualTo("[\"default\",\"pro\"]");
        assertThat(plan.path("touches").path("tenants").toString())
                .isEqualTo("{\"touched\":3,\"withPlan\":4,\"withoutPlanTouched\":true,\"first\":[\"atlas\",\"birch\","
                        + "\"dogwood\"]}");
        assertThat(plan.path("budgetsAfresh")).isEmpty();
    }

    @Test
    void a_changed_plan_touches_those_who_are_on_it_and_have_no_limit_of_their_own() throws Exception {
        JsonNode plan = plan(PolicyDesk.yaml(2, 20).replace("perMinute: 600", "perMinute: 700"), 5);

        assertThat(plan.path("touches").path("plans").toString()).isEqualTo("[\"pro\"]");
        assertThat(plan.path("touches").path("routes").toString()).isEqualTo("[\"catalog\",\"export\"]");
        assertThat(plan.path("touches").path("tenants").path("first").toString())
                .isEqualTo("[\"atlas\"]");
        assertThat(plan.path("touches")
                        .path("tenants")
                        .path("withoutPlanTouched")
                        .asBoolean())
                .isFalse();
    }

    @Test
    void a_rollout_touches_only_those_it_is_for() throws Exception {
        JsonNode plan = plan(
                PolicyDesk.yaml(2, 40).replace("  domain: shop", "  domain: shop\n  rollout: {tenants: [birch]}"), 5);

        assertThat(plan.path("touches").path("tenants").path("first").toString())
                .isEqualTo("[\"birch\"]");
        assertThat(plan.path("takesEffect").asText()).isEqualTo("at once, for 1 tenant by name");
    }

    @Test
    void every_rule_has_its_overshoot_bound_with_numbers() throws Exception {
        JsonNode plan = plan(
                PolicyDesk.yaml(2, 20)
                        .replace(
                                "refill: {tokens: 2, per: 1s}}",
                                "refill: {tokens: 2, per: 1s, mode: interval}}\n      enforcement: {mode: soft, hardAt: 150%}\n"
                                        + "      failMode: {mode: local-bounded, expectedGateways: 4, perGateway: {capacity:"
                                        + " 3, refill: {tokens: 1, per: 2s}}}"),
                5);

        JsonNode read = rule(plan, "READ").path("overshoot").get(0);
        assertThat(read.path("admits").asText()).isEqualTo("20 + 2 × T/1s");
        assertThat(read.path("withinShardTokens").asInt()).isZero();
        assertThat(read.path("extras").findValuesAsText("cause"))
                .containsExactly("soft", "refill at intervals", "nobody can decide");
        assertThat(read.path("extras").findValuesAsText("tokens")).containsExactly("10", "2", "12");
        assertThat(read.path("extras").get(2).path("formula").asText())
                .isEqualTo("4 gateways × (3 + 1 × T/2s), at once 4 × 3");
        assertThat(rule(plan, "TENANT").path("overshoot").findValuesAsText("plan"))
                .containsExactly("default", "pro");
        assertThat(rule(plan, "TENANT").path("overshoot").findValuesAsText("admits"))
                .containsExactly("60 in each 1m", "600 in each 1m");
    }

    @Test
    void a_rule_that_counts_otherwise_begins_afresh_and_that_is_part_of_its_bound() throws Exception {
        JsonNode plan = plan(
                PolicyDesk.yaml(2, 20).replace("algorithm: token-bucket", "resetBudgets: true\n      algorithm: gcra"),
                5);

        assertThat(plan.path("budgetsAfresh").toString()).isEqualTo("[\"READ\"]");
        assertThat(rule(plan, "READ").path("overshoot").findValuesAsText("cause"))
                .contains("begins afresh");
    }

    @Test
    void state_is_bytes_times_cap_times_shards() throws Exception {
        JsonNode state = rule(plan(PolicyDesk.yaml(2, 40), 5), "READ").path("state");

        assertThat(state.path("shards").asInt()).isEqualTo(Desk.SHARDS);
        assertThat(state.path("countersPerShard").asLong()).isEqualTo(1_000_000);
        assertThat(state.path("bytesPerCounter").asLong()).isBetween(80L, 120L);
        assertThat(state.path("mostBytes").asLong())
                .isEqualTo(state.path("bytesPerCounter").asLong() * 1_000_000 * Desk.SHARDS);
    }

    @Test
    void what_could_not_be_published_is_said_and_fails() {
        assertThat(desk.policy("plan", at.file("gap.yaml", PolicyDesk.yaml(5, 40))))
                .isEqualTo(1);
        assertThat(desk.err()).contains("metadata.version", "is 5", "must be 2");
        assertThat(desk.policy("plan", at.file("gap.yaml", PolicyDesk.yaml(5, 40)), "--next"))
                .isEqualTo(5);
        assertThat(desk.policy(
                        "plan",
                        at.file(
                                "torn.yaml",
                                PolicyDesk.yaml(2, 20).replace("algorithm: token-bucket", "algorithm: gcra"))))
                .isEqualTo(1);
        assertThat(desk.err()).contains("resetBudgets");
    }

    @Test
    void against_a_file_it_asks_no_cluster() {
        String before = at.file("before.yaml", PolicyDesk.yaml(1, 20));
        String after = at.file("after.yaml", PolicyDesk.yaml(2, 40));

        assertThat(desk.run("policy", "plan", after, "--against", before)).isEqualTo(5);

        assertThat(desk.out())
                .contains(
                        "version 1 → 2, at once, for everybody",
                        "limit.capacity 20 → 40",
                        "READ  admits 40 + 2 × T/1s");
    }

    @Test
    void the_first_version_is_all_new() {
        Desk empty = new Desk();

        assertThat(empty.policy("plan", at.file("first.yaml", PolicyDesk.yaml(1, 20))))
                .isEqualTo(5);

        assertThat(empty.out()).contains("the first version, 1", "+ rule READ");
    }
}
