package io.headgate.gateway.servlet;

import io.headgate.gateway.client.Ask;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** What a request asks the limiter. Called on the thread of the request, so it must be quick. */
@FunctionalInterface
public interface RequestAsk {

    /**
     * The question, or nothing if the request is to pass without one.
     *
     * @throws IllegalArgumentException if the request cannot be counted as it is; it is answered 400 then
     */
    Optional<Ask> of(HttpServletRequest request);
}
