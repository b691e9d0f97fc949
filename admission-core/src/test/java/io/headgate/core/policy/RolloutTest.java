package io.headgate.core.policy;

import static io.headgate.core.policy.Policies.only;
import static io.headgate.core.policy.Policies.tenants;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RolloutTest {

    private static final Optional<String> READ = Optional.of("read");

    @Test
    void is_for_the_tenants_that_are_named_and_a_share_of_all_others() {
        Rollout some = tenants(1_000, "atlas");

        assertThat(some.includes("atlas", READ)).isTrue();
        for (int i = 0; i < 1_000; i++) {
            String tenant = "t" + i;
            assertThat(some.includes(tenant, READ)).as(tenant).isEqualTo(Rollout.placeOf(tenant) < 1_000);
        }
    }

    @Test
    void has_about_as_many_tenants_as_it_says() {
        long included = IntStream.range(0, 100_000)
                .filter(i -> tenants(1_000).includes("tenant-" + i, READ))
                .count();

        assertThat(included).isBetween(9_500L, 10_500L);
    }

    @Test
    void a_larger_share_has_everybody_of_a_smaller_one() {
        for (int share = 1; share < 9_999; share += 487) {
            Rollout smaller = tenants(share);
            Rollout larger = tenants(Math.min(9_999, share + 487));
            for (int i = 0; i < 500; i++) {
                if (smaller.includes("t" + i, READ)) {
                    assertThat(larger.includes("t" + i, READ)).isTrue();
                }
            }
        }
    }

    /** Known values: a tenant must not change sides with a new release. */
    @Test
    void a_tenant_keeps_its_place_for_ever() {
        assertThat(Rollout.placeOf("atlas")).isEqualTo(1_527);
        assertThat(Rollout.placeOf("birch")).isEqualTo(5_704);
        assertThat(Rollout.placeOf("Zürich")).isEqualTo(6_795);
    }

    @Test
    void nobody_is_in_a_rollout_by_tenants_before_authentication() {
        assertThat(tenants(9_999, "atlas").includes("", READ)).isFalse();
    }

    @Test
    void is_for_the_routes_that_are_named() {
        assertThat(only("read").includes("", READ)).isTrue();
        assertThat(only("read").includes("atlas", Optional.of("order"))).isFalse();
        assertThat(only("read").includes("atlas", Optional.empty())).isFalse();
    }

    @Test
    void cannot_be_for_nobody_nor_by_a_share_of_everybody() {
        assertThatThrownBy(() -> tenants(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> only()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tenants(10_000)).hasMessage("percent is 10000 hundredths; it must be 0 to 9999");
        assertThatThrownBy(() -> tenants(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(tenants(9_999).includes("atlas", READ)).isEqualTo(Rollout.placeOf("atlas") < 9_999);
        assertThat(tenants(0, "atlas").includes("birch", READ)).isFalse();
    }
}
