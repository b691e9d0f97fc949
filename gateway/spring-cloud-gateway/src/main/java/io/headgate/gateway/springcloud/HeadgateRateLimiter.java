package io.headgate.gateway.springcloud;

import io.headgate.gateway.client.Answer;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.Limiter;
import io.headgate.gateway.client.feedback.Feedback;
import io.headgate.gateway.client.feedback.HeaderField;
import io.headgate.gateway.client.feedback.HttpAnswer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.gateway.filter.ratelimit.AbstractRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

/**
 * The limiter behind Spring Cloud Gateway's filter {@code RequestRateLimiter}. The key that the route's {@code KeyResolver}
 * finds is the tenant, so it must be one that the gateway has verified, such as the principal's name.
 *
 * <p>A denial is the filter's affair: 429 unless it says otherwise, with the header fields of the policy. Where nobody could
 * decide and the policy lets nothing pass, the exchange ends with {@link UndecidedException}, 503: never 429, and never open.
 */
public final class HeadgateRateLimiter extends AbstractRateLimiter<HeadgateRateLimiter.Config> {

    /** The name in the arguments of a route's filter, as in {@code headgate-rate-limiter.cost}. */
    public static final String CONFIGURATION_PROPERTY_NAME = "headgate-rate-limiter";

    private static final Logger LOG = LoggerFactory.getLogger(HeadgateRateLimiter.class);

    private final Limiter limiter;
    private final Feedback feedback;

    public HeadgateRateLimiter(Limiter limiter, Feedback feedback, ConfigurationService configurationService) {
        super(Config.class, CONFIGURATION_PROPERTY_NAME, configurationService);
        this.limiter = limiter;
        this.feedback = feedback;
    }

    /** What a route says. The filter sees no request, so it cannot come from one. */
    public static final class Config {

        private long cost = 1;
        private String route = "";

        /** How many requests one counts for, 0 to 10^12; 1 unless it is said. */
        public long getCost() {
            return cost;
        }

        public void setCost(long cost) {
            this.cost = cost;
        }

        /** The route group of the policy, or {@code METHOD /path}; the id of the gateway's route unless it is said. */
        public String getRoute() {
            return route;
        }

        public void setRoute(String route) {
            this.route = route;
        }
    }

    @Override
    public Mono<Response> isAllowed(String routeId, String key) {
        Ask ask;
        try {
            ask = ask(routeId, key);
        } catch (IllegalArgumentException uncountable) {
            return Mono.error(new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "the key of the request is missing, malformed or too long"));
        }
        // Whoever goes away does not take the answer along: what was asked is asked.
        return Mono.fromFuture(() -> limiter.admit(ask).exceptionally(HeadgateRateLimiter::failed), true)
                .flatMap(answer -> toResponse(ask, answer));
    }

    private Mono<Response> toResponse(Ask ask, Answer answer) {
        HttpAnswer told = feedback.toCaller(ask, answer);
        boolean decided = told.status() == HttpAnswer.OK || told.status() == HttpAnswer.TOO_MANY_REQUESTS;
        return decided
                ? Mono.just(new Response(told.status() == HttpAnswer.OK, headers(told)))
                : Mono.error(new UndecidedException(told));
    }

    private static Answer failed(Throwable bug) {
        LOG.atError().setCause(bug).log("asking failed; the request is refused as one that nobody could decide");
        return Unavailable.because(Cause.SEND_FAILED, "asking failed");
    }

    private Ask ask(String routeId, String key) {
        Config config = getConfig().getOrDefault(routeId, new Config());
        String route = config.getRoute().isBlank() ? routeId : config.getRoute();
        return Ask.of(Caller.unknown().withTenant(key), true, route).withCost(config.getCost());
    }

    private static Map<String, String> headers(HttpAnswer told) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (HeaderField field : told.fields()) {
            headers.put(field.name(), field.value());
        }
        return headers;
    }
}
