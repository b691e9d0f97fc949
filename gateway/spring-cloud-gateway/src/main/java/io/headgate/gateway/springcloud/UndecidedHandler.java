package io.headgate.gateway.springcloud;

import io.headgate.gateway.client.feedback.HttpAnswer;
import io.headgate.gateway.client.feedback.HttpProblem;
import java.nio.charset.StandardCharsets;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** Answers what nobody could decide with its header fields and its problem, before Boot's own page for errors. */
final class UndecidedHandler implements WebExceptionHandler, Ordered {

    /** Boot's handler has -1. */
    private static final int BEFORE_BOOT = -2;

    @Override
    public int getOrder() {
        return BEFORE_BOOT;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        ServerHttpResponse response = exchange.getResponse();
        if (!(failure instanceof UndecidedException undecided) || response.isCommitted()) {
            return Mono.error(failure);
        }
        HttpAnswer answer = undecided.answer();
        byte[] body = answer.problem().orElseThrow().toJson(answer.status()).getBytes(StandardCharsets.UTF_8);
        response.setStatusCode(undecided.getStatusCode());
        answer.fields().forEach(field -> response.getHeaders().set(field.name(), field.value()));
        response.getHeaders().set(HttpHeaders.CONTENT_TYPE, HttpProblem.MEDIA_TYPE);
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
    }
}
