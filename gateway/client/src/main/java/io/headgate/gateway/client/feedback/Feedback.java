package io.headgate.gateway.client.feedback;

import io.headgate.core.decision.Decision;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.Responses.Audience;
import io.headgate.core.policy.Responses.Header;
import io.headgate.core.policy.Rule;
import io.headgate.core.policy.Scope;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Says an answer in HTTP, as the policy wants it that the answer was given under ({@code spec.responses}); every door says it
 * alike.
 *
 * <p>{@code Retry-After} is the honest hint, in ms, plus a chance share of it of at most {@code retryJitterPercent}, rounded
 * up to whole seconds: with 8,500 ms and 100 percent one of 9 to 17 s, never less than the hint. A denial without a hint has
 * no such field. All else is told only to whom {@code advertiseTo} names.
 */
public final class Feedback {

    private static final int WHOLE_PERCENT = 100;

    private final Limiter limiter;
    private final long unavailableRetryAfterMillis;
    private final Jitter jitter;

    /**
     * Makes one.
     *
     * @param limiter knows the policies that its answers name
     * @param unavailableRetryAfterMillis what an answer advises that nobody could decide and of which the policy says
     *     nothing; more than 0
     * @param jitter for {@code Retry-After}
     */
    public Feedback(Limiter limiter, long unavailableRetryAfterMillis, Jitter jitter) {
        if (unavailableRetryAfterMillis < 1) {
            throw new IllegalArgumentException(
                    "unavailableRetryAfterMillis is " + unavailableRetryAfterMillis + "; it must be 1 or more");
        }
        this.limiter = limiter;
        this.unavailableRetryAfterMillis = unavailableRetryAfterMillis;
        this.jitter = jitter;
    }

    /** What whoever sent the request is told. A caller that is told no limits learns no rule either. */
    public HttpAnswer toCaller(Ask ask, Answer answer) {
        Optional<Policy> policy = policyOf(answer);
        Responses responses = responsesOf(policy);
        boolean told = isTold(responses, ask);
        return new HttpAnswer(
                statusOf(answer), fields(ask, answer, policy, responses, told), problem(answer, told, false));
    }

    /**
     * What a program is told that asks on behalf of a caller, and is believed: the header fields as the caller may have
     * them, and the problem in full.
     */
    public HttpAnswer toAsker(Ask ask, Answer answer) {
        Optional<Policy> policy = policyOf(answer);
        Responses responses = responsesOf(policy);
        boolean told = isTold(responses, ask);
        return new HttpAnswer(
                statusOf(answer), fields(ask, answer, policy, responses, told), problem(answer, true, true));
    }

    private static int statusOf(Answer answer) {
        if (answer.allowed()) {
            return HttpAnswer.OK;
        }
        if (answer instanceof Unavailable unavailable) {
            return unavailable.cause() == Cause.CONFLICT ? HttpAnswer.CONFLICT : HttpAnswer.SERVICE_UNAVAILABLE;
        }
        return HttpAnswer.TOO_MANY_REQUESTS;
    }

    private Optional<Policy> policyOf(Answer answer) {
        Optional<Policy> named = Optional.empty();
        if (answer instanceof Decided decided) {
            named = limiter.policy(decided.decision().policyVersion());
        } else if (answer instanceof Fallback fallback) {
            named = limiter.policy(fallback.policyVersion());
        }
        return named.or(limiter::newestPolicy);
    }

    private static Responses responsesOf(Optional<Policy> policy) {
        return policy.map(known -> known.conduct().responses()).orElse(Responses.DEFAULT);
    }

    private static boolean isTold(Responses responses, Ask ask) {
        return responses.advertiseTo() == Audience.EVERYBODY
                || (responses.advertiseTo() == Audience.AUTHENTICATED && ask.authenticated());
    }

    private List<HeaderField> fields(
            Ask ask, Answer answer, Optional<Policy> policy, Responses responses, boolean told) {
        List<HeaderField> fields = new ArrayList<>();
        OptionalLong hint = hintMillis(answer);
        if (hint.isPresent() && responses.headers().contains(Header.RETRY_AFTER)) {
            long millis = later(hint.getAsLong(), responses.retryJitterPercent());
            fields.add(HeaderField.of(HeaderField.RETRY_AFTER, Seconds.toWait(millis)));
        }
        if (told && tellsQuotas(responses) && answer instanceof Decided decided) {
            Quota.of(ask, decided, policy).ifPresent(quota -> addQuota(fields, quota, responses));
        }
        return fields;
    }

    private static boolean tellsQuotas(Responses responses) {
        return responses.headers().contains(Header.RATELIMIT_DRAFT10)
                || responses.headers().contains(Header.X_RATELIMIT);
    }

