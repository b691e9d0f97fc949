package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.CounterBytes;
import io.headgate.schemas.policy.Durations;
import io.headgate.schemas.policy.PolicyDocument;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * What publishing a document would do.
 *
 * @param before the newest version; empty if there is none
 * @param after the document
 * @param shards how many there are, if that is known
 * @param tenants which of those that have a plan it touches, if that is known
 */
record PolicyPlan(
        Optional<PolicyDocument> before, PolicyDocument after, OptionalInt shards, Optional<Touched.Tenants> tenants) {

    /** What a tenant's id and other text that is counted by are taken to be at most, in bytes. */
    private static final int TEXT_BYTES = 36;

    PolicyDifference difference() {
        return PolicyDifference.between(before, after);
    }

    /** Whether it is the version that is there already, so that it need not be able to follow it. */
    boolean isSameVersion() {
        return difference().isEmpty()
                && before.map(it -> it.metadata().version())
                        .equals(Optional.of(after.metadata().version()));
    }

    private Policy policy() {
        return after.policy();
    }

    private Touched touched() {
        return Touched.by(before.map(PolicyDocument::policy), policy());
    }

    void print(PrintWriter out) {
        PolicyDifference difference = difference();
        Touched touched = touched();
        out.println(before.map(it -> "version " + it.metadata().version() + " → "
                                + after.metadata().version())
                        .orElse("the first version, " + after.metadata().version())
                + ", " + VersionText.activation(policy().activation()));
        out.println();
        out.println(difference.isEmpty() ? "nothing differs" : "what differs");
        difference.lines().forEach(line -> out.println("  " + line));
        out.println();
        out.println("whom it touches");
        out.println("  routes   " + listed(touched.groups()));
        out.println("  plans    " + listed(touched.plans()));
        tenants.ifPresent(it -> out.println("  tenants  " + it.line()));
        out.println("  budgets that begin afresh: " + listed(touched.afresh()));
        out.println();
        out.println("how far a rule may be overshot, by one key");
        for (Rule rule : policy().rules()) {
            bounds(rule, touched)
                    .forEach((plan, bound) -> out.println(
                            "  " + rule.id() + (plan.isEmpty() ? "" : " [" + plan + "]") + "  " + bound.line()));
        }
        out.println("  Keys beyond the cap of a rule share one bucket: that admits less, never more.");
        out.println("  A request that repeats a caller's own key within "
                + Durations.format(policy().idempotency().retentionMillis())
                + " is answered as before and debited once; an operator's credits and resets come on top.");
        out.println();
        out.println("how much state it may take: bytes a counter × cap"
                + (shards.isPresent() ? " × " + shards.getAsInt() + " shards" : ", a shard"));
        for (Rule rule : policy().rules()) {
            out.println("  " + rule.id() + "  " + stateLine(rule));
        }
    }

    private static String listed(Iterable<String> names) {
        String listed = String.join(", ", names);
        return listed.isEmpty() ? "none" : listed;
    }

    /** By plan, where the plan makes a difference; otherwise under an empty name. */
    private Map<String, OvershootBound> bounds(Rule rule, Touched touched) {
        boolean afresh = touched.afresh().contains(rule.id());
        Map<String, OvershootBound> bounds = new TreeMap<>();
        bounds.put(rule.byPlan().isEmpty() ? "" : "default", OvershootBound.of(policy(), rule, rule.limit(), afresh));
        for (Map.Entry<String, Limit> plan : rule.byPlan().entrySet()) {
            bounds.put(plan.getKey(), OvershootBound.of(policy(), rule, plan.getValue(), afresh));
        }
        return bounds;
    }

    private static long bytes(Rule rule) {
        return CounterBytes.most(rule, TEXT_BYTES, TEXT_BYTES);
    }

    private long mostBytes(Rule rule) {
        return bytes(rule) * policy().bucketsPerRuleAndShard() * shards.orElse(1);
    }

    private String stateLine(Rule rule) {
        return bytes(rule) + " × " + policy().bucketsPerRuleAndShard()
                + (shards.isPresent() ? " × " + shards.getAsInt() : "") + " = at most " + mebibytes(mostBytes(rule));
    }

    private static String mebibytes(long bytes) {
        long mebibyte = 1L << 20;
        return bytes < mebibyte ? bytes + " bytes" : (bytes + mebibyte - 1) / mebibyte + " MiB";
    }

    ObjectNode json() {
        Touched touched = touched();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        before.ifPresent(it -> json.put("from", it.metadata().version()));
        json.put("to", after.metadata().version())
                .put("takesEffect", VersionText.activation(policy().activation()))
                .put("differs", !difference().isEmpty());
        json.set("changes", difference().json());
        ObjectNode whom = json.putObject("touches");
        addAll(whom.putArray("routes"), touched.groups());
        addAll(whom.putArray("plans"), touched.plans());
        tenants.ifPresent(it -> whom.set("tenants", it.json()));
        addAll(json.putArray("budgetsAfresh"), touched.afresh());
        ArrayNode rules = json.putArray("rules");
        for (Rule rule : policy().rules()) {
            ObjectNode one = rules.addObject().put("id", rule.id());
            ArrayNode bounds = one.putArray("overshoot");
            bounds(rule, touched).forEach((plan, bound) -> {
                ObjectNode written = bound.json();
                if (!plan.isEmpty()) {
                    written.put("plan", plan);
                }
                bounds.add(written);
            });
            one.putObject("state")
                    .put("bytesPerCounter", bytes(rule))
                    .put("countersPerShard", policy().bucketsPerRuleAndShard())
                    .put("shards", shards.orElse(1))
                    .put("mostBytes", mostBytes(rule));
        }
        return json;
    }

    private static void addAll(ArrayNode array, Iterable<String> values) {
        values.forEach(array::add);
    }
}
