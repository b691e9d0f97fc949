package io.headgate.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.policy.Scope;
import io.headgate.schemas.policy.CanonicalJson;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Replies written in JSON, the same bytes for the same reply: the fields of {@code ReplyBatch} in the order of their
 * names. What Avro has a null for is left out; every other field is there, be it empty.
 */
final class JsonReplies {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonReplies() {}

    static byte[] encode(Reply reply) {
        ObjectNode node = NODES.objectNode()
                .put("shard", reply.shard())
                .put("logTimeMillis", reply.logTimeMillis())
                .put("problem", reply.problem());
        node.set("decisions", list(reply.decisions(), JsonReplies::decision));
        return CanonicalJson.bytes(node);
    }

    private static JsonNode decision(Decision decision) {
        ObjectNode node = NODES.objectNode()
                .put("verdict", decision.verdict().name())
                .put("decisionId", decision.id().toString())
                .put("policyVersion", decision.policyVersion())
                .put("replayed", decision.replayed())
                .put("reason", decision.reason());
        decision.denyingRule().ifPresent(rule -> node.put("denyingRule", rule));
        decision.scope().map(Scope::label).ifPresent(scope -> node.put("scope", scope));
        put(node, "limit", decision.limit());
        put(node, "remaining", decision.remaining());
        put(node, "resetAfterMillis", decision.resetAfterMillis());
        put(node, "retryAfterMillis", decision.retryAfterMillis());
        put(node, "paceAfterMillis", decision.paceAfterMillis());
        node.set("shadowDenials", list(decision.shadowDenials(), NODES::textNode));
        node.set("softDenials", list(decision.softDenials(), NODES::textNode));
        node.set("actions", list(decision.actions(), NODES::textNode));
        node.set("rules", list(decision.rules(), JsonReplies::rule));
        return node;
    }

    private static JsonNode rule(RuleOutcome rule) {
        ObjectNode node = NODES.objectNode()
                .put("ruleId", rule.ruleId())
                .put("said", rule.said().name());
        put(node, "remaining", rule.remaining());
        return node;
    }

    private static void put(ObjectNode node, String field, OptionalLong value) {
        value.ifPresent(number -> node.put(field, number));
    }

    private static <T> ArrayNode list(List<T> values, Function<T, JsonNode> written) {
        ArrayNode list = NODES.arrayNode(values.size());
        values.forEach(value -> list.add(written.apply(value)));
        return list;
    }
}
