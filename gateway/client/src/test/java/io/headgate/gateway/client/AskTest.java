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
        assertThatThrownBy(() -> Ask.of(ATLAS, false, "").only(Stage.IP))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ip is missing");
        assertThatThrownBy(
                        () -> Ask.of(Caller.unknown().withIp("::1"), true, "").only(Stage.TENANT))
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
        Ask ask = Ask.of(ATLAS, true, "");

        assertThat(ask.costs()).containsExactly(Map.entry("requests", 1L));
        assertThat(ask.withCost(0).costs()).containsEntry("requests", 0L);
        assertThat(ask.withCost(1_000_000_000_000L).costs()).containsEntry("requests", 1_000_000_000_000L);
        assertThatThrownBy(() -> ask.withCost(-1)).hasMessageContaining("cost").hasMessageContaining("-1");
        assertThatThrownBy(() -> ask.withCost(1_000_000_000_001L)).hasMessageContaining("cost");
    }

    @Test
    void a_deadline_is_1_ms_to_10_s() {
        Ask ask = Ask.of(ATLAS, true, "");

        assertThat(ask.withDeadlineMillis(10_000).deadlineMillis()).hasValue(10_000);
        assertThatThrownBy(() -> ask.withDeadlineMillis(10_001)).hasMessageContaining("deadlineMillis is 10001");
        assertThatThrownBy(() -> ask.withDeadlineMillis(0)).hasMessageContaining("deadlineMillis is 0");
    }

    @Test
    void attributes_are_bounded_in_number_and_length() {
        Ask ask = Ask.of(ATLAS, true, "");
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
        assertThatThrownBy(() -> Ask.of(ATLAS, true, "GET /" + "a".repeat(4_092)))
                .hasMessageContaining("route has 4097 characters");
    }

    @Test
    void a_question_needs_something_to_be_counted_by() {
        assertThatThrownBy(() -> Ask.of(Caller.unknown().withUser("u").withApiKey("k"), true, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no ip, no target, no tenant; a request is counted by one of them");
    }

    @Test
    void costs_are_by_meter_and_add_to_each_other() {
        Ask ask = Ask.of(ATLAS, true, "").withCost(3).withCosts(Map.of("tokens", 700L));

        assertThat(ask.costs()).containsOnly(Map.entry("requests", 3L), Map.entry("tokens", 700L));
        assertThatThrownBy(() -> ask.withCosts(Map.of("Tokens", 1L)))
                .hasMessageContaining("meter")
                .hasMessageContaining("Tokens");
        assertThatThrownBy(() -> ask.withCosts(Map.of("tokens", -1L))).hasMessageContaining("costs.tokens");
    }

    @Test
    void eight_meters_may_be_named_and_a_ninth_is_refused() {
        Map<String, Long> seven = new HashMap<>();
        for (int i = 0; i < 7; i++) {
            seven.put("m" + i, 1L);
        }
        Ask eight = Ask.of(ATLAS, true, "").withCosts(seven);

        assertThat(eight.costs()).hasSize(8);
        assertThatThrownBy(() -> eight.withCosts(Map.of("m7", 1L))).hasMessageContaining("costs has 9 meters");
    }

    @Test
    void an_idempotency_key_has_at_most_256_characters_of_valid_unicode() {
        Ask ask = Ask.of(ATLAS, true, "");

        assertThat(ask.withIdempotencyKey("k".repeat(256)).idempotencyKey()).hasSize(256);
        assertThatThrownBy(() -> ask.withIdempotencyKey("k".repeat(257)))
                .hasMessage("idempotencyKey has 257 characters; at most 256 are allowed");
        assertThatThrownBy(() -> ask.withIdempotencyKey("\uDC00"))
                .hasMessageContaining("idempotencyKey")
                .hasMessageContaining("Unicode");
    }

    @Test
    void an_address_is_the_same_however_it_is_written() {
        assertThat(Caller.unknown().withIp("2001:0DB8:0:0::2"))
                .isEqualTo(Caller.unknown().withIp("2001:db8::2"));
        assertThat(Caller.unknown().withIp("::ffff:203.0.113.7"))
                .isEqualTo(Caller.unknown().withIp("203.0.113.7"));
        assertThatThrownBy(() -> Caller.unknown().withIp("erika.example.org"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ip is no address")
                .hasMessageNotContaining("erika");
    }
}
