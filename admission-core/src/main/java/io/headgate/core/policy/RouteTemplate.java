package io.headgate.core.policy;

import java.util.List;
import java.util.Optional;

/** A route, taken apart for comparison with requests. */
final class RouteTemplate {

    private final Route route;
    private final Optional<String> group;
    private final List<String> segments;
    private final boolean[] any;
    private final boolean open;

    RouteTemplate(Route route) {
        List<String> all = Route.segments(route.path());
        this.route = route;
        this.group = Optional.of(route.group());
        this.open = !all.isEmpty() && all.get(all.size() - 1).equals("**");
        this.segments = open ? all.subList(0, all.size() - 1) : all;
        this.any = new boolean[segments.size()];
        for (int i = 0; i < any.length; i++) {
            any[i] = segments.get(i).startsWith("{") && segments.get(i).endsWith("}");
        }
    }

    Optional<String> group() {
        return group;
    }

    /**
     * Whether a request is to this route. Nothing is cut out of the request for that, since every decision asks.
     *
     * @param request {@code METHOD /path}, and perhaps more behind it
     * @param pathAt where the slash stands that the path begins with
     * @param pathEnd where the path ends
     */
    boolean accepts(String request, int pathAt, int pathEnd) {
        if (!route.method().equals("*") && !isAt(request, 0, pathAt - 1, route.method())) {
            return false;
        }
        int at = pathAt + 1;
        boolean more = at < pathEnd;
        for (int i = 0; i < any.length; i++) {
            if (!more) {
                return false;
            }
            int slash = request.indexOf('/', at);
            int end = slash < 0 || slash >= pathEnd ? pathEnd : slash;
            if (!any[i] && !isAt(request, at, end, segments.get(i))) {
                return false;
            }
            more = end < pathEnd;
            at = end + 1;
        }
        return open || !more;
    }

    private static boolean isAt(String request, int from, int to, String part) {
        return part.length() == to - from && request.startsWith(part, from);
    }
}
