package io.headgate.tools.tenant;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.account.Action;
import io.headgate.core.decision.Identity;
import io.headgate.schemas.policy.LimitFormat;
import io.headgate.schemas.policy.TenantPlansDocument;
import io.headgate.tools.BadLine;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All that is known of a tenant.
 *
 * @param tenant the tenant
 * @param shard the shard that decides for it
 * @param policy the newest
 * @param plan the newest record of it, a removal included
 * @param limits of the rules of stage tenant
 * @param inForce overrides and bans, oldest first
 * @param shardSays the shard's own words, in JSON, if it was asked
 */
record TenantPicture(
        String tenant,
        int shard,
        PolicyInForce policy,
        Optional<PlacedPlan> plan,
        List<EffectiveLimit> limits,
        List<PlacedAction> inForce,
        Optional<String> shardSays) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String LIMIT = "  %-24s  %-10s  %-48s  %s%n";

    TenantPicture with(String words) {
        return new TenantPicture(tenant, shard, policy, plan, limits, inForce, Optional.of(words));
    }

    void print(PrintWriter out) {
        out.println("tenant " + shown(tenant) + ", shard " + shard);
        if (plan.isPresent()) {
            PlacedPlan placed = plan.get();
            out.println(PlanWords.of(placed.record().plan()));
            out.printf(
                    "  set %s by %s: %s%n",
                    Instant.ofEpochMilli(placed.writtenMillis()),
                    shown(placed.record().author()),
                    shown(placed.record().reason()));
        } else {
            out.println("has no plan; the default holds");
        }
        out.println();
        printLimits(out);
        out.println();
        out.println(inForce.isEmpty() ? "no override and no ban is in force" : "in force");
        for (PlacedAction placed : inForce) {
            Action action = placed.action();
            out.println("  " + action.id() + " " + ActionWords.what(action) + " until "
                    + Instant.ofEpochMilli(ActionTopic.endOf(action).orElseThrow()));
            out.println("    by " + shown(action.author()) + ": " + shown(action.reason()));
        }
        shardSays.ifPresent(words -> {
            out.println();
            out.println("the shard says");
            pretty(words).lines().forEach(line -> out.println("  " + line));
        });
    }

    private void printLimits(PrintWriter out) {
        if (policy.policy().isEmpty()) {
            out.println(policy.whyNone());
            return;
        }
        out.println("limits under policy " + policy.policy().get().name() + ", version "
                + policy.policy().get().version());
        out.printf(LIMIT, "RULE", "COUNTS BY", "LIMIT", "FROM");
        for (EffectiveLimit one : limits) {
            out.printf(LIMIT, one.rule().id(), one.rule().scope().label(), LimitText.of(one.limit()), one.source());
        }
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("tenant", tenant).put("shard", shard);
        plan.ifPresent(placed -> {
            ObjectNode written = json.putObject("plan");
            written.setAll(TenantPlansDocument.written(placed.record().plan()));
            written.put("author", placed.record().author())
                    .put("reason", placed.record().reason())
                    .put("writtenMillis", placed.writtenMillis())
                    .put("partition", placed.place().partition())
                    .put("offset", placed.place().offset());
        });
        policy.policy()
                .ifPresent(present ->
                        json.putObject("policy").put("name", present.name()).put("version", present.version()));
        ArrayNode rules = json.putArray("limits");
        for (EffectiveLimit one : limits) {
            ObjectNode rule = rules.addObject();
            rule.put("rule", one.rule().id()).put("scope", one.rule().scope().label());
            rule.setAll(LimitFormat.writtenOverride(one.limit()));
            rule.put("from", one.source());
        }
        ArrayNode actions = json.putArray("inForce");
        inForce.forEach(
                placed -> actions.add(ActionWords.json(placed.action()).put("writtenMillis", placed.writtenMillis())));
        shardSays.ifPresent(words -> json.set("shardSays", tree(words)));
        return json;
    }

    private static String pretty(String words) {
        return tree(words).toPrettyString();
    }

    /** What is no JSON is passed on as text. */
    private static JsonNode tree(String words) {
        try {
            return JSON.readTree(words);
        } catch (JsonProcessingException e) {
            return JsonNodeFactory.instance.textNode(BadLine.shown(words, BadLine.LONGEST_TEXT));
        }
    }

    private static String shown(String text) {
        return BadLine.shown(text, Identity.MAX_LENGTH);
    }
}
