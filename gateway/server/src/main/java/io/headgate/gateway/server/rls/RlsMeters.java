package io.headgate.gateway.server.rls;

import io.grpc.Status;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Counts the requests in Envoy's protocol, and what in them went another way than whoever sent them may think. */
final class RlsMeters {

    /** What becomes of a request. */
    enum Outcome {
        OK,
        OVER_LIMIT,
        UNAVAILABLE,
        INVALID,
        UNIMPLEMENTED,
        FAILED;

        static Outcome of(Status status) {
            return switch (status.getCode()) {
                case UNAVAILABLE -> UNAVAILABLE;
                case INVALID_ARGUMENT -> INVALID;
                case UNIMPLEMENTED -> UNIMPLEMENTED;
                default -> FAILED;
            };
        }
    }

    private final Map<Outcome, Counter> requests = new EnumMap<>(Outcome.class);
    private final Counter unknownDomains;
    private final Counter overridesIgnored;
    private final Counter leftCharged;

    RlsMeters(MeterRegistry registry) {
        for (Outcome outcome : Outcome.values()) {
            requests.put(
                    outcome,
                    Counter.builder("ratelimit.rls.requests")
                            .description("Requests in Envoy's protocol, by what became of them")
                            .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        unknownDomains = Counter.builder("ratelimit.rls.unknown.domains")
                .description("Requests whose domain no route is of, and of which no rule spoke; they pass")
                .register(registry);
        overridesIgnored = Counter.builder("ratelimit.rls.overrides.ignored")
                .description("Descriptors that brought a limit along, which no policy allows them")
                .register(registry);
        leftCharged = Counter.builder("ratelimit.rls.left.charged")
                .description("Descriptors that stay charged although another one's denial refused their request")
                .register(registry);
    }

    void answered(Outcome outcome) {
        requests.get(outcome).increment();
    }

    void unknownDomain() {
        unknownDomains.increment();
    }

    void overrideIgnored() {
        overridesIgnored.increment();
    }

    void leftCharged() {
        leftCharged.increment();
    }
}