    private static void addQuota(List<HeaderField> fields, Quota quota, Responses responses) {
        if (responses.headers().contains(Header.RATELIMIT_DRAFT10)) {
            quota.policyItem().ifPresent(item -> fields.add(new HeaderField(HeaderField.RATELIMIT_POLICY, item)));
            quota.stateItem().ifPresent(item -> fields.add(new HeaderField(HeaderField.RATELIMIT, item)));
        }
        if (responses.headers().contains(Header.X_RATELIMIT)) {
            fields.add(HeaderField.of(HeaderField.X_RATELIMIT_LIMIT, quota.limit()));
            fields.add(HeaderField.of(HeaderField.X_RATELIMIT_REMAINING, quota.remaining()));
            quota.resetSeconds()
                    .ifPresent(seconds -> fields.add(HeaderField.of(HeaderField.X_RATELIMIT_RESET, seconds)));
        }
    }

    /** When to come back, as far as anybody knows. */
    private OptionalLong hintMillis(Answer answer) {
        if (answer.allowed()) {
            return OptionalLong.empty();
        }
        if (answer instanceof Decided decided) {
            return decided.decision().retryAfterMillis();
        }
        if (answer instanceof Fallback fallback) {
            return fallback.retryAfterMillis();
        }
        Unavailable unavailable = (Unavailable) answer;
        if (unavailable.cause() == Cause.CONFLICT) {
            return OptionalLong.empty();
        }
        return unavailable.retryAfterMillis().isPresent()
                ? unavailable.retryAfterMillis()
                : OptionalLong.of(unavailableRetryAfterMillis);
    }

    private long later(long millis, int jitterPercent) {
        long most = millis / WHOLE_PERCENT * jitterPercent + millis % WHOLE_PERCENT * jitterPercent / WHOLE_PERCENT;
        return Math.addExact(millis, most == 0 ? 0 : jitter.upTo(most));
    }

    private static Optional<HttpProblem> problem(Answer answer, boolean told, boolean inFull) {
        if (answer.allowed()) {
            return Optional.empty();
        }
        if (answer instanceof Unavailable unavailable) {
            return Optional.of(unavailable.cause() == Cause.CONFLICT ? conflict() : undecided(unavailable, inFull));
        }
        if (!told) {
            return Optional.of(
                    new HttpProblem(HttpProblem.BLANK, "Too Many Requests", "There were too many requests.", Map.of()));
        }
        return Optional.of(
                answer instanceof Decided decided ? denied(decided.decision()) : overTheBound((Fallback) answer));
    }

    private static HttpProblem denied(Decision decision) {
        String rule = decision.denyingRule().orElse("");
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("violated-policies", List.of(rule));
        members.put("degraded", false);
        decision.scope().map(Scope::label).ifPresent(scope -> members.put("scope", scope));
        members.put("decisionId", decision.id().toString());
        members.put("policyVersion", decision.policyVersion());
        return rule.startsWith(Rule.RESERVED)
                ? new HttpProblem(
                        HttpProblem.DENIED_BY_OPERATOR,
                        "Denied by an operator",
                        "An operator's decision stands against this request, whatever the rules say.",
                        members)
                : new HttpProblem(
                        HttpProblem.QUOTA_EXCEEDED,
                        "Quota exceeded",
                        "Rule " + rule + " has no room for this request.",
                        members);
    }

    private static HttpProblem overTheBound(Fallback fallback) {
        Map<String, Object> members = new LinkedHashMap<>();
        fallback.rule().ifPresent(rule -> members.put("violated-policies", List.of(rule)));
        members.put("degraded", fallback.because().isPresent());
        members.put("policyVersion", fallback.policyVersion());
        return new HttpProblem(
                HttpProblem.QUOTA_EXCEEDED,
                "Quota exceeded",
                "The bound that this gateway keeps by itself has no room for this request.",
                members);
    }

    private static HttpProblem conflict() {
        return new HttpProblem(
                HttpProblem.IDEMPOTENCY_CONFLICT,
                "Idempotency key used for another request",
                "The request was not decided: its idempotency key stands for another request. Give each request a key of"
                        + " its own.",
                Map.of());
    }

    private static HttpProblem undecided(Unavailable unavailable, boolean inFull) {
        return new HttpProblem(
                HttpProblem.LIMITER_UNAVAILABLE,
                "Limiter unavailable",
                inFull
                        ? "The request was not decided: " + unavailable.detail() + "."
                        : "Nobody could decide in time whether this request may pass.",
                inFull ? Map.of("cause", unavailable.cause().name()) : Map.of());
    }
}
