package io.headgate.schemas.policy;

import io.headgate.core.limit.Limit;
import io.headgate.core.policy.FailMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** {@code failMode} of a rule or an endpoint: what becomes of a request that nobody could decide. */
final class FailModeFormat {

    private static final String CLOSED = "closed";
    private static final String OPEN = "open";
    private static final String LOCAL_BOUNDED = "local-bounded";
    private static final String ENDPOINT = "endpoint";

    private static final Map<String, String> OF_RULES = Labels.of(List.of(CLOSED, OPEN, LOCAL_BOUNDED, ENDPOINT));
    private static final Map<String, String> OF_ENDPOINTS = Labels.of(List.of(CLOSED, OPEN, LOCAL_BOUNDED));

    private static final String FIELD = "failMode";
    private static final String RETRY_AFTER = "retryAfter";
    private static final String PER_GATEWAY = "perGateway";
    private static final String GATEWAYS = "expectedGateways";

    private FailModeFormat() {}

    /**
     * Reads that of a rule.
     *
     * @param algorithm the rule's, if it could be read
     */
    static Optional<FailMode> ofRule(Section rule, Optional<String> algorithm) {
        return rule.section(FIELD).flatMap(section -> {
            Optional<String> mode = section.requiredChoice("mode", OF_RULES, Map.of());
            Optional<FailMode> read = mode.flatMap(chosen -> switch (chosen) {
                case CLOSED -> Optional.of(closed(section));
                case OPEN -> Optional.of(new FailMode.Open());
                case LOCAL_BOUNDED -> localBounded(section, algorithm);
                default -> Optional.of(new FailMode.OfEndpoint());
            });
            close(section, mode, true);
            return read;
        });
    }

    /** Reads that of an endpoint. */
    static Optional<FailMode> ofEndpoint(Section endpoint) {
        return endpoint.section(FIELD).flatMap(section -> {
            Optional<String> mode = section.requiredChoice("mode", OF_ENDPOINTS, Map.of());
            Optional<FailMode> read = mode.map(chosen -> switch (chosen) {
                case CLOSED -> closed(section);
                case OPEN -> new FailMode.Open();
                default -> new FailMode.OfRules();
            });
            close(section, mode, false);
            return read;
        });
    }

    private static FailMode closed(Section section) {
        Optional<Long> retryAfter = section.durationMillis(
                RETRY_AFTER, FailMode.LEAST_RETRY_AFTER_MILLIS, FailMode.MOST_RETRY_AFTER_MILLIS);
        return new FailMode.Closed(retryAfter.map(OptionalLong::of).orElseGet(OptionalLong::empty));
    }

    private static Optional<FailMode> localBounded(Section section, Optional<String> algorithm) {
        Optional<Limit> perGateway = LimitFormat.ofGateway(section, PER_GATEWAY, algorithm);
        Optional<Long> gateways = section.requiredInteger(GATEWAYS, 1, FailMode.MOST_GATEWAYS);
        return perGateway.flatMap(
                limit -> gateways.map(count -> new FailMode.LocalBounded(limit, Math.toIntExact(count))));
    }

    /** Says of a field of another mode whose it is. */
    private static void close(Section section, Optional<String> mode, boolean ofRule) {
        if (mode.isEmpty()) {
            List.of(RETRY_AFTER, PER_GATEWAY, GATEWAYS).forEach(section::has); // whichever the mode was to be
        }
        mode.filter(chosen -> !chosen.equals(CLOSED))
                .ifPresent(chosen -> section.onlyFor(RETRY_AFTER, "fail mode closed", chosen));
        String bounded = ofRule ? "fail mode local-bounded" : "fail mode local-bounded of a rule";
        mode.filter(chosen -> !ofRule || !chosen.equals(LOCAL_BOUNDED)).ifPresent(chosen -> {
            section.onlyFor(PER_GATEWAY, bounded, chosen + (ofRule ? "" : " of an endpoint"));
            section.onlyFor(GATEWAYS, bounded, chosen + (ofRule ? "" : " of an endpoint"));
        });
        section.close();
    }
}
