package io.headgate.gateway.server;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.function.Supplier;

/** Something to read: 200 and a text for GET, whoever asks. */
final class TextService implements HttpService {

    private final String path;
    private final MediaType type;
    private final Supplier<String> text;

    /**
     * Makes one.
     *
     * @param path where it is, for messages
     * @param text read for each request
     */
    TextService(String path, MediaType type, Supplier<String> text) {
        this.path = path;
        this.type = type;
        this.text = text;
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
            return Problem.plain(HttpStatus.METHOD_NOT_ALLOWED, path + " takes GET")
                    .toResponse("GET, HEAD")
                    .toHttpResponse();
        }
        return AggregatedHttpResponse.of(HttpStatus.OK, type, text.get()).toHttpResponse();
    }
}
