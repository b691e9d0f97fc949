package io.headgate.schemas.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
            ObjectNode document = random(random, rules);

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

    private static ObjectNode random(Random random, List<Rule> rules) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("apiVersion", "headgate.io/v1").put("kind", "PolicySnapshot");
        document.putObject("metadata").put("name", "n").put("version", 1 + random.nextInt(9));
        ObjectNode spec = document.putObject("spec").put("domain", "d");
        ObjectNode plans = spec.putObject("plans");
        ObjectNode ofDefault = plans.putObject("default");
        RandomPolicies.DEFAULT_PLAN.forEach(ofDefault::put);
        ObjectNode gold = plans.putObject("gold");
        RandomPolicies.GOLD_PLAN.forEach(gold::put);
        if (random.nextBoolean()) {
            spec.putObject("idempotency").put("keysPerTenant", 1 + random.nextInt(1_000));
        }
        ArrayNode list = spec.putArray("rules");
        for (int i = random.nextInt(6); i > 0; i--) {
            RandomPolicies.Written written = RandomPolicies.rule("R" + i, random);
            rules.add(written.rule());
            list.add(written.json());
        }
        return document;
    }
}
