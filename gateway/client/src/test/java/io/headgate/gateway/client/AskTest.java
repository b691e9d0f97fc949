package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.policy.Stage;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AskTest {

    private static final Caller ATLAS = Caller.unknown().withTenant("atlas");

    @Test
    void a_tenant_of_257_characters_is_refused_by_name() {
        assertThat(Caller.unknown().withTenant("a".repeat(256)).tenant()).hasSize(256);
        assertThatThrownBy(() -> Caller.unknown().withTenant("a".repeat(257)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("tenant has 257 characters; at most 256 are allowed");
    }

    @Test
    void a_stage_needs_the_identifier_that_it_partitions_by() {
        assertThatThrownBy(() -> Ask.of(Stage.IP, ATLAS, false, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ip is missing");
        assertThatThrownBy(() -> Ask.of(Stage.TENANT, Caller.unknown().withIp("::1"), true, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tenant is missing");
    }

    @Test
    void blank_is_unknown() {
        assertThat(ATLAS.withUser(" \t").user()).isEmpty();
    }

    @Test
    void half_a_character_is_refused_since_it_would_be_sent_as_another() {
        assertThatThrownBy(() -> Caller.unknown().withTenant("a\uD800"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tenant")
                .hasMessageContaining("Unicode");
    }

    @Test
    void a_cost_is_0_to_a_million_million() {
        Ask ask = Ask.of(Stage.TENANT, ATLAS, true, "");

        assertThat(ask.withCost(0).cost()).isZero();
        assertThat(ask.withCost(1_000_000_000_000L).cost()).isEqualTo(1_000_000_000_000L);
        assertThatThrownBy(() -> ask.withCost(-1)).hasMessageContaining("cost").hasMessageContaining("-1");
        assertThatThrownBy(() -> ask.withCost(1_000_000_000_001L)).hasMessageContaining("cost");
    }

    @Test
    void a_deadline_is_1_ms_to_10_s() {
        Ask ask = Ask.of(Stage.TENANT, ATLAS, true, "");

        assertThat(ask.withDeadlineMillis(10_000).deadlineMillis()).hasValue(10_000);
        assertThatThrownBy(() -> ask.withDeadlineMillis(10_001)).hasMessageContaining("deadlineMillis is 10001");
        assertThatThrownBy(() -> ask.withDeadlineMillis(0)).hasMessageContaining("deadlineMillis is 0");
    }

    @Test
    void attributes_are_bounded_in_number_and_length() {
        Ask ask = Ask.of(Stage.TENANT, ATLAS, true, "");
        Map<String, String> many = new HashMap<>();
        Bench.names(33).forEach(name -> many.put(name, ""));

        assertThatThrownBy(() -> ask.withAttributes(many)).hasMessageContaining("attributes has 33");
        assertThatThrownBy(() -> ask.withAttributes(Map.of("a".repeat(65), "")))
                .hasMessageContaining("attributes")
                .hasMessageContaining("65");
        assertThatThrownBy(() -> ask.withAttributes(Map.of("plan", "x".repeat(1_025))))
                .hasMessageContaining("attributes")
                .hasMessageContaining("1025");
    }

    @Test
    void a_route_is_bounded() {
        assertThatThrownBy(() -> Ask.of(Stage.TENANT, ATLAS, true, "GET /" + "a".repeat(4_092)))
                .hasMessageContaining("route has 4097 characters");
    }
}
