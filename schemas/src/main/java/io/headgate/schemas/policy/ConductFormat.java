package io.headgate.schemas.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Conduct;
import io.headgate.core.policy.FailMode;
import io.headgate.core.policy.Responses;
import io.headgate.core.policy.StaleSnapshot;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/** {@code responses} and {@code staleSnapshot}: what gateways tell callers, and what they do under an old policy. */
final class ConductFormat {

    private static final String RESPONSES = "responses";
    private static final String JITTER = "retryJitter";
    private static final String DENY_CACHE = "denyCache";
    private static final String STALE = "staleSnapshot";
    private static final String AFTER = "after";

    private static final Map<String, Responses.Header> HEADERS =
            Labels.of(Responses.Header.values(), Responses.Header::label);
    private static final Map<String, Responses.Audience> AUDIENCES =
            Labels.of(Responses.Audience.values(), Responses.Audience::label);
    private static final Map<String, StaleSnapshot.Action> ACTIONS =
            Labels.of(StaleSnapshot.Action.values(), StaleSnapshot.Action::label);

    private ConductFormat() {}

    /** Reads both of a document's {@code spec}. */
    static Conduct read(Section spec, SortedMap<String, FailMode> failModes, SortedMap<String, Limit> exempt) {
        return new Conduct(
                failModes,
                exempt,
                spec.section(RESPONSES).map(ConductFormat::readResponses).orElse(Responses.DEFAULT),
                spec.section(STALE).map(ConductFormat::readStale).orElse(StaleSnapshot.DEFAULT));
    }

    /**
     * Writes out the numbers that a section leaves to a default. A section that is not there stays away: that documents
     * without one keep their hash is worth more.
     */
    static void writeDefaults(ObjectNode spec) {
        if (spec.get(RESPONSES) instanceof ObjectNode responses && !responses.has(JITTER)) {
            responses.put(JITTER, Percentages.format(Responses.DEFAULT.retryJitterPercent(), 0));
        }
        if (spec.get(STALE) instanceof ObjectNode stale && !stale.has(AFTER)) {
            stale.put(AFTER, Durations.format(StaleSnapshot.DEFAULT.afterMillis()));
        }
    }

    private static Responses readResponses(Section section) {
        Optional<List<String>> headers = section.texts("headers", "one of " + HEADERS.keySet(), HEADERS::containsKey);
        Optional<Responses.Audience> audience = section.choice("advertiseTo", AUDIENCES, Map.of());
        Optional<Integer> jitter = section.percent(JITTER, 0, 0, Responses.MOST_JITTER_PERCENT);
        Optional<Long> denyCache = section.durationMillis(DENY_CACHE, 1, Responses.MOST_DENY_CACHE_MILLIS);
        section.close();
        Set<Responses.Header> carried = EnumSet.noneOf(Responses.Header.class);
        headers.ifPresentOrElse(
                labels -> labels.forEach(label -> carried.add(HEADERS.get(label))),
                () -> carried.addAll(Responses.DEFAULT.headers()));
        return new Responses(
                carried,
                audience.orElse(Responses.DEFAULT.advertiseTo()),
                jitter.orElse(Responses.DEFAULT.retryJitterPercent()),
                denyCache.orElse(Responses.DEFAULT.denyCacheMillis()));
    }

    private static StaleSnapshot readStale(Section section) {
        Optional<Long> after =
                section.durationMillis(AFTER, StaleSnapshot.LEAST_AFTER_MILLIS, StaleSnapshot.MOST_AFTER_MILLIS);
        Optional<StaleSnapshot.Action> action = section.choice("action", ACTIONS, Map.of());
        section.close();
        return new StaleSnapshot(
                after.orElse(StaleSnapshot.DEFAULT.afterMillis()), action.orElse(StaleSnapshot.DEFAULT.action()));
    }
}
