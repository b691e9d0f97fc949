package io.headgate.core.policy;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which requests a rule speaks of; an empty part matches every request.
 *
 * @param authentication what the request must be
 * @param routes names of route groups, one of which it must belong to
 * @param attributes attributes that it must carry with exactly these values
 */
public record Match(Authentication authentication, Set<String> routes, Map<String, String> attributes) {

    public static final Match EVERYTHING = new Match(Authentication.ANY, Set.of(), Map.of());

    public Match {
        routes = Collections.unmodifiableSet(new LinkedHashSet<>(new TreeSet<>(routes)));
        attributes = Collections.unmodifiableMap(new TreeMap<>(attributes));
    }

    /** Whether a rule asks for an authenticated request, an anonymous one, or does not care. */
    public enum Authentication {
        ANY,
        AUTHENTICATED,
        ANONYMOUS
    }

    public boolean accepts(boolean authenticated, Optional<String> route, Map<String, String> requestAttributes) {
        if (authentication != Authentication.ANY && (authentication == Authentication.AUTHENTICATED) != authenticated) {
            return false;
        }
        if (!routes.isEmpty() && (route.isEmpty() || !routes.contains(route.get()))) {
            return false;
        }
        return attributes.isEmpty() || requestAttributes.entrySet().containsAll(attributes.entrySet());
    }

    /** Whether it matches requests of these route groups only. */
    boolean isWithin(Set<String> groups) {
        return !routes.isEmpty() && groups.containsAll(routes);
    }
}
