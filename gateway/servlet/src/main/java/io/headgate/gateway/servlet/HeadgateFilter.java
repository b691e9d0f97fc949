package io.headgate.gateway.servlet;

import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.client.feedback.HttpAnswer;
import io.headgate.gateway.client.feedback.HttpProblem;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the limiter before a request goes on. No thread waits for the answer: where it is not there at once, the request is put
 * aside, and dispatched again when the answer is.
 *
 * <p>Register it for the dispatcher types {@code REQUEST} and {@code ASYNC} with async supported, <b>as the last filter</b>:
 * behind those that authenticate, because it counts by what they found; and with none behind it that is registered for {@code
 * REQUEST} alone, because the second dispatch would pass that one by. A request is asked about once, whatever it is dispatched
 * to later.
 */
public final class HeadgateFilter implements Filter {

    private static final Logger LOG = LoggerFactory.getLogger(HeadgateFilter.class);
    private static final int BAD_REQUEST = 400;

    /** What stands in a request while it is asked about, and then for good. */
    private static final String STATE = HeadgateFilter.class.getName() + ".state";

    private static final HttpProblem UNCOUNTABLE = new HttpProblem(
            HttpProblem.BLANK,
            "Bad Request",
            "The request cannot be counted: who asks or what for is missing, malformed or too long.",
            Map.of());

    private final Limiter limiter;
    private final RequestAsk asks;
    private final Feedback feedback;

    public HeadgateFilter(Limiter limiter, RequestAsk asks, Feedback feedback) {
        this.limiter = limiter;
        this.asks = asks;
        this.feedback = feedback;
    }

    /** A question, and its answer when it is there. */
    private record Asked(Ask ask, CompletableFuture<Answer> answer) {}

    /** The request has been seen; it goes wherever it is dispatched to. */
    private enum Seen {
        SEEN
    }

    @Override
    public void doFilter(ServletRequest anyRequest, ServletResponse anyResponse, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest request = (HttpServletRequest) anyRequest;
        HttpServletResponse response = (HttpServletResponse) anyResponse;
        Object state = request.getAttribute(STATE);
        if (state instanceof Asked asked && request.getDispatcherType() == DispatcherType.ASYNC) {
            goOn(asked, request, response, chain);
        } else if (state == null && request.getDispatcherType() == DispatcherType.REQUEST) {
            ask(request, response, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void ask(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Optional<Ask> ask;
        try {
            ask = asks.of(request);
        } catch (IllegalArgumentException uncountable) {
            request.setAttribute(STATE, Seen.SEEN);
            write(response, BAD_REQUEST, UNCOUNTABLE);
            return;
        }
        if (ask.isEmpty()) {
            request.setAttribute(STATE, Seen.SEEN);
            chain.doFilter(request, response);
            return;
        }
        if (!request.isAsyncSupported()) {
            throw new ServletException(
                    "the filter " + HeadgateFilter.class.getName()
                            + ", a filter before it or the servlet is registered without async support; set it for all of them");
        }
        Asked asked = new Asked(ask.get(), limiter.admit(ask.get()).exceptionally(HeadgateFilter::failed));
        if (asked.answer().isDone()) {
            goOn(asked, request, response, chain);
            return;
        }
        request.setAttribute(STATE, asked);
        AsyncContext aside = request.startAsync(request, response);
        // The limiter answers by the deadline of the question; the container need not watch it.
        aside.setTimeout(0);
        var unused = asked.answer().thenRun(aside::dispatch);
    }

    private void goOn(Asked asked, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        request.setAttribute(STATE, Seen.SEEN);
        Answer answer = asked.answer().join();
        HttpAnswer told = feedback.toCaller(asked.ask(), answer);
        told.fields().forEach(field -> response.setHeader(field.name(), field.value()));
        if (told.problem().isEmpty()) {
            chain.doFilter(request, response);
        } else {
            write(response, told.status(), told.problem().get());
        }
    }

    private static Answer failed(Throwable bug) {
        LOG.atError().setCause(bug).log("asking failed; the request is refused as one that nobody could decide");
        return Unavailable.because(Cause.SEND_FAILED, "asking failed");
    }

    private static void write(HttpServletResponse response, int status, HttpProblem problem) throws IOException {
        byte[] body = problem.toJson(status).getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType(HttpProblem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
