package io.headgate.core.policy;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How gateways conduct themselves around the decisions. None of it changes what a shard decides.
 *
 * @param failModes by route group, what becomes of a request to it that nobody could decide; closed for a group that is
 *     not here
 * @param responses what callers are told
 * @param staleSnapshot what happens when the policy may be old
 */
public record Conduct(SortedMap<String, FailMode> failModes, Responses responses, StaleSnapshot staleSnapshot) {

    /** Of a policy that says nothing. */
    public static final Conduct DEFAULT =
            new Conduct(Collections.emptySortedMap(), Responses.DEFAULT, StaleSnapshot.DEFAULT);

    public Conduct {
        failModes = Collections.unmodifiableSortedMap(new TreeMap<>(failModes));
        Objects.requireNonNull(responses);
        Objects.requireNonNull(staleSnapshot);
        for (Map.Entry<String, FailMode> one : failModes.entrySet()) {
            FailMode mode = one.getValue();
            if (mode instanceof FailMode.LocalBounded || mode instanceof FailMode.OfEndpoint) {
                throw new IllegalArgumentException("failMode of endpoint " + one.getKey() + " is one of a rule");
            }
        }
    }
}
