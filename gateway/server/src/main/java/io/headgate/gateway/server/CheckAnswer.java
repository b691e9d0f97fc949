package io.headgate.gateway.server;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Scope;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Unavailable;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Answers as HTTP: 200 may pass, 429 over policy, 503 not decided. */
final class CheckAnswer {

    private static final long MILLIS_PER_SECOND = 1_000;

    private CheckAnswer() {}

    static AggregatedHttpResponse of(Answer answer, int unavailableRetryAfterSeconds) {
        if (answer instanceof Decided decided) {
            return decided.decision().verdict() == Verdict.ALLOW
                    ? allowed(decided.decision())
                    : denied(decided.decision()).toResponse();
        }
        return unavailable((Unavailable) answer)
                .retryAfter(unavailableRetryAfterSeconds)
                .toResponse();
    }

    private static AggregatedHttpResponse allowed(Decision decision) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        write(decision, body);
        return AggregatedHttpResponse.of(
                ResponseHeaders.builder(HttpStatus.OK)
                        .contentType(MediaType.JSON)
                        .build(),
                HttpData.wrap(body.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private static Problem denied(Decision decision) {
        String rule = decision.denyingRule().orElse("");
        Problem problem = Problem.typed(
                HttpStatus.TOO_MANY_REQUESTS,
                Problem.QUOTA_EXCEEDED,
                "Quota exceeded",
                "Rule " + rule + " has no room for this request.");
        problem.body().putArray("violated-policies").add(rule);
        problem.body().put("degraded", false);
        write(decision, problem.body());
        return decision.retryAfterMillis().isPresent()
                ? problem.retryAfter(wholeSeconds(decision.retryAfterMillis().getAsLong()))
                : problem;
    }

    private static Problem unavailable(Unavailable unavailable) {
        Problem problem = Problem.typed(
                HttpStatus.SERVICE_UNAVAILABLE,
                Problem.LIMITER_UNAVAILABLE,
                "Limiter unavailable",
                "The request was not decided: " + unavailable.detail() + ".");
        ObjectNode body = problem.body();
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
        return problem;
    }

    /** Rounded up, and at least one: a client that waits so long is not too early. */
    static long wholeSeconds(long millis) {
        return Math.max(1, (millis + MILLIS_PER_SECOND - 1) / MILLIS_PER_SECOND);
    }

    private static void write(Decision decision, ObjectNode body) {
        body.put("allowed", decision.verdict() == Verdict.ALLOW);
        body.put("verdict", decision.verdict().name());
        body.put("decisionId", decision.id().toString());
        body.put("policyVersion", decision.policyVersion());
        body.put("denyingRule", decision.denyingRule().orElse(null));
        body.put("scope", decision.scope().map(Scope::label).orElse(null));
        put(body, "limit", decision.limit());
        put(body, "remaining", decision.remaining());
        put(body, "resetAfterMillis", decision.resetAfterMillis());
        put(body, "retryAfterMillis", decision.retryAfterMillis());
        decision.shadowDenials().forEach(body.putArray("shadowDenials")::add);
        body.put("replayed", decision.replayed());
    }

    private static void put(ObjectNode body, String name, OptionalLong value) {
        if (value.isPresent()) {
            body.put(name, value.getAsLong());
        } else {
            body.putNull(name);
        }
    }
}
