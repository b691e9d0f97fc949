package io.headgate.gateway.springcloud;

import io.headgate.gateway.client.feedback.HttpAnswer;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** Nobody could decide whether a request may pass, and the policy lets none pass then. Over HTTP 503. */
public final class UndecidedException extends ResponseStatusException {

    private static final long serialVersionUID = 1L;

    private final transient HttpAnswer answer;

    UndecidedException(HttpAnswer answer) {
        super(
                HttpStatus.valueOf(answer.status()),
                answer.problem().orElseThrow().detail());
        this.answer = answer;
    }

    HttpAnswer answer() {
        return answer;
    }
}
