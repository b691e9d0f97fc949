package io.headgate.gateway.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** {@code POST /v1/check}: asks the limiter, once or several times side by side. No thread waits for the answers. */
final class CheckService implements HttpService {

    static final String PATH = "/v1/check";

    /** The longest body, in bytes. */
    static final int MAX_BODY_LENGTH = 64 * 1024;

    private final Limiter limiter;
    private final Feedback feedback;
    private final BodyDeadline bodyDeadline;
    private final Set<String> trustedAttributes;

    CheckService(Limiter limiter, Feedback feedback, BodyDeadline bodyDeadline, Set<String> trustedAttributes) {
        this.limiter = limiter;
        this.feedback = feedback;
        this.bodyDeadline = bodyDeadline;
        this.trustedAttributes = trustedAttributes;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.POST) {
            return Problem.plain(HttpStatus.METHOD_NOT_ALLOWED, PATH + " takes POST")
                    .toResponse("POST")
                    .toHttpResponse();
        }
        if (!isJson(request.contentType())) {
            return Problem.plain(HttpStatus.UNSUPPORTED_MEDIA_TYPE, PATH + " takes application/json in UTF-8")
                    .toResponse()
                    .toHttpResponse();
        }
        return HttpResponse.of(bodyDeadline
                .whole(ctx, request)
                .thenCompose(this::answer)
                .thenApply(AggregatedHttpResponse::toHttpResponse));
    }

    /** What a body that is too long gets, whenever that is noticed. */
    static Problem tooLong() {
        return badRequest("", "the body is longer than " + MAX_BODY_LENGTH + " bytes");
    }

    private CompletableFuture<AggregatedHttpResponse> answer(AggregatedHttpRequest request) {
        CheckBody body;
        try {
            body = CheckBody.parse(
                    request.content().array(), request.headers().getAll(CheckRequest.KEY_HEADER), trustedAttributes);
        } catch (BadRequestException wrong) {
            return CompletableFuture.completedFuture(
                    badRequest(wrong.field(), wrong.getMessage()).toResponse());
        }
        if (!body.many()) {
            return answer(body.checks().get(0)).thenApply(CheckAnswer::toResponse);
        }
        List<CompletableFuture<CheckAnswer>> answers =
                body.checks().stream().map(this::answer).toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .thenApply(all ->
                        several(answers.stream().map(CompletableFuture::join).toList()));
    }

    private CompletableFuture<CheckAnswer> answer(CheckRequest check) {
        Ask ask = check.ask();
        CompletableFuture<Answer> answer = check.peek() ? limiter.peek(ask) : limiter.admit(ask);
        return answer.thenApply(given -> CheckAnswer.of(feedback.toAsker(ask, given), given, ask.explain()));
    }

    private static AggregatedHttpResponse several(List<CheckAnswer> answers) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode list = body.putArray("answers");
        answers.forEach(answer -> list.add(answer.toElement()));
        return AggregatedHttpResponse.of(HttpStatus.OK, MediaType.JSON, body.toString());
    }

    private static Problem badRequest(String field, String detail) {
        Problem problem = Problem.plain(HttpStatus.BAD_REQUEST, detail);
        if (!field.isEmpty()) {
            problem.body().put("field", field);
        }
        return problem;
    }

    private static boolean isJson(MediaType type) {
        if (type == null || !type.belongsTo(MediaType.JSON.withoutParameters())) {
            return false;
        }
        Charset charset = type.charset();
        return charset == null || charset.equals(StandardCharsets.UTF_8);
    }
}
