package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.RouteTable;
import io.headgate.schemas.PolicyStatusReports.Versions;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CandidatePoliciesTest {

    private static final long NOW = 1_800_000_000_000L;
    private static final long HOUR = 3_600_000;
    private static final Rollout SOME = new Rollout.Tenants(new TreeSet<>(Set.of("atlas")), 0);

    private final CandidatePolicies candidates = new CandidatePolicies();

    private void add(long version, OptionalLong effectiveAt, Rollout rollout) {
        candidates.add(
                version * 10,
                new Policy(
                        "test",
                        version,
                        new RouteTable(List.of(), Map.of()),
                        List.of(),
                        Set.of(),
                        Idempotency.DEFAULT,
                        1_000,
                        new Activation(effectiveAt, rollout)));
    }

    private List<Long> possible(long nowMillis) {
        return candidates.possible(nowMillis).stream().map(Policy::version).toList();
    }

    @Test
    void a_version_for_everybody_replaces_all_before_it() {
        add(1, OptionalLong.empty(), Rollout.EVERYBODY);
        add(2, OptionalLong.empty(), SOME);
        add(3, OptionalLong.empty(), Rollout.EVERYBODY);

        assertThat(possible(NOW)).containsExactly(3L);
        assertThat(candidates.versions(NOW)).isEqualTo(new Versions(30, 3, 0, 0));
    }

    @Test
    void what_is_rolled_out_stands_beside_what_is_for_everybody_and_replaces_what_was_rolled_out_before() {
        add(1, OptionalLong.empty(), Rollout.EVERYBODY);
        add(2, OptionalLong.empty(), SOME);
        add(3, OptionalLong.empty(), SOME);

        assertThat(possible(NOW)).containsExactly(3L, 1L);
        assertThat(candidates.versions(NOW)).isEqualTo(new Versions(30, 1, 3, 0));
    }

    @Test
    void what_waits_for_its_time_replaces_nothing_until_that_is_over_for_every_clock() {
        add(1, OptionalLong.empty(), Rollout.EVERYBODY);
        add(2, OptionalLong.empty(), SOME);
        add(3, OptionalLong.of(NOW + HOUR), Rollout.EVERYBODY);

        assertThat(possible(NOW)).containsExactly(3L, 2L, 1L);
        assertThat(candidates.versions(NOW)).isEqualTo(new Versions(30, 1, 2, 3));
        assertThat(possible(NOW + HOUR)).containsExactly(3L, 2L, 1L);
        assertThat(candidates.versions(NOW + HOUR)).isEqualTo(new Versions(30, 3, 0, 0));
        assertThat(possible(NOW + 2 * HOUR)).containsExactly(3L);
        assertThat(candidates.count()).isEqualTo(1);
    }

    @Test
    void nothing_is_possible_before_the_first() {
        assertThat(possible(NOW)).isEmpty();
        assertThat(candidates.versions(NOW)).isEqualTo(new Versions(-1, 0, 0, 0));
    }
}
