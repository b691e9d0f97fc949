package io.headgate.tools.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Partitioning;
import io.headgate.tools.Desk;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShowCommandTest {

    private static final int SHARD = Partitioning.shardOf("atlas", Desk.SHARDS);
    private static final long NOW = Desk.NOW.toEpochMilli();

    private final Desk desk = Shop.desk();

    @Test
    void shows_the_plan_the_limits_and_what_is_in_force() {
        desk.signed("set", "atlas", "--plan", "pro", "--override", "MODEL=unlimited");
        desk.signed(
                "ban", "atlas", "--user-pseudonym", "0123456789abcdef0123456789abcdef", "--for", "2h", "--id", "b-1");
        desk.signed(
                "override",
                "atlas",
                "--rule",
                "READ",
                "--limit",
                "{capacity: 50, refill: {tokens: 5, per: 1s}}",
                "--for",
                "1h",
                "--id",
                "o-1");

        assertThat(desk.tenant("show", "atlas")).isZero();

        assertThat(desk.out()).isEqualTo("""
                tenant atlas, shard %d
                is active on plan pro; override of MODEL: unlimited
                  set 2026-03-01T10:00:00Z by ann: because

                limits under policy shop, version 7
                  RULE                      COUNTS BY   LIMIT                                             FROM
                  TENANT                    tenant      {requests: 600, per: 1m}                          plan pro
                  BURST                     tenant      {requests: 100, per: 1m}                          policy 7
                  READ                      user        {capacity: 50, refill: {tokens: 5, per: 1s}}      o-1
                  EXPORT                    route       {requests: 100, per: 1h}                          policy 7
                  MODEL                     composite   unlimited                                         override in the plan

                in force
                  b-1 bans user 0123456789abcdef0123456789abcdef of tenant atlas until 2026-03-01T12:00:00Z
                    by ann: because
                  o-1 limits READ of tenant atlas to {capacity: 50, refill: {tokens: 5, per: 1s}} until 2026-03-01T11:00:00Z
                    by ann: because
                """.formatted(SHARD));
        assertThat(desk.err()).isEmpty();
    }

    @Test
    void shows_a_tenant_of_which_nothing_is_known() {
        assertThat(desk.tenant("show", "atlas")).isZero();

        assertThat(desk.out())
                .startsWith("tenant atlas, shard " + SHARD + "\nhas no plan; the default holds\n")
                .contains("{requests: 60, per: 1m} ")
                .endsWith("no override and no ban is in force\n");
    }

    @Test
    void leaves_out_what_was_lifted_or_has_ended_or_is_anothers() {
        desk.put(ban("lifted", "atlas", NOW + 60_000), NOW);
        desk.put(ban("ended", "atlas", NOW), NOW - 60_000);
        desk.put(ban("stays", "atlas", NOW + 1), NOW);
        desk.put(ban("replaced", "atlas", NOW + 60_000), NOW);
        desk.put(ban("replaced", "atlas", NOW - 1), NOW);
        desk.put(ban("others", neighbour(), NOW + 60_000), NOW);
        desk.signed("lift", "lifted");

        desk.tenant("show", "atlas");

        assertThat(desk.out().lines().filter(line -> line.contains(" bans ")))
                .containsExactly("  stays bans tenant atlas until 2026-03-01T10:00:00.001Z");
    }

    @Test
    void a_removal_ends_what_was_in_force() {
        desk.put(ban("before", "atlas", NOW + 60_000), NOW - 1_000);
        desk.signed("remove", "atlas");
        desk.put(ban("after", "atlas", NOW + 60_000), NOW + 1_000);

        desk.tenant("show", "atlas");

        assertThat(desk.out()).contains("is removed\n", "  after bans").doesNotContain("before");
    }

    @Test
    void tells_programs_all_of_it() throws IOException {
        desk.signed("set", "atlas", "--plan", "pro", "--suspend");
        desk.put(ban("b-1", "atlas", NOW + 60_000), NOW);

        assertThat(desk.tenant("show", "atlas", "--output", "json")).isZero();

        JsonNode json = new ObjectMapper().readTree(desk.out());
        assertThat(json.path("shard").asInt()).isEqualTo(SHARD);
        assertThat(json.path("plan").toString())
                .isEqualTo("{\"plan\":\"pro\",\"status\":\"suspended\",\"author\":\"ann\",\"reason\":\"because\","
                        + "\"writtenMillis\":" + NOW + ",\"partition\":" + SHARD + ",\"offset\":0}");
        assertThat(json.path("policy").toString()).isEqualTo("{\"name\":\"shop\",\"version\":7}");
        assertThat(json.path("limits").get(0).toString())
                .isEqualTo("{\"rule\":\"TENANT\",\"scope\":\"tenant\",\"algorithm\":\"fixed-window\","
                        + "\"limit\":{\"requests\":600,\"per\":\"1m\"},\"from\":\"plan pro\"}");
        assertThat(json.path("inForce").get(0).path("id").asText()).isEqualTo("b-1");
        assertThat(json.path("inForce").get(0).path("author").asText()).isEqualTo("bob");
        assertThat(json.has("shardSays")).isFalse();
    }

    @Test
    void shows_what_can_be_shown_without_a_policy() {
        Desk empty = new Desk();

        assertThat(empty.tenant("show", "atlas")).isZero();
        assertThat(empty.out()).contains("there is no policy on topic policies to check against\n");
    }

    @Test
    void asks_the_shard_itself() throws IOException {
        List<String> asked = new ArrayList<>();
        HttpServer processor = answering(asked, 200, "{\"known\":false}");
        try {
            assertThat(desk.tenant("show", "a b/ü", "--admin", address(processor)))
                    .isZero();
        } finally {
            processor.stop(0);
        }

        assertThat(asked)
                .containsExactly("/shards/" + Partitioning.shardOf("a b/ü", Desk.SHARDS) + "/accounts/a%20b%2F%C3%BC");
        assertThat(desk.out()).endsWith("the shard says\n  {\n    \"known\" : false\n  }\n");
    }

    @Test
    void passes_on_why_the_shard_does_not_answer() throws IOException {
        HttpServer processor = answering(new ArrayList<>(), 404, "shard 3 is not owned by this process\n");
        try {
            assertThat(desk.tenant("show", "atlas", "--admin", address(processor)))
                    .isEqualTo(1);
        } finally {
            processor.stop(0);
        }

        assertThat(desk.err()).endsWith(" answers 404: shard 3 is not owned by this process\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"show", "show atlas --admin nowhere", "show atlas birch"})
    void says_what_is_wrong_with_the_usage(String command) {
        assertThat(desk.tenant(command.split(" "))).isEqualTo(2);
        assertThat(desk.err().lines()).hasSize(1);
    }

    private static Action ban(String id, String tenant, long untilMillis) {
        return new Action(
                id,
                "bob",
                "because",
                new Subject(Stage.TENANT, new Identity(tenant, "", "", "", ""), "", Map.of()),
                new Action.Ban(Scope.TENANT, untilMillis));
    }

    private static String neighbour() {
        for (int i = 0; ; i++) {
            if (Partitioning.shardOf("n" + i, Desk.SHARDS) == SHARD) {
                return "n" + i;
            }
        }
    }

    private static HttpServer answering(List<String> asked, int status, String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                asked.add(exchange.getRequestURI().getRawPath());
                byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
        server.start();
        return server;
    }

    private static String address(HttpServer server) {
        return "127.0.0.1:" + server.getAddress().getPort();
    }
}
