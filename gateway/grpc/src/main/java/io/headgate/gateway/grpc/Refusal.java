package io.headgate.gateway.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.headgate.gateway.client.feedback.HeaderField;
import io.headgate.gateway.client.feedback.HttpAnswer;
import io.headgate.gateway.client.feedback.HttpProblem;
import java.util.List;
import java.util.Optional;

/**
 * Why a call does not go on, in the terms of gRPC. What HTTP says with a status and fields, this says with a status, with
 * {@code google.rpc.RetryInfo} and {@code QuotaFailure} in the trailer {@code grpc-status-details-bin} (gRPC's richer error
 * model), and with {@code grpc-retry-pushback-ms} (gRFC A6).
 */
record Refusal(Status status, Metadata trailers) {

    static final Metadata.Key<String> PUSHBACK =
            Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);
    static final Metadata.Key<com.google.rpc.Status> DETAILS = Metadata.Key.of(
            "grpc-status-details-bin", ProtoUtils.metadataMarshaller(com.google.rpc.Status.getDefaultInstance()));

    private static final int MILLIS_PER_SECOND = 1_000;

    static Refusal of(HttpAnswer answer) {
        HttpProblem problem = answer.problem().orElseThrow();
        Status status = statusOf(answer.status()).withDescription(problem.detail());
        com.google.rpc.Status.Builder details = com.google.rpc.Status.newBuilder()
                .setCode(status.getCode().value())
                .setMessage(problem.detail());
        Metadata trailers = new Metadata();
        Optional<Long> seconds = answer.field(HeaderField.RETRY_AFTER).map(Long::valueOf);
        seconds.ifPresent(wait -> {
            details.addDetails(Any.pack(RetryInfo.newBuilder()
                    .setRetryDelay(Duration.newBuilder().setSeconds(wait))
                    .build()));
            trailers.put(PUSHBACK, Long.toString(Math.multiplyExact(wait, MILLIS_PER_SECOND)));
        });
        quota(problem).ifPresent(failure -> details.addDetails(Any.pack(failure)));
        trailers.put(DETAILS, details.build());
        return new Refusal(status, trailers);
    }

    private static Status statusOf(int http) {
        return switch (http) {
            case HttpAnswer.TOO_MANY_REQUESTS -> Status.RESOURCE_EXHAUSTED;
            case HttpAnswer.CONFLICT -> Status.FAILED_PRECONDITION;
            case HttpAnswer.SERVICE_UNAVAILABLE -> Status.UNAVAILABLE;
            default -> throw new IllegalArgumentException("status is " + http + ", which refuses nothing");
        };
    }

    /** The rules that were exceeded, where the caller may know them. */
    private static Optional<QuotaFailure> quota(HttpProblem problem) {
        if (!(problem.members().get("violated-policies") instanceof List<?> rules)) {
            return Optional.empty();
        }
        String scope = String.valueOf(problem.members().getOrDefault("scope", ""));
        QuotaFailure.Builder failure = QuotaFailure.newBuilder();
        rules.forEach(rule -> failure.addViolations(QuotaFailure.Violation.newBuilder()
                .setSubject(scope + ":" + rule)
                .setDescription(problem.detail())));
        return Optional.of(failure.build());
    }
}
