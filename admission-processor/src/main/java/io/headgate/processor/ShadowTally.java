package io.headgate.processor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.policy.Enforcement;
import io.headgate.core.policy.Rule;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the rules in shadow said of the requests that this process decided since it started: by rule how many it was asked
 * and how many it would have denied, and whose those were. It knows nothing of what other processes decided, and counts
 * again what is folded again after a crash; no decision depends on it. Safe for any number of threads.
 */
final class ShadowTally {

    /** So many rules are tallied, the first that are seen. */
    static final int MAX_RULES = 100;

    /** So many partition keys are remembered by rule. */
    static final int KEYS = 512;

    /** So many of them are told, those with the most denials. */
    static final int KEYS_TOLD = 50;

    private final MeterRegistry registry;
    private final long sinceMillis = System.currentTimeMillis();
    private final Map<String, OfRule> rules = new ConcurrentHashMap<>();
    private final AtomicLong notTallied = new AtomicLong();

    ShadowTally(MeterRegistry registry) {
        this.registry = registry;
    }

    /** What one rule said. */
    private static final class OfRule {

        private final FrequentKeys keys = new FrequentKeys(KEYS);
        private long asked;
        private long denied;
        private Rule newest;

        private synchronized void see(Rule rule, String partitionKey, boolean denies) {
            newest = rule;
            asked++;
            if (denies) {
                denied++;
                keys.add(partitionKey);
            }
        }

        private synchronized long asked() {
            return asked;
        }

        private synchronized long denied() {
            return denied;
        }

        private synchronized ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("rule", newest.id()).put("stage", newest.stage().label());
            json.put("asked", asked).put("denied", denied);
            if (newest.enforcement() instanceof Enforcement.Shadow shadow) {
                shadow.expectedDenyPermille().ifPresent(permille -> json.put("expectedDenyPermille", permille));
                shadow.untilMillis().ifPresent(millis -> json.put("untilMillis", millis));
            }
            json.put("missed", keys.missed());
            ArrayNode told = json.putArray("keys");
            for (FrequentKeys.Count key : keys.top(KEYS_TOLD)) {
                told.addObject().put("key", key.key()).put("denied", key.count());
            }
            return json;
        }
    }

    /** Counts what a rule said of a request. */
    void see(Rule rule, String partitionKey, boolean denies) {
        OfRule tally = rules.get(rule.id());
        if (tally == null) {
            tally = begin(rule.id());
        }
        if (tally == null) {
            notTallied.incrementAndGet();
        } else {
            tally.see(rule, partitionKey, denies);
        }
    }

    private synchronized OfRule begin(String ruleId) {
        OfRule begun = rules.get(ruleId);
        if (begun != null || rules.size() >= MAX_RULES) {
            return begun;
        }
        OfRule fresh = new OfRule();
        FunctionCounter.builder("headgate.shadow.asked", fresh, OfRule::asked)
                .description("Requests of which a rule in shadow spoke")
                .tag("rule", ruleId)
                .register(registry);
        FunctionCounter.builder("headgate.shadow.denied", fresh, OfRule::denied)
                .description("Requests that a rule in shadow would have denied")
                .tag("rule", ruleId)
                .register(registry);
        rules.put(ruleId, fresh);
        return fresh;
    }

    /** All of it, as the admin port tells it. */
    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("sinceMillis", sinceMillis).put("notTallied", notTallied.get());
        ArrayNode told = json.putArray("rules");
        List<String> ids =
                rules.keySet().stream().sorted(Comparator.naturalOrder()).toList();
        ids.forEach(id -> told.add(rules.get(id).json()));
        return json;
    }
}
