package io.headgate.core.decision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.policy.Stage;
import org.junit.jupiter.api.Test;

class IdentityTest {

    @Test
    void each_stage_has_a_partition_key_of_its_own() {
        Identity everything = new Identity("atlas", "u", "k", "a1", "n1");

        assertThat(everything.partitionKey(Stage.IP)).isEqualTo("ip:a1");
        assertThat(everything.partitionKey(Stage.TARGET)).isEqualTo("target:n1");
        assertThat(everything.partitionKey(Stage.TENANT)).isEqualTo("atlas");
    }

    @Test
    void a_tenant_cannot_take_the_partition_key_of_an_address_or_a_login_name() {
        for (String tenant : new String[] {"ip:a1", "target:n1", "ip:"}) {
            assertThatThrownBy(() -> new Identity(tenant, "", "", "", ""))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("tenant is '" + tenant)
                    .hasMessageContaining("must not begin with ip: or target:");
            assertThatThrownBy(() -> TenantPlan.on(tenant, "standard")).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(new Identity("ip", "", "", "", "").partitionKey(Stage.TENANT))
                .isEqualTo("ip");
    }
}
