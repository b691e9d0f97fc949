package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.policy.Policy;
import io.headgate.schemas.Pseudonyms;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a client tells those who ask it on behalf of others. */
class DoorsTest {

    private static PolicyDocument policy(long version, String more) {
        return PolicyDocument.parse(("{\"apiVersion\":\"headgate.io/v1\",\"kind\":\"PolicySnapshot\","
                        + "\"metadata\":{\"name\":\"test\",\"version\":" + version + "},"
                        + "\"spec\":{\"domain\":\"test\",\"rules\":[]" + more + "}}")
                .getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void every_version_that_may_decide_is_known_the_newest_first() {
        Bench bench = new Bench(1, policy(1, "").policy(), Map.of());
        assertThat(bench.client.candidates()).isEmpty();

        bench.publish(policy(1, ""));
        bench.publish(policy(2, ",\"effectiveAt\":\"2999-01-01T00:00:00Z\""));

        assertThat(bench.client.candidates()).extracting(Policy::version).containsExactly(2L, 1L);
    }

    @Test
    void a_pseudonym_is_of_the_secret_that_all_gateways_share() {
        Pseudonyms shared = new Pseudonyms(HexFormat.of().parseHex(Bench.SECRET));

        assertThat(new Bench().client.pseudonym("to_number", "0791234567"))
                .isEqualTo(shared.attribute("to_number", "0791234567"))
                .doesNotContain("079");
    }
}
