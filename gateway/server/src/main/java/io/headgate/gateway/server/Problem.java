package io.headgate.gateway.server;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import java.nio.charset.StandardCharsets;

/**
 * An answer that is not 200, as {@code application/problem+json} (RFC 9457).
 *
 * @param status the status
 * @param body the problem's members
 * @param retryAfterSeconds value of Retry-After; 0 for none
 */
record Problem(HttpStatus status, ObjectNode body, long retryAfterSeconds) {

    static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";
    static final String DENIED_BY_OPERATOR = "urn:headgate:problems:denied-by-operator";
    static final String IDEMPOTENCY_CONFLICT = "urn:headgate:problems:idempotency-conflict";
    static final String LIMITER_UNAVAILABLE = "urn:headgate:problems:limiter-unavailable";

    private static final MediaType CONTENT_TYPE = MediaType.create("application", "problem+json");

    /** A problem that its status says all about. */
    static Problem plain(HttpStatus status, String detail) {
        return typed(status, "about:blank", status.reasonPhrase(), detail);
    }

    static Problem typed(HttpStatus status, String type, String title, String detail) {
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("type", type)
                .put("title", title)
                .put("status", status.code())
                .put("detail", detail);
        return new Problem(status, body, 0);
    }

    Problem retryAfter(long seconds) {
        return new Problem(status, body, seconds);
    }

    AggregatedHttpResponse toResponse() {
        return AggregatedHttpResponse.of(headers().build(), content());
    }

    /** The response, with the methods that would do. */
    AggregatedHttpResponse toResponse(String allow) {
        return AggregatedHttpResponse.of(
                headers().set(HttpHeaderNames.ALLOW, allow).build(), content());
    }

    private ResponseHeadersBuilder headers() {
        ResponseHeadersBuilder headers = ResponseHeaders.builder(status).contentType(CONTENT_TYPE);
        if (retryAfterSeconds > 0) {
            headers.setLong(HttpHeaderNames.RETRY_AFTER, retryAfterSeconds);
        }
        return headers;
    }

    private HttpData content() {
        return HttpData.wrap(body.toString().getBytes(StandardCharsets.UTF_8));
    }
}
