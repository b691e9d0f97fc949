package io.headgate.core.policy;

import io.headgate.core.limit.Bounds;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The route groups that rules speak of, and what a request to each costs. */
public final class RouteTable {

    private final List<Route> routes;
    private final List<RouteTemplate> templates;
    private final Map<String, Long> costs;
    private final NavigableMap<String, Optional<String>> groups = new TreeMap<>();

    /**
     * Makes a table.
     *
     * @param routes in order of precedence: the first that accepts a request names its group
     * @param costs tokens by route group, for rules that take their cost from the route; 1 for a group that is not here
     */
    public RouteTable(List<Route> routes, Map<String, Long> costs) {
        this.routes = List.copyOf(routes);
        this.templates = this.routes.stream().map(RouteTemplate::new).toList();
        this.costs = Collections.unmodifiableMap(new TreeMap<>(costs));
        this.costs.forEach((group, cost) -> Bounds.inRange("endpoints." + group + ".cost", cost, 0, Bounds.MAX_TOKENS));
        routes.forEach(route -> groups.put(route.group(), Optional.of(route.group())));
    }

    public List<Route> routes() {
        return routes;
    }

    public Map<String, Long> costs() {
        return costs;
    }

    /** The names of all groups. */
    public Set<String> groups() {
        return Collections.unmodifiableSet(groups.navigableKeySet());
    }

    /**
     * The route group of a request.
     *
     * @param route {@code METHOD /path}, with or without a query, or a group's own name
     */
    public Optional<String> groupOf(String route) {
        int space = route.indexOf(' ');
        if (space < 0) {
            return groups.getOrDefault(route, Optional.empty());
        }
        int query = route.indexOf('?', space);
        int pathEnd = query < 0 ? route.length() : query;
        int pathAt = space + 1;
        if (pathAt >= pathEnd || route.charAt(pathAt) != '/') {
            return Optional.empty();
        }
        for (RouteTemplate template : templates) {
            if (template.accepts(route, pathAt, pathEnd)) {
                return template.group();
            }
        }
        return Optional.empty();
    }

    public long costOf(Optional<String> group) {
        return group.map(costs::get).orElse(1L);
    }
}
