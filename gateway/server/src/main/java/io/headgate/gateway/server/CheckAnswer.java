package io.headgate.gateway.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Scope;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.feedback.HttpAnswer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * The answer to one request. What rules and operators had to say is told of all stages that were asked, everything else of
 * the one that decided.
 *
 * @param http status, header fields and problem
 * @param body the same with everything that there is to say
 */
record CheckAnswer(HttpAnswer http, ObjectNode body) {

    static CheckAnswer of(HttpAnswer http, Answer answer, boolean explain) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        http.problem().ifPresent(problem -> Problem.write(problem, http.status(), body));
        if (answer instanceof Decided decided) {
            write(decided, explain, body);
        } else if (answer instanceof Fallback fallback) {
            write(fallback, body);
        } else {
            write((Unavailable) answer, body);
        }
        return new CheckAnswer(http, body);
    }

    /** As the answer to a request of its own. */
    AggregatedHttpResponse toResponse() {
        ResponseHeadersBuilder headers = ResponseHeaders.builder(http.status())
                .contentType(http.problem().isPresent() ? Problem.CONTENT_TYPE : MediaType.JSON);
        http.fields().forEach(field -> headers.set(field.name(), field.value()));
        return AggregatedHttpResponse.of(
                headers.build(), HttpData.wrap(body.toString().getBytes(StandardCharsets.UTF_8)));
    }

    /** As one of several. */
    ObjectNode toElement() {
        ObjectNode element = JsonNodeFactory.instance.objectNode();
        element.put("status", http.status());
        ObjectNode headers = element.putObject("headers");
        http.fields().forEach(field -> headers.put(field.name().toLowerCase(Locale.ROOT), field.value()));
        element.set("body", body);
        return element;
    }

    private static void write(Fallback fallback, ObjectNode body) {
        body.put("allowed", fallback.admitted());
        body.put("verdict", fallback.admitted() ? Verdict.ALLOW.name() : Verdict.DENY.name());
        body.put("fallback", fallback.mode().name());
        body.put("fallbackId", fallback.id());
        body.put("policyVersion", fallback.policyVersion());
        body.put("denyingRule", fallback.rule().orElse(null));
        put(body, "retryAfterMillis", fallback.retryAfterMillis());
        writeEarlierIds(fallback, body);
    }

    private static void write(Unavailable unavailable, ObjectNode body) {
        body.put("cause", unavailable.cause().name());
        body.put("allowed", false);
        body.put(
                "verdict",
                unavailable
                        .decision()
                        .map(decision -> decision.verdict().name())
                        .orElse(null));
        body.put(
                "decisionId",
                unavailable.decision().map(decision -> decision.id().toString()).orElse(null));
        writeEarlierIds(unavailable, body);
    }

    private static void write(Decided decided, boolean explain, ObjectNode body) {
        Decision decision = decided.decision();
        List<Decision> all = new ArrayList<>(decided.earlier());
        all.add(decision);
        body.put("allowed", decided.allowed());
        body.put("verdict", decision.verdict().name());
        body.put("stage", decided.stage().label());
        body.put("decisionId", decision.id().toString());
        writeEarlierIds(decided, body);
        body.put("policyVersion", decision.policyVersion());
        body.put("denyingRule", decision.denyingRule().orElse(null));
        body.put("scope", decision.scope().map(Scope::label).orElse(null));
        put(body, "limit", decision.limit());
        put(body, "remaining", decision.remaining());
        put(body, "resetAfterMillis", decision.resetAfterMillis());
        put(body, "retryAfterMillis", decision.retryAfterMillis());
        put(body, "paceAfterMillis", decided.allowed() ? pace(all) : OptionalLong.empty());
        putAll(body, "shadowDenials", all, Decision::shadowDenials);
        putAll(body, "softDenials", all, Decision::softDenials);
        putAll(body, "actions", all, Decision::actions);
        if (explain) {
            writeRules(all, body.putArray("rules"));
        }
        body.put("replayed", decision.replayed());
    }

    /** The longest pace of the stages; none if none was exceeded, or where no wait is known to do. */
    private static OptionalLong pace(List<Decision> decisions) {
        List<OptionalLong> paces = decisions.stream()
                .filter(decision -> !decision.softDenials().isEmpty())
                .map(Decision::paceAfterMillis)
                .toList();
        return paces.stream().allMatch(OptionalLong::isPresent)
                ? paces.stream().mapToLong(OptionalLong::getAsLong).max()
                : OptionalLong.empty();
    }

    private static void writeRules(List<Decision> decisions, ArrayNode rules) {
        for (Decision decision : decisions) {
            for (RuleOutcome outcome : decision.rules()) {
                ObjectNode rule = rules.addObject();
                rule.put("id", outcome.ruleId());
                rule.put("verdict", outcome.said().name());
                put(rule, "remaining", outcome.remaining());
            }
        }
    }

    private static void writeEarlierIds(Answer answer, ObjectNode body) {
        ArrayNode ids = body.putArray("earlierDecisionIds");
        answer.earlierIds().forEach(id -> ids.add(id.toString()));
    }

    private static void putAll(
            ObjectNode body, String name, List<Decision> decisions, Function<Decision, List<String>> names) {
        ArrayNode array = body.putArray(name);
        decisions.forEach(decision -> names.apply(decision).forEach(array::add));
    }

    private static void put(ObjectNode body, String name, OptionalLong value) {
        if (value.isPresent()) {
            body.put(name, value.getAsLong());
        } else {
            body.putNull(name);
        }
    }
}
