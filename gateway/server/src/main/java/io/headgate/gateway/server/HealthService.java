package io.headgate.gateway.server;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.function.BooleanSupplier;

/** One question about the process: 200 for yes, 503 for no. */
final class HealthService implements HttpService {

    static final String LIVE = "/healthz/live";
    static final String READY = "/healthz/ready";

    private final String word;
    private final BooleanSupplier question;

    /**
     * Makes a service.
     *
     * @param word what the process is when the answer is yes
     * @param question answered for each request
     */
    HealthService(String word, BooleanSupplier question) {
        this.word = word;
        this.question = question;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
            return Problem.plain(HttpStatus.METHOD_NOT_ALLOWED, "health is asked for with GET")
                    .toResponse("GET, HEAD")
                    .toHttpResponse();
        }
        boolean yes = question.getAsBoolean();
        return HttpResponse.of(
                yes ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE,
                MediaType.JSON,
                "{\"status\":\"" + (yes ? "" : "not ") + word + "\"}");
    }
}
