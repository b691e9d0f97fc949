package io.headgate.gateway.server;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Fallback;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.client.feedback.HttpAnswer;
import io.headgate.gateway.server.identity.Identification;
import io.headgate.gateway.server.identity.IdentitySettings;
import io.headgate.gateway.server.identity.RefusedException;
import io.headgate.gateway.server.identity.Requester;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * {@code /v1/auth}, with any method: a proxy asks whether a request that came to it may pass, and gives what this answers to
 * its client if it is not 2xx. No thread waits for the answer.
 *
 * <p>The request that is asked about stands in headers, or behind {@value #PATH} in the path and in the method. With {@value
 * #DENY} for a status, whatever is not 2xx or 401 has that status, and its own in {@value #STATUS}: some proxies know no other.
 */
final class ForwardAuthService implements HttpService {

    static final String PATH = "/v1/auth";

    /** Asks for another status than 429 or 503. */
    static final String DENY = "deny";

    /** What the status would have been. */
    static final String STATUS = "X-RateLimit-Status";

    /** Where the decision stands in the log; with an answer that goes to the proxy alone. */
    static final String DECISION_ID = "Headgate-Decision-Id";

    /** The version that it was made under. */
    static final String POLICY_VERSION = "Headgate-Policy-Version";

    /** Under which fail mode a request passes that nobody decided. */
    static final String FALLBACK = "Headgate-Fallback";

    private static final String DENY_403 = "403";
    private static final String CHALLENGE = "Bearer";
    private static final String CHALLENGE_AGAIN = "Bearer error=\"invalid_token\"";

    private final Limiter limiter;
    private final Feedback feedback;
    private final Identification identification;
    private final ForwardedRequest.Reader requests;
    private final Map<RefusedException.Reason, Counter> refusals = new EnumMap<>(RefusedException.Reason.class);

    ForwardAuthService(
            Limiter limiter,
            Feedback feedback,
            Identification identification,
            IdentitySettings settings,
            MeterRegistry registry) {
        this.limiter = limiter;
        this.feedback = feedback;
        this.identification = identification;
        this.requests = new ForwardedRequest.Reader(settings);
        for (RefusedException.Reason reason : RefusedException.Reason.values()) {
            refusals.put(
                    reason,
                    Counter.builder("ratelimit.gateway.identity.refusals")
                            .description("Requests whose sender was not believed, or could not be made out")
                            .tag("reason", reason.label())
                            .register(registry));
        }
    }

    @Override
    public HttpResponse serve(ServiceRequestContext ctx, HttpRequest request) {
        boolean inPath = !ctx.path().equals(PATH);
        String deny = inPath ? null : QueryParams.fromQueryString(ctx.query()).get(DENY);
        if (deny != null && !deny.equals(DENY_403)) {
            return Problem.plain(HttpStatus.BAD_REQUEST, DENY + " must be " + DENY_403 + ", or left out")
                    .toResponse()
                    .toHttpResponse();
        }
        InetAddress peer = ctx.remoteAddress().getAddress();
        CompletableFuture<AggregatedHttpResponse> response = answer(request.headers(), peer, inPath)
                .exceptionally(this::refusal)
                .thenApply(given -> deny == null ? given : denied(given));
        return HttpResponse.of(response.thenApply(AggregatedHttpResponse::toHttpResponse));
    }

    private CompletableFuture<AggregatedHttpResponse> answer(RequestHeaders headers, InetAddress peer, boolean inPath) {
        ForwardedRequest about;
        try {
            if (!identification.isPeer(peer)) {
                throw RefusedException.stranger(
                        "only proxies in the setting " + IdentitySettings.PROXY_PEERS + " may ask here");
            }
            about = inPath ? requests.behind(PATH, headers) : requests.in(headers);
        } catch (RefusedException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        return identification.of(headers, peer).thenCompose(requester -> answer(requester, about));
    }

    private CompletableFuture<AggregatedHttpResponse> answer(Requester requester, ForwardedRequest about) {
        Ask ask = Ask.of(requester.caller(), requester.authenticated(), about.route())
                .withIdempotencyKey(about.id());
        return limiter.admit(ask).thenApply(answer -> toResponse(feedback.toCaller(ask, answer), answer));
    }

    private static AggregatedHttpResponse toResponse(HttpAnswer http, Answer answer) {
        ResponseHeadersBuilder headers = ResponseHeaders.builder(http.status());
        http.fields().forEach(field -> headers.set(field.name(), field.value()));
        if (http.problem().isPresent()) {
            Problem problem =
                    Problem.of(HttpStatus.valueOf(http.status()), http.problem().get());
            return problem.toResponse(headers);
        }
        if (answer instanceof Decided decided) {
            headers.set(DECISION_ID, decided.decision().id().toString());
            headers.setLong(POLICY_VERSION, decided.decision().policyVersion());
        } else if (answer instanceof Fallback fallback) {
            headers.set(FALLBACK, fallback.mode().name());
            headers.setLong(POLICY_VERSION, fallback.policyVersion());
        }
        return AggregatedHttpResponse.of(headers.build());
    }

    private AggregatedHttpResponse refusal(Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        if (!(cause instanceof RefusedException refused)) {
            return Exceptions.throwUnsafely(cause);
        }
        refusals.get(refused.reason()).increment();
        ResponseHeadersBuilder headers = ResponseHeaders.builder(refused.status());
        if (refused.status() == HttpStatus.UNAUTHORIZED.code()) {
            boolean none = refused.reason() == RefusedException.Reason.ANONYMOUS;
            headers.set(HttpHeaderNames.WWW_AUTHENTICATE, none ? CHALLENGE : CHALLENGE_AGAIN);
        }
        return Problem.plain(HttpStatus.valueOf(refused.status()), refused.getMessage())
                .toResponse(headers);
    }

    /** The same answer for a proxy to which 2xx, 401 and 403 alone are answers. */
    private static AggregatedHttpResponse denied(AggregatedHttpResponse given) {
        int status = given.status().code();
        if (given.status().isSuccess() || given.status().equals(HttpStatus.UNAUTHORIZED)) {
            return given;
        }
        ResponseHeaders headers = given.headers().toBuilder()
                .status(HttpStatus.FORBIDDEN)
                .setInt(STATUS, status)
                .build();
        return AggregatedHttpResponse.of(
                headers, HttpData.copyOf(given.content().array()));
    }
}
