package io.headgate.gateway.server.rls;

import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Route;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.RateLimitDescriptor;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The domains and values that policies name: as segments of their routes, or as attributes that a rule asks for. Everything
 * else in a descriptor is only ever compared with itself, so that a pseudonym does as well.
 */
final class NamedValues {

    private static final Set<String> METHODS = Set.of(RateLimitDescriptor.METHOD, "*");

    private final List<Policy> policies;
    private final Set<String> domains = new HashSet<>();
    private final Set<String> segments = new HashSet<>();
    private final Set<Map.Entry<String, String>> attributes = new HashSet<>();

    /**
     * Reads policies.
     *
     * @param policies all that may decide
     */
    NamedValues(List<Policy> policies) {
        this.policies = policies;
        for (Policy policy : policies) {
            for (Route route : policy.routes().routes()) {
                if (METHODS.contains(route.method())) {
                    read(route.path().substring(1).split("/", -1));
                }
            }
            for (Rule rule : policy.rules()) {
                attributes.addAll(rule.match().attributes().entrySet());
            }
        }
    }

    private void read(String[] path) {
        domains.add(path[0]);
        for (int i = 2; i < path.length; i += 2) {
            segments.add(pair(path[i - 1], path[i]));
        }
    }

    /** Whether these are the policies that were read. */
    boolean areOf(List<Policy> others) {
        return policies.equals(others);
    }

    /** Whether a route is of the domain. */
    boolean hasDomain(String domain) {
        return domains.contains(RateLimitDescriptor.segment(domain));
    }

    /**
     * Whether a policy names a value.
     *
     * @param attribute the name of the attribute that the entry becomes
     */
    boolean has(RateLimitDescriptor.Entry entry, String attribute) {
        return segments.contains(
                        pair(RateLimitDescriptor.segment(entry.key()), RateLimitDescriptor.segment(entry.value())))
                || attributes.contains(Map.entry(attribute, RateLimitDescriptor.attribute(entry.value())));
    }

    /** No segment has a slash. */
    private static String pair(String key, String value) {
        return key + "/" + value;
    }
}
