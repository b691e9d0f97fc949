package io.headgate.core.policy;

import java.util.List;

/** A route, taken apart for comparison with requests. */
final class RouteTemplate {

    private final Route route;
    private final List<String> segments;
    private final boolean open;

    RouteTemplate(Route route) {
        List<String> all = Route.segments(route.path());
        this.route = route;
        this.open = !all.isEmpty() && all.get(all.size() - 1).equals("**");
        this.segments = open ? all.subList(0, all.size() - 1) : all;
    }

    String group() {
        return route.group();
    }

    boolean accepts(String method, List<String> requested) {
        boolean fits = open ? requested.size() >= segments.size() : requested.size() == segments.size();
        if (!fits || !(route.method().equals("*") || route.method().equals(method))) {
            return false;
        }
        for (int i = 0; i < segments.size(); i++) {
            String segment = segments.get(i);
            boolean any = segment.startsWith("{") && segment.endsWith("}");
            if (!any && !segment.equals(requested.get(i))) {
                return false;
            }
        }
        return true;
    }
}
