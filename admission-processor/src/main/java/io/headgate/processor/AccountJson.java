package io.headgate.processor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.shard.Account;
import java.util.Map;

/** An account as the admin port tells of it. */
final class AccountJson {

    private AccountJson() {}

    static ObjectNode of(int shard, Account account) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("shard", shard).put("partitionKey", account.partitionKey()).put("known", account.known());
        account.tenantPlan().ifPresent(plan -> json.set("tenantPlan", of(plan)));
        ObjectNode terms = json.putObject("terms");
        terms.put("plan", account.plan()).put("unlimited", account.unlimited());
        account.zone().ifPresent(zone -> terms.put("zone", zone));
        terms.set("overrides", of(account.overrides()));
        ArrayNode actions = json.putArray("actions");
        account.actions().forEach(action -> actions.add(of(action)));
        return json;
    }

    private static ObjectNode of(TenantPlan plan) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("status", plan.status().name()).put("plan", plan.plan()).put("unlimited", plan.unlimited());
        plan.zone().ifPresent(zone -> json.put("zone", zone));
        plan.homeRegion().ifPresent(region -> json.put("homeRegion", region));
        json.set("overrides", of(plan.overrides()));
        return json;
    }

    private static ObjectNode of(Map<String, Limit> overrides) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        overrides.forEach((rule, limit) -> json.set(rule, of(limit)));
        return json;
    }

    /** Overrides and bans; nothing else stays in force. */
    private static ObjectNode of(Action action) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", action.id()).put("author", action.author()).put("reason", action.reason());
        if (action.effect() instanceof Action.LimitOverride override) {
            json.put("kind", "OVERRIDE").put("rule", override.ruleId());
            json.set("limit", of(override.limit()));
            json.put("untilMillis", override.untilMillis());
        } else if (action.effect() instanceof Action.Ban ban) {
            json.put("kind", "BAN").put("scope", ban.scope().label()).put("untilMillis", ban.untilMillis());
        }
        Identity who = action.subject().identity();
        ObjectNode subject = json.putObject("subject");
        subject.put("stage", action.subject().stage().label());
        putIfThere(subject, "tenant", who.tenant());
        putIfThere(subject, "user", who.user());
        putIfThere(subject, "apiKey", who.apiKey());
        putIfThere(subject, "ip", who.ip());
        putIfThere(subject, "target", who.target());
        return json;
    }

    private static void putIfThere(ObjectNode json, String field, String value) {
        if (!value.isEmpty()) {
            json.put(field, value);
        }
    }

    private static ObjectNode of(Limit limit) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("algorithm", limit.algorithm());
        if (limit instanceof TokenBucketLimit it) {
            json.put("tokens", it.capacityTokens())
                    .put("refillTokens", it.refillTokens())
                    .put("periodMillis", it.refillPeriodMillis())
                    .put("refill", it.refill().label());
        } else if (limit instanceof GcraLimit it) {
            json.put("tokens", it.burstTokens())
                    .put("refillTokens", it.refillTokens())
                    .put("periodMillis", it.refillPeriodMillis());
        } else if (limit instanceof FixedWindowLimit it) {
            json.put("tokens", it.limitTokens());
            if (it.window() instanceof Window.Every every) {
                json.put("periodMillis", every.lengthMillis());
            } else if (it.window() instanceof Window.Calendar calendar) {
                json.put("calendarUnit", calendar.unit().label()).put("zone", calendar.zone());
            }
        } else if (limit instanceof SlidingWindowLimit it) {
            json.put("tokens", it.limitTokens()).put("periodMillis", it.windowMillis());
        } else if (limit instanceof SlidingLogLimit it) {
            json.put("tokens", it.limitTokens()).put("periodMillis", it.windowMillis());
        }
        return json;
    }
}
