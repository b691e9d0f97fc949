package io.headgate.gateway.server.rls;

import com.google.protobuf.Duration;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.grpc.Status;
import io.headgate.core.decision.Decision;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Policy;
import io.headgate.envoy.config.core.v3.HeaderValue;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Says answers in Envoy's protocol. One denial is OVER_LIMIT, whatever else is not known; without one, an answer that nobody
 * could give is no response but UNAVAILABLE, so that Envoy's own failure mode decides.
 *
 * <p>Header fields and metadata tell of one of the descriptors: of the denials, the one with the longest wait or with none
 * that is known to do; of what may pass, the one with the least left.
 */
final class RateLimitReply {

    private static final int MILLIS_PER_SECOND = 1_000;
    private static final int NANOS_PER_MILLI = 1_000_000;

    private final Limiter limiter;
    private final Feedback feedback;

    RateLimitReply(Limiter limiter, Feedback feedback) {
        this.limiter = limiter;
        this.feedback = feedback;
    }

    /** A question and its answer. */
    private record Told(Ask ask, Answer answer, Optional<CurrentLimit> limit, boolean unlimited) {

        boolean denied() {
            return !answer.allowed() && !(answer instanceof Unavailable);
        }

        OptionalLong waitMillis() {
            if (answer instanceof Fallback fallback) {
                return fallback.retryAfterMillis();
            }
            return answer instanceof Decided decided ? decided.decision().retryAfterMillis() : OptionalLong.empty();
        }
    }

    /**
     * The response.
     *
     * @param answers one to each question, in their order
     * @throws io.grpc.StatusRuntimeException UNAVAILABLE, if nobody could decide
     */
    RateLimitResponse of(List<DescriptorQuestion> questions, List<Answer> answers) {
        List<Told> all = new ArrayList<>(questions.size());
        for (int i = 0; i < questions.size(); i++) {
            all.add(told(questions.get(i).ask(), answers.get(i)));
        }
        boolean over = all.stream().anyMatch(Told::denied);
        if (!over) {
            refuseUndecided(answers);
        }
        Told telling = over ? longestWait(all) : leastLeft(all);
        RateLimitResponse.Builder response =
                RateLimitResponse.newBuilder().setOverallCode(over ? Code.OVER_LIMIT : Code.OK);
        all.forEach(told -> response.addStatuses(status(told)));
        feedback.toCaller(telling.ask(), telling.answer())
                .fields()
                .forEach(field -> response.addResponseHeadersToAdd(
                        HeaderValue.newBuilder().setKey(field.name()).setValue(field.value())));
        return response.setDynamicMetadata(metadata(telling, answers)).build();
    }

    private Told told(Ask ask, Answer answer) {
        if (!(answer instanceof Decided decided)) {
            return new Told(ask, answer, Optional.empty(), false);
        }
        Optional<Policy> policy = limiter.policy(decided.decision().policyVersion());
        Optional<CurrentLimit> limit = CurrentLimit.of(ask, decided, policy);
        return new Told(ask, answer, limit, limit.isEmpty() && CurrentLimit.isUnlimited(ask, decided, policy));
    }

    private static void refuseUndecided(List<Answer> answers) {
        for (Answer answer : answers) {
            if (answer instanceof Unavailable unavailable) {
                throw Status.UNAVAILABLE
                        .withDescription(unavailable.cause() + ": " + unavailable.detail())
                        .asRuntimeException();
            }
        }
    }

    private static Told longestWait(List<Told> all) {
        return all.stream()
                .filter(Told::denied)
                .max(Comparator.comparingLong(told -> told.waitMillis().orElse(Long.MAX_VALUE)))
                .orElseThrow();
    }

    private static Told leastLeft(List<Told> all) {
        return all.stream()
                .filter(told -> told.limit().isPresent())
                .min((one, other) -> Limit.compareRemaining(
                        remaining(one),
                        one.limit().get().tokens(),
                        remaining(other),
                        other.limit().get().tokens()))
                .orElse(all.get(0));
    }

    private static DescriptorStatus status(Told told) {
        DescriptorStatus.Builder status = DescriptorStatus.newBuilder();
        if (told.answer() instanceof Unavailable) {
            return status.setCode(Code.UNKNOWN).build();
        }
        status.setCode(told.denied() ? Code.OVER_LIMIT : Code.OK);
        if (told.unlimited()) {
            status.setLimitRemaining(CurrentLimit.unsigned(CurrentLimit.MOST));
        }
        told.limit()
                .ifPresent(limit -> status.setCurrentLimit(limit.toMessage())
                        .setLimitRemaining(CurrentLimit.unsigned(remaining(told))));
        resetMillis(told).ifPresent(millis -> status.setDurationUntilReset(duration(millis)));
        return status.build();
    }

    private static long remaining(Told told) {
        return ((Decided) told.answer()).decision().remaining().orElse(0);
    }

    /** On a denial the wait after which the same request fits; else, or where none is known, until the limit is whole. */
    private static OptionalLong resetMillis(Told told) {
        if (told.denied() && told.waitMillis().isPresent()) {
            return told.waitMillis();
        }
        return told.answer() instanceof Decided decided ? decided.decision().resetAfterMillis() : OptionalLong.empty();
    }

    private static Duration duration(long millis) {
        return Duration.newBuilder()
                .setSeconds(millis / MILLIS_PER_SECOND)
                .setNanos((int) (millis % MILLIS_PER_SECOND) * NANOS_PER_MILLI)
                .build();
    }

    private static Struct metadata(Told telling, List<Answer> answers) {
        Struct.Builder metadata = Struct.newBuilder();
        Optional<String> rule = telling.limit().flatMap(CurrentLimit::rule);
        if (telling.answer() instanceof Decided decided) {
            Decision decision = decided.decision();
            put(metadata, "decision_id", decision.id().toString());
            put(metadata, "policy_version", Long.toString(decision.policyVersion()));
            rule = decision.denyingRule().or(() -> telling.limit().flatMap(CurrentLimit::rule));
        } else if (telling.answer() instanceof Fallback fallback) {
            put(metadata, "fallback", fallback.mode().name());
            put(metadata, "fallback_id", fallback.id());
            put(metadata, "policy_version", Long.toString(fallback.policyVersion()));
            rule = fallback.rule();
        }
        rule.ifPresent(id -> put(metadata, "rule", id));
        List<Decision> decisions = decisions(answers);
        metadata.putFields(
                "shadow_would_deny",
                Value.newBuilder()
                        .setBoolValue(decisions.stream()
                                .anyMatch(decision -> !decision.shadowDenials().isEmpty()))
                        .build());
        ListValue.Builder ids = ListValue.newBuilder();
        decisions.forEach(decision ->
                ids.addValues(Value.newBuilder().setStringValue(decision.id().toString())));
        return metadata.putFields(
                        "decision_ids", Value.newBuilder().setListValue(ids).build())
                .build();
    }

    private static List<Decision> decisions(List<Answer> answers) {
        List<Decision> decisions = new ArrayList<>();
        for (Answer answer : answers) {
            decisions.addAll(answer.earlier());
            if (answer instanceof Decided decided) {
                decisions.add(decided.decision());
            }
        }
        return decisions;
    }

    private static void put(Struct.Builder metadata, String name, String text) {
        metadata.putFields(name, Value.newBuilder().setStringValue(text).build());
    }
}
