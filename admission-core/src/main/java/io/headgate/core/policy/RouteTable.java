package io.headgate.core.policy;

import io.headgate.core.limit.Bounds;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The route groups that rules speak of, and what a request to each costs.
 *
 * @param routes in order of precedence: the first that accepts a request names its group
 * @param costs tokens by route group, for rules that take their cost from the route; 1 for a group that is not here
 */
public record RouteTable(List<Route> routes, Map<String, Long> costs) {

    public RouteTable {
        routes = List.copyOf(routes);
        costs = Collections.unmodifiableMap(new TreeMap<>(costs));
        costs.forEach((group, cost) -> Bounds.inRange("endpoints." + group + ".cost", cost, 0, Bounds.MAX_TOKENS));
    }

    /** The names of all groups. */
    public Set<String> groups() {
        Set<String> groups = new TreeSet<>();
        routes.forEach(route -> groups.add(route.group()));
        return groups;
    }

    /**
     * The route group of a request.
     *
     * @param route {@code METHOD /path}, with or without a query, or a group's own name
     */
    public Optional<String> groupOf(String route) {
        int space = route.indexOf(' ');
        if (space < 0) {
            return routes.stream()
                    .map(Route::group)
                    .filter(group -> group.equals(route))
                    .findFirst();
        }
        String path = pathOf(route.substring(space + 1));
        if (!path.startsWith("/")) {
            return Optional.empty();
        }
        String method = route.substring(0, space);
        List<String> segments = Route.segments(path);
        return routes.stream()
                .filter(candidate -> candidate.accepts(method, segments))
                .map(Route::group)
                .findFirst();
    }

    public long costOf(Optional<String> group) {
        return group.map(costs::get).orElse(1L);
    }

    private static String pathOf(String target) {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }
}
