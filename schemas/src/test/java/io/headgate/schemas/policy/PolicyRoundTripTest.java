package io.headgate.schemas.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.policy.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PolicyRoundTripTest {

    @Test
    void a_document_says_what_its_author_thought_and_so_does_its_canonical_form() {
        for (int seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            List<Rule> rules = new ArrayList<>();
            ObjectNode document = RandomPolicies.document(random, rules);

            PolicyDocument read = PolicyDocument.of(document);

            PolicyDocument again = PolicyDocument.parse(read.canonicalBytes());
            assertThat(read.policy().rules()).as("seed %d: %s", seed, document).isEqualTo(rules);
            assertThat(again.policy().rules()).as("seed %d", seed).isEqualTo(rules);
            assertThat(again.policy().plans()).as("seed %d", seed).containsExactly("gold");
            assertThat(again.policy().idempotency())
                    .as("seed %d", seed)
                    .isEqualTo(read.policy().idempotency());
            assertThat(again.contentHash()).as("seed %d", seed).isEqualTo(read.contentHash());
        }
    }
}
