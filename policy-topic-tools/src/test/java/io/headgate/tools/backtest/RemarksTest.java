package io.headgate.tools.backtest;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Idempotency;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rollout;
import io.headgate.core.policy.RouteTable;
import io.headgate.tools.OfflineShard;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RemarksTest {

    private static final Activation FOR_SOME =
            new Activation(OptionalLong.of(5), new Rollout.Tenants(new TreeSet<>(Set.of("atlas")), 0));

    @Test
    void a_policy_that_is_for_some_is_judged_as_if_at_once_for_everybody_and_the_report_says_so() {
        Policy some = policy(FOR_SOME);
        Policy whole = policy(Activation.AT_ONCE);

        assertThat(OfflineShard.atOnce(some).activation()).isEqualTo(Activation.AT_ONCE);
        assertThat(OfflineShard.atOnce(some).version()).isEqualTo(some.version());
        assertThat(OfflineShard.atOnce(whole)).isSameAs(whole);
        assertThat(Remarks.ofFiles(whole, some, true, false))
                .anyMatch(remark -> remark.startsWith("The candidate says when or for whom"));
        assertThat(Remarks.ofTopic(some, whole, false, 0, Optional.empty()))
                .anyMatch(remark -> remark.startsWith("The baseline says when or for whom"));
        assertThat(Remarks.ofFiles(whole, whole, false, true)).noneMatch(remark -> remark.contains("when or for whom"));
    }

    @Test
    void every_report_says_what_it_began_with_and_that_nobody_backs_off() {
        Policy whole = policy(Activation.AT_ONCE);
        for (List<String> remarks : List.of(
                Remarks.ofFiles(whole, whole, true, false),
                Remarks.ofTopic(whole, whole, true, 7, Optional.empty()),
                Remarks.ofTopic(whole, whole, false, 7, Optional.empty()))) {
            assertThat(remarks.get(0)).contains("nobody having spent anything", "too kindly");
            assertThat(remarks.get(1)).contains("have not backed off");
        }
    }

    private static Policy policy(Activation activation) {
        return new Policy(
                "p",
                3,
                new RouteTable(List.of(), Map.of()),
                List.of(),
                Set.of(),
                Idempotency.DEFAULT,
                1_000,
                activation);
    }
}
