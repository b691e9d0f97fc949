package io.headgate.gateway.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import io.headgate.gateway.client.feedback.HttpProblem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * An answer that is not 200, as {@code application/problem+json} (RFC 9457).
 *
 * @param status the status
 * @param body the problem's members
 */
record Problem(HttpStatus status, ObjectNode body) {

    static final MediaType CONTENT_TYPE = MediaType.parse(HttpProblem.MEDIA_TYPE);

    /** A problem that its status says all about. */
    static Problem plain(HttpStatus status, String detail) {
        return of(status, new HttpProblem(HttpProblem.BLANK, status.reasonPhrase(), detail, Map.of()));
    }

    static Problem of(HttpStatus status, HttpProblem problem) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        write(problem, status.code(), body);
        return new Problem(status, body);
    }

    /** Writes a problem into a body. */
    static void write(HttpProblem problem, int status, ObjectNode body) {
        body.put("type", problem.type())
                .put("title", problem.title())
                .put("status", status)
                .put("detail", problem.detail());
        problem.members().forEach((name, value) -> body.set(name, node(value)));
    }

    private static JsonNode node(Object value) {
        if (value instanceof Boolean flag) {
            return BooleanNode.valueOf(flag);
        }
        if (value instanceof Long number) {
            return LongNode.valueOf(number);
        }
        if (value instanceof List<?> list) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            list.forEach(element -> array.add(node(element)));
            return array;
        }
        return TextNode.valueOf((String) value);
    }

    AggregatedHttpResponse toResponse() {
        return AggregatedHttpResponse.of(headers().build(), content());
    }

    /** The response, with the methods that would do. */
    AggregatedHttpResponse toResponse(String allow) {
        return AggregatedHttpResponse.of(
                headers().set(HttpHeaderNames.ALLOW, allow).build(), content());
    }

    /** The response, with the seconds after which to come back. */
    AggregatedHttpResponse toResponse(long retryAfterSeconds) {
        return AggregatedHttpResponse.of(
                headers()
                        .setLong(HttpHeaderNames.RETRY_AFTER, retryAfterSeconds)
                        .build(),
                content());
    }

    /** The response with these headers. */
    AggregatedHttpResponse toResponse(ResponseHeadersBuilder headers) {
        return AggregatedHttpResponse.of(headers.contentType(CONTENT_TYPE).build(), content());
    }

    private ResponseHeadersBuilder headers() {
        return ResponseHeaders.builder(status).contentType(CONTENT_TYPE);
    }

    private HttpData content() {
        return HttpData.wrap(body.toString().getBytes(StandardCharsets.UTF_8));
    }
}
