package io.headgate.gateway.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Decision.RuleOutcome;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * Answers as HTTP: 200 may pass, 429 over policy, 409 a key that stands for another request, 503 not decided. What rules
 * and operators had to say is told of all stages that were asked, everything else of the one that decided.
 */
final class CheckAnswer {

    private static final long MILLIS_PER_SECOND = 1_000;

    private CheckAnswer() {}

    static AggregatedHttpResponse of(Answer answer, boolean explain, int unavailableRetryAfterSeconds) {
        if (answer instanceof Decided decided) {
            return decided.allowed()
                    ? allowed(decided, explain)
                    : denied(decided, explain).toResponse();
        }
        if (answer instanceof Fallback fallback) {
            return fallback.admitted()
                    ? ok(fallback(fallback, JsonNodeFactory.instance.objectNode()))
                    : overTheBound(fallback).toResponse();
        }
        Unavailable unavailable = (Unavailable) answer;
        return unavailable.cause() == Cause.CONFLICT
                ? conflict(unavailable).toResponse()
                : unavailable(unavailable)
                        .retryAfter(
                                unavailable.retryAfterMillis().isPresent()
                                        ? wholeSeconds(
                                                unavailable.retryAfterMillis().getAsLong())
                                        : unavailableRetryAfterSeconds)
                        .toResponse();
    }

    private static AggregatedHttpResponse allowed(Decided decided, boolean explain) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        write(decided, explain, body);
        return ok(body);
    }

    private static Problem overTheBound(Fallback fallback) {
        Problem problem = Problem.typed(
                HttpStatus.TOO_MANY_REQUESTS,
                Problem.QUOTA_EXCEEDED,
                "Quota exceeded",
                "The bound that this gateway keeps by itself has no room for this request.");
        problem.body().put("degraded", fallback.because().isPresent());
        fallback(fallback, problem.body());
        return fallback.retryAfterMillis().isPresent()
                ? problem.retryAfter(wholeSeconds(fallback.retryAfterMillis().getAsLong()))
                : problem;
    }

    private static ObjectNode fallback(Fallback fallback, ObjectNode body) {
        body.put("allowed", fallback.admitted());
        body.put("verdict", fallback.admitted() ? Verdict.ALLOW.name() : Verdict.DENY.name());
        body.put("fallback", fallback.mode().name());
        body.put("fallbackId", fallback.id());
        body.put("policyVersion", fallback.policyVersion());
        body.put("denyingRule", fallback.rule().orElse(null));
        put(body, "retryAfterMillis", fallback.retryAfterMillis());
        writeEarlierIds(fallback, body);
        return body;
    }

    private static AggregatedHttpResponse ok(ObjectNode body) {
        return AggregatedHttpResponse.of(
                ResponseHeaders.builder(HttpStatus.OK)
                        .contentType(MediaType.JSON)
                        .build(),
                HttpData.wrap(body.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private static Problem denied(Decided decided, boolean explain) {
        Decision decision = decided.decision();
        String rule = decision.denyingRule().orElse("");
        Problem problem = rule.startsWith(Rule.RESERVED)
                ? Problem.typed(
                        HttpStatus.TOO_MANY_REQUESTS,
                        Problem.DENIED_BY_OPERATOR,
                        "Denied by an operator",
                        "An operator's decision stands against this request, whatever the rules say.")
                : Problem.typed(
                        HttpStatus.TOO_MANY_REQUESTS,
                        Problem.QUOTA_EXCEEDED,
                        "Quota exceeded",
                        "Rule " + rule + " has no room for this request.");
        problem.body().putArray("violated-policies").add(rule);
        problem.body().put("degraded", false);
        write(decided, explain, problem.body());
        return decision.retryAfterMillis().isPresent()
                ? problem.retryAfter(wholeSeconds(decision.retryAfterMillis().getAsLong()))
                : problem;
    }

    private static Problem conflict(Unavailable unavailable) {
        Problem problem = Problem.typed(
                HttpStatus.CONFLICT,
                Problem.IDEMPOTENCY_CONFLICT,
                "Idempotency key used for another request",
                "The request was not decided: its idempotency key stands for another request. Give each request a key of"
                        + " its own.");
        undecided(unavailable, problem.body());
        return problem;
    }

    private static Problem unavailable(Unavailable unavailable) {
        Problem problem = Problem.typed(
                HttpStatus.SERVICE_UNAVAILABLE,
                Problem.LIMITER_UNAVAILABLE,
                "Limiter unavailable",
                "The request was not decided: " + unavailable.detail() + ".");
        undecided(unavailable, problem.body());
        return problem;
    }

    private static void undecided(Unavailable unavailable, ObjectNode body) {
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

    /** Rounded up, and at least one: a client that waits so long is not too early. */
    static long wholeSeconds(long millis) {
        return Math.max(1, (millis + MILLIS_PER_SECOND - 1) / MILLIS_PER_SECOND);
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
