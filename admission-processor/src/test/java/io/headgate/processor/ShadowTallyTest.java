package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.policy.Cost;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Match;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ShadowTallyTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ShadowTally tally = new ShadowTally(registry);

    static Rule rule(String id) {
        return new Rule(
                id,
                Stage.TENANT,
                Scope.TENANT,
                Match.EVERYTHING,
                new FixedWindowLimit(1, 1_000),
                Cost.ONE,
                new Enforcement.Shadow(OptionalInt.of(25), OptionalLong.of(5_000)),
                false,
                "");
    }

    @Test
    void tells_by_rule_what_was_asked_and_whose_denials_there_were() {
        Rule tight = rule("TIGHT");
        tally.see(tight, "atlas", true);
        tally.see(tight, "atlas", true);
        tally.see(tight, "birch", true);
        tally.see(tight, "cedar", false);
        tally.see(rule("LOOSE"), "atlas", false);

        JsonNode json = tally.json();

        assertThat(json.path("rules")).hasSize(2);
        assertThat(json.path("rules").get(0).path("rule").asText()).isEqualTo("LOOSE");
        JsonNode told = json.path("rules").get(1);
        assertThat(told.path("asked").asLong()).isEqualTo(4);
        assertThat(told.path("denied").asLong()).isEqualTo(3);
        assertThat(told.path("expectedDenyPermille").asInt()).isEqualTo(25);
        assertThat(told.path("untilMillis").asLong()).isEqualTo(5_000);
        assertThat(told.path("missed").asLong()).isZero();
        assertThat(told.path("keys").toString())
                .isEqualTo("[{\"key\":\"atlas\",\"denied\":2},{\"key\":\"birch\",\"denied\":1}]");
        assertThat(registry.get("headgate.shadow.asked")
                        .tag("rule", "TIGHT")
                        .functionCounter()
                        .count())
                .isEqualTo(4);
        assertThat(registry.get("headgate.shadow.denied")
                        .tag("rule", "TIGHT")
                        .functionCounter()
                        .count())
                .isEqualTo(3);
    }

    @Test
    void one_rule_too_many_is_counted_and_not_tallied() {
        for (int i = 0; i <= ShadowTally.MAX_RULES; i++) {
            tally.see(rule("R" + i), "atlas", true);
        }
        tally.see(rule("R0"), "atlas", true);

        assertThat(tally.json().path("rules")).hasSize(ShadowTally.MAX_RULES);
        assertThat(tally.json().path("notTallied").asLong()).isEqualTo(1);
        assertThat(registry.find("headgate.shadow.asked").functionCounters()).hasSize(ShadowTally.MAX_RULES);
    }

    @Test
    void very_many_keys_are_told_in_part() {
        Rule tight = rule("TIGHT");
        for (int i = 0; i < 10_000; i++) {
            tally.see(tight, "tenant-" + i, true);
            tally.see(tight, "heavy", true);
        }

        JsonNode told = tally.json().path("rules").get(0);

        assertThat(told.path("denied").asLong()).isEqualTo(20_000);
        assertThat(told.path("keys").size()).isLessThanOrEqualTo(ShadowTally.KEYS_TOLD);
        assertThat(told.path("keys").get(0).path("key").asText()).isEqualTo("heavy");
        assertThat(told.path("missed").asLong()).isPositive();
    }

    @Test
    void threads_lose_nothing() throws Exception {
        Rule tight = rule("TIGHT");
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                for (int n = 0; n < 10_000; n++) {
                    tally.see(tight, "atlas", n % 2 == 0);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }

        JsonNode told = tally.json().path("rules").get(0);

        assertThat(told.path("asked").asLong()).isEqualTo(40_000);
        assertThat(told.path("keys").get(0).path("denied").asLong()).isEqualTo(20_000);
    }
}
