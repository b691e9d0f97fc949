package io.headgate.gateway.client.feedback;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Why an answer is not 2xx, for {@code application/problem+json} (RFC 9457).
 *
 * @param type a URI that names the kind
 * @param title the kind in words
 * @param detail this one in words; holds no identifier of a caller
 * @param members further members, in order: each a String, a Long, a Boolean or a List of them
 */
public record HttpProblem(String type, String title, String detail, Map<String, Object> members) {

    /** The media type that it is sent as. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /** Says no more than the status does. */
    public static final String BLANK = "about:blank";

    /** A rule denied (draft-ietf-httpapi-ratelimit-headers, problem type registry). */
    public static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";

    public static final String DENIED_BY_OPERATOR = "urn:headgate:problems:denied-by-operator";
    public static final String IDEMPOTENCY_CONFLICT = "urn:headgate:problems:idempotency-conflict";
    public static final String LIMITER_UNAVAILABLE = "urn:headgate:problems:limiter-unavailable";

    public HttpProblem {
        members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /** The document to send, under a status. */
    public String toJson(int status) {
        return ProblemJson.of(this, status);
    }
}
