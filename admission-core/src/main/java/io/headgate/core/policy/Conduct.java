package io.headgate.core.policy;

import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
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
 * @param exempt by route group, what a gateway admits of requests to it without asking anybody: a cap of each gateway for
 *     the whole group. A group that is here has no fail mode
 * @param responses what callers are told
 * @param staleSnapshot what happens when the policy may be old
 */
public record Conduct(
        SortedMap<String, FailMode> failModes,
        SortedMap<String, Limit> exempt,
        Responses responses,
        StaleSnapshot staleSnapshot) {

    /** Of a policy that says nothing. */
    public static final Conduct DEFAULT =
            new Conduct(Collections.emptySortedMap(), Responses.DEFAULT, StaleSnapshot.DEFAULT);

    public Conduct {
        failModes = Collections.unmodifiableSortedMap(new TreeMap<>(failModes));
        exempt = Collections.unmodifiableSortedMap(new TreeMap<>(exempt));
        Objects.requireNonNull(responses);
        for (String group : exempt.keySet()) {
            if (failModes.containsKey(group)) {
                throw new IllegalArgumentException(
                        "endpoint " + group + " is exempt and has a fail mode; nobody is asked about it");
            }
            if (exempt.get(group) instanceof Unlimited) {
                throw new IllegalArgumentException("endpoint " + group + " is exempt without a cap; it must have one");
            }
        }
        Objects.requireNonNull(staleSnapshot);
        for (Map.Entry<String, FailMode> one : failModes.entrySet()) {
            FailMode mode = one.getValue();
            if (mode instanceof FailMode.LocalBounded || mode instanceof FailMode.OfEndpoint) {
                throw new IllegalArgumentException("failMode of endpoint " + one.getKey() + " is one of a rule");
            }
        }
    }

    /** Without exempt groups. */
    public Conduct(SortedMap<String, FailMode> failModes, Responses responses, StaleSnapshot staleSnapshot) {
        this(failModes, Collections.emptySortedMap(), responses, staleSnapshot);
    }
}
