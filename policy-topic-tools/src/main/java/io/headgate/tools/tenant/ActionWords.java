package io.headgate.tools.tenant;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.policy.LimitFormat;
import io.headgate.tools.BadLine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What an action does, for people and for programs. */
final class ActionWords {

    private static final int LONGEST_NAME = 256;

    private ActionWords() {}

    /** One of override, ban, lift, reset and credit. */
    static String kind(Action action) {
        Action.Effect effect = action.effect();
        if (effect instanceof Action.LimitOverride) {
            return "override";
        }
        if (effect instanceof Action.Ban) {
            return "ban";
        }
        if (effect instanceof Action.Lift) {
            return "lift";
        }
        return effect instanceof Action.Reset ? "reset" : "credit";
    }

    /** A sentence without its subject and without the end: "bans user 7a5f… of tenant atlas". */
    static String what(Action action) {
        String whom = whom(action.subject());
        Action.Effect effect = action.effect();
        if (effect instanceof Action.LimitOverride it) {
            return "limits " + it.ruleId() + " of " + whom + " to " + LimitText.of(it.limit());
        }
        if (effect instanceof Action.Ban) {
            return "bans " + whom;
        }
        if (effect instanceof Action.Lift it) {
            return "lifts " + it.actionId() + " of " + whom;
        }
        if (effect instanceof Action.Reset it) {
            return "resets " + it.ruleId() + " of " + whom;
        }
        Action.Credit credit = (Action.Credit) effect;
        return "gives " + credit.tokens() + " tokens of " + credit.ruleId() + " back to " + whom;
    }

    static ObjectNode json(Action action) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", action.id()).put("kind", kind(action));
        json.set("subject", json(action.subject()));
        Action.Effect effect = action.effect();
        if (effect instanceof Action.LimitOverride it) {
            json.put("rule", it.ruleId()).set("limit", LimitFormat.writtenOverride(it.limit()));
        } else if (effect instanceof Action.Ban it) {
            json.put("scope", it.scope().label());
        } else if (effect instanceof Action.Lift it) {
            json.put("lifts", it.actionId());
        } else if (effect instanceof Action.Reset it) {
            json.put("rule", it.ruleId());
        } else if (effect instanceof Action.Credit it) {
            json.put("rule", it.ruleId()).put("tokens", it.tokens());
        }
        ActionTopic.endOf(action)
                .ifPresent(until -> json.put("untilMillis", until)
                        .put("until", Instant.ofEpochMilli(until).toString()));
        return json.put("author", action.author()).put("reason", action.reason());
    }

    private static String whom(Subject subject) {
        List<String> parts = new ArrayList<>();
        subject.attributes().forEach((name, value) -> parts.add("attribute " + shown(name) + "=" + shown(value)));
        if (!subject.route().isEmpty()) {
            parts.add("route " + shown(subject.route()));
        }
        if (!subject.identity().apiKey().isEmpty()) {
            parts.add(Scope.API_KEY.label() + " " + subject.identity().apiKey());
        }
        if (!subject.identity().user().isEmpty()) {
            parts.add(Scope.USER.label() + " " + subject.identity().user());
        }
        if (!subject.identity().ip().isEmpty()) {
            parts.add(Scope.IP.label() + " " + subject.identity().ip());
        }
        if (subject.stage() == Stage.TARGET) {
            parts.add(Scope.TARGET.label() + " " + subject.identity().target());
        }
        if (subject.stage() == Stage.TENANT) {
            parts.add("tenant " + shown(subject.identity().tenant()));
        }
        return String.join(" of ", parts);
    }

    private static ObjectNode json(Subject subject) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("stage", subject.stage().label());
        putIfGiven(json, "tenant", subject.identity().tenant());
        putIfGiven(json, "user", subject.identity().user());
        putIfGiven(json, "apiKey", subject.identity().apiKey());
        putIfGiven(json, "ip", subject.identity().ip());
        putIfGiven(json, "target", subject.identity().target());
        putIfGiven(json, "route", subject.route());
        if (!subject.attributes().isEmpty()) {
            ObjectNode attributes = json.putObject("attributes");
            subject.attributes().forEach(attributes::put);
        }
        return json;
    }

    private static void putIfGiven(ObjectNode json, String field, String value) {
        if (!value.isEmpty()) {
            json.put(field, value);
        }
    }

    private static String shown(String name) {
        return BadLine.shown(name, LONGEST_NAME);
    }
}
