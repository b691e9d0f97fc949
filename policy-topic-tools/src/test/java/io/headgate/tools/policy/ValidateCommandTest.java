package io.headgate.tools.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.schemas.policy.DocumentSchema;
import io.headgate.tools.Desk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValidateCommandTest {

    private static final String NORTHSTAR = "examples/northstar.policy.yaml";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String SHOP = """
            apiVersion: headgate.io/v1
            kind: PolicySnapshot
            metadata: {name: shop, version: 7}
            spec:
              domain: shop
              rules:
                - id: R
                  stage: tenant
                  algorithm: fixed-window
                  limit: {requests: 100, per: 10s}
            """;

    @TempDir
    Path folder;

    private final Desk desk = new Desk();

    @Test
    void says_that_a_policy_is_valid_and_what_it_is() throws IOException {
        String file = write("p.yaml", SHOP);

        assertThat(desk.run("policy", "validate", file)).isZero();

        assertThat(desk.out().lines()).containsExactly(file + ": is valid: version 7 of shop, 1 rule");
        assertThat(desk.err()).isEmpty();
        assertThat(desk.reachedACluster()).isFalse();
    }

    @Test
    void remarks_on_the_example_what_gateways_do_not_follow_yet() {
        assertThat(desk.run("policy", "validate", NORTHSTAR, "--tenants", "examples/tenants.yaml"))
                .isZero();

        assertThat(desk.err()).isEmpty();
        assertThat(desk.out().lines())
                .containsExactly(
                        NORTHSTAR + ": is valid: version 43 of northstar, 6 rules",
                        "examples/tenants.yaml: is valid: 3 tenants");
    }

    @Test
    void remarks_on_what_is_past_and_on_what_nobody_asks_for() throws IOException {
        String file = write(
                "p.yaml",
                SHOP + "      enforcement: {mode: shadow, until: \"2026-03-01T11:00:00+01:00\"}\n"
                        + "  effectiveAt: 2026-02-01T00:00:00Z\n"
                        + "  plans:\n"
                        + "    default: {perMinute: 60}\n"
                        + "    gold: {}\n");

        assertThat(desk.run("policy", "validate", file)).isZero();

        assertThat(desk.out().lines())
                .containsExactly(
                        file
                                + ":11: remark: spec.rules[0].enforcement.until is in the past (2026-03-01T10:00:00Z): the rule"
                                + " is not asked any more",
                        file
                                + ":12: remark: spec.effectiveAt is in the past (2026-02-01T00:00:00Z): it takes effect at once",
                        file + ":14: remark: spec.plans.default.perMinute is a quantity that no limit asks for",
                        file
                                + ":15: remark: spec.plans.gold gives nothing that a limit asks for: its tenants have what the"
                                + " default plan gives",
                        file + ": is valid: version 7 of shop, 1 rule");
    }

    @Test
    void remarks_on_fallbacks_that_admit_nothing() throws IOException {
        String file = write(
                "p.yaml",
                SHOP + "      cost: 10\n"
                        + "      failMode: {mode: local-bounded, perGateway: {requests: 5, per: 10s}, expectedGateways: 2}\n"
                        + "  routes: {read: [{method: GET, path: /}]}\n");

        assertThat(desk.run("policy", "validate", file)).isZero();

        assertThat(desk.out())
                .contains(
                        ":12: remark: spec.rules[0].failMode.perGateway is 5, below the 10 that one request is charged");
    }

    @Test
    void checks_several_files_and_names_every_mistake_of_each() throws IOException {
        String good = write("good.yaml", SHOP);
        String bad = write("bad.yaml", SHOP.replace("100, per: 10s", "-1, per: 10"));
        String gone = folder.resolve("gone.yaml").toString();

        assertThat(desk.run("policy", "validate", good, bad, gone)).isEqualTo(1);

        assertThat(desk.out().lines()).containsExactly(good + ": is valid: version 7 of shop, 1 rule");
        assertThat(desk.err().lines())
                .containsExactly(
                        bad + ":10: spec.rules[0].limit.requests is -1; it must be an integer of 0 to 1000000000000",
                        bad
                                + ":10: spec.rules[0].limit.per is 10; it must be a duration: a positive integer with ms, s, m, h"
                                + " or d, such as 10s",
                        gone + ": does not exist");
    }

    @Test
    void answers_programs_with_an_object_a_file() throws IOException {
        String good = write("good.yaml", SHOP);
        String bad = write("bad.json", "{\"kind\": 7}");
        String gone = folder.resolve("gone.yaml").toString();

        assertThat(desk.run("policy", "validate", good, bad, gone, "--output", "json"))
                .isEqualTo(1);

        List<String> lines = desk.out().lines().toList();
        assertThat(desk.err()).isEmpty();
        assertThat(JSON.readTree(lines.get(0)))
                .isEqualTo(JSON.createObjectNode()
                        .put("file", good)
                        .put("valid", true)
                        .<ObjectNode>set("problems", JSON.createArrayNode())
                        .set("remarks", JSON.createArrayNode()));
        JsonNode second = JSON.readTree(lines.get(1));
        assertThat(second.get("valid").asBoolean()).isFalse();
        assertThat(second.get("problems").get(1))
                .isEqualTo(JSON.createObjectNode()
                        .put("line", 1)
                        .put("place", "kind")
                        .put("what", "is 7; it must be one of [PolicySnapshot]"));
        JsonNode third = JSON.readTree(lines.get(2)).get("problems").get(0);
        assertThat(third.get("line").isNull()).isTrue();
        assertThat(third.get("what").asText()).isEqualTo("does not exist");
        assertThat(lines).hasSize(3);
    }

    @Test
    void checks_whether_a_version_can_follow_the_one_in_force() throws IOException {
        String now = write("now.yaml", SHOP);
        String next = write(
                "next.yaml",
                SHOP.replace("version: 7", "version: 9")
                        .replace("domain: shop", "domain: store")
                        .replace("fixed-window", "sliding-log"));
        String good =
                write("good.yaml", SHOP.replace("version: 7", "version: 8").replace("100", "50"));

        assertThat(desk.run("policy", "validate", good, "--against", now)).isZero();
        assertThat(desk.run("policy", "validate", next, "--against", now)).isEqualTo(1);

        assertThat(desk.err().lines())
                .containsExactly(
                        next + ":3: metadata.version is 9; it must be 8, the newest version 7 plus one",
                        next + ":5: spec.domain is \"store\"; it must be \"shop\", as in version 7",
                        next
                                + ":7: spec.rules[0].resetBudgets is not true, and rule R changes its algorithm: what was spent"
                                + " cannot be carried over, so the rule has to say that it begins afresh");
        assertThat(desk.run("policy", "validate", next, "--against", folder + "/gone.yaml"))
                .isEqualTo(1);
        assertThat(desk.err()).contains("gone.yaml: does not exist");
    }

    @Test
    void checks_tenants_beside_the_policy() throws IOException {
        String policy = write("p.yaml", SHOP);
        String head = "apiVersion: headgate.io/v1\nkind: TenantPlans\ntenants:\n";
        String odd = write("odd.yaml", head + "  atlas: {plan: gold}\n");
        String bad = write("bad.yaml", head + "  atlas:\n    plan: 7\n    zone: Mars/Olympus\n");

        assertThat(desk.run("policy", "validate", policy, "--tenants", odd)).isZero();
        assertThat(desk.out().lines())
                .contains(
                        odd
                                + ":4: remark: tenants.atlas.plan is 'gold', which is no plan of the policy, so the default holds;"
                                + " there are [default]",
                        odd + ": is valid: 1 tenant");

        assertThat(desk.run("policy", "validate", policy, "--tenants", bad)).isEqualTo(1);
        assertThat(desk.err().lines())
                .containsExactly(
                        bad
                                + ":5: tenants.atlas.plan is 7; it must be a name of 1 to 64 letters, digits, dots, hyphens and"
                                + " underscores",
                        bad
                                + ":6: tenants.atlas.zone is \"Mars/Olympus\", which is no time zone that this Java platform knows;"
                                + " it must be the name of a time zone, such as Europe/Zurich");
    }

    @Test
    void knows_what_it_can_be_asked() throws IOException {
        String file = write("p.yaml", SHOP);

        assertThat(desk.run("policy", "validate")).isEqualTo(2);
        assertThat(desk.run("policy", "validate", file, file, "--against", file))
                .isEqualTo(2);
        assertThat(desk.err()).contains("--tenants and --against are for one policy; 2 files are given");
        assertThat(desk.run("policy", "validate", file, "--output", "xml")).isEqualTo(2);
        assertThat(desk.run("policy", "schema", "rules")).isEqualTo(2);
    }

    @Test
    void prints_the_schemas() {
        assertThat(desk.run("policy", "schema")).isZero();
        assertThat(desk.out()).isEqualTo(DocumentSchema.policy.text());
        assertThat(desk.run("policy", "schema", "tenants")).isZero();
        assertThat(desk.out()).isEqualTo(DocumentSchema.tenants.text());
    }

    /** Vector V54: a cost that nobody can pay is found before a policy is published, not as a 429 for ever. */
    @Test
    void agrees_with_the_vector_of_costs_above_the_capacity() throws IOException {
        JsonNode vector = vector("V54-cost-over-capacity");
        JsonNode setup = vector.get("setup").get("policy");

        for (int step = 0; step < vector.get("steps").size(); step++) {
            JsonNode override = vector.get("steps").get(step).path("override");
            String file = write(
                    "v54.yaml",
                    """
                    apiVersion: headgate.io/v1
                    kind: PolicySnapshot
                    metadata: {name: shop, version: 1}
                    spec:
                      domain: shop
                      routes: {export: [{method: POST, path: /export}]}
                      endpoints: {export: {cost: %s}}
                      rules:
                        - id: R
                          stage: tenant
                          algorithm: token-bucket
                          limit: {capacity: %s, refill: {tokens: %s, per: %sms}}
                          cost: {fromRoute: true}
                    """.formatted(
                                            field("route_cost", override, setup),
                                            field("capacity", override, setup),
                                            field("refill_tokens", override, setup),
                                            field("refill_period_ms", override, setup))
                            + (override.path("reason").isTextual()
                                    ? "      reason: " + override.get("reason") + "\n"
                                    : ""));

            int exitCode = desk.run("policy", "validate", file);

            boolean valid = vector.get("expect").get(step).get("valid").asBoolean();
            assertThat(exitCode).as("step %d: %s", step, desk.err()).isEqualTo(valid ? 0 : 1);
        }
        assertThat(vector.get("steps")).hasSize(5);
    }

    private static String field(String name, JsonNode override, JsonNode setup) {
        return (override.has(name) ? override : setup).get(name).asText();
    }

    private static JsonNode vector(String id) throws IOException {
        Path vectors = Path.of("../admission-core/src/test/resources/vectors.json");
        for (JsonNode vector : JSON.readTree(vectors.toFile()).get("vectors")) {
            if (vector.get("id").asText().equals(id)) {
                return vector;
            }
        }
        throw new IllegalArgumentException("no vector " + id);
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }
}
