package io.headgate.gateway.client.feedback;

import java.util.List;
import java.util.Optional;

/**
 * An answer in the terms of HTTP.
 *
 * @param status 200 may pass, 429 over policy, 503 nobody could decide, 409 an idempotency key that stands for another
 *     request
 * @param fields header fields, in the order to send them; each name at most once
 * @param problem why it is not 200; empty if it is
 */
public record HttpAnswer(int status, List<HeaderField> fields, Optional<HttpProblem> problem) {

    public static final int OK = 200;
    public static final int CONFLICT = 409;
    public static final int TOO_MANY_REQUESTS = 429;
    public static final int SERVICE_UNAVAILABLE = 503;

    public HttpAnswer {
        fields = List.copyOf(fields);
        if (problem.isPresent() == (status == OK)) {
            throw new IllegalArgumentException(
                    "status is " + status + (problem.isPresent() ? " with" : " without") + " a problem");
        }
    }

    /** The value of a field. */
    public Optional<String> field(String name) {
        return fields.stream()
                .filter(field -> field.name().equalsIgnoreCase(name))
                .map(HeaderField::value)
                .findFirst();
    }
}
