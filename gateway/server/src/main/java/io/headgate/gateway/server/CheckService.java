package io.headgate.gateway.server;

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
import io.headgate.gateway.client.Limiter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** {@code POST /v1/check}: asks the limiter. No thread waits for the answer. */
final class CheckService implements HttpService {

    static final String PATH = "/v1/check";

    /** The longest body, in bytes. */
    static final int MAX_BODY_LENGTH = 64 * 1024;

    private final Limiter limiter;
    private final Set<String> trustedAttributes;
    private final int unavailableRetryAfterSeconds;

    CheckService(Limiter limiter, ServerSettings settings) {
        this.limiter = limiter;
        this.trustedAttributes = settings.trustedAttributes();
        this.unavailableRetryAfterSeconds = settings.unavailableRetryAfterSeconds();
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
        return HttpResponse.of(
                request.aggregate().thenCompose(this::answer).thenApply(AggregatedHttpResponse::toHttpResponse));
    }

    /** What a body that is too long gets, whenever that is noticed. */
    static Problem tooLong() {
        return badRequest("", "the body is longer than " + MAX_BODY_LENGTH + " bytes");
    }

    private CompletableFuture<AggregatedHttpResponse> answer(AggregatedHttpRequest request) {
        CheckRequest check;
        try {
            check = CheckRequest.parse(
                    request.content().array(), request.headers().getAll(CheckRequest.KEY_HEADER), trustedAttributes);
        } catch (BadRequestException wrong) {
            return CompletableFuture.completedFuture(
                    badRequest(wrong.field(), wrong.getMessage()).toResponse());
        }
        CompletableFuture<Answer> answer = check.peek() ? limiter.peek(check.ask()) : limiter.admit(check.ask());
        return answer.thenApply(given -> CheckAnswer.of(given, check.ask().explain(), unavailableRetryAfterSeconds));
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
