package io.headgate.schemas.policy;

import io.headgate.core.policy.Route;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The route groups of a document. Of several routes that fit a request the most specific one names its group, wherever
 * it stands: the keys of an object have no order, and the canonical form sorts them. Path before method, and from left to
 * right a literal segment before {@code {any}} before {@code **}: {@code GET /catalog/new} is found by
 * {@code * /catalog/new}, then by {@code GET /catalog/{id}}, then by {@code GET /**}.
 */
final class RoutesFormat {

    private static final int LONGEST_METHOD = 16;
    private static final int LONGEST_PATH = 1_024;

    private static final Comparator<Route> MOST_SPECIFIC_FIRST = Comparator.comparing(
                    (Route route) -> pattern(route.path()))
            .thenComparing(route -> route.method().equals("*"))
            .thenComparing(Route::method)
            .thenComparing(Route::group);

    private final Section groups;
    private final Map<String, String> placeOfPattern = new HashMap<>();

    private RoutesFormat(Section groups) {
        this.groups = groups;
    }

    /** All routes, most specific first. A group keeps its name, whatever is wrong with its routes. */
    static List<Route> read(Section groups) {
        return new RoutesFormat(groups).read();
    }

    private List<Route> read() {
        List<Route> routes = new ArrayList<>();
        for (String group : groups.ownNames()) {
            List<Route> ofGroup = new ArrayList<>();
            groups.sections(group).ifPresent(list -> {
                if (list.isEmpty()) {
                    groups.problems().add(groups.place(group), "is empty; it must have a route");
                }
                list.forEach(
                        route -> route.flatMap(one -> readRoute(group, one)).ifPresent(ofGroup::add));
            });
            routes.addAll(ofGroup.isEmpty() ? List.of(new Route(group, "*", "/**")) : ofGroup);
        }
        routes.sort(MOST_SPECIFIC_FIRST);
        return routes;
    }

    private Optional<Route> readRoute(String group, Section section) {
        Optional<String> method = section.requiredText("method", LONGEST_METHOD);
        Optional<String> path = section.requiredText("path", LONGEST_PATH);
        section.close();
        boolean goodMethod =
                method.map(value -> isRoute(section, group, value, "/")).orElse(false);
        boolean goodPath =
                path.map(value -> isRoute(section, group, "*", value)).orElse(false);
        if (!goodMethod || !goodPath) {
            return Optional.empty();
        }
        String samePlace = placeOfPattern.putIfAbsent(method.get() + " " + pattern(path.get()), section.place());
        if (samePlace != null) {
            section.problems().add(section.place(), "fits the same requests as " + samePlace + "; one of them must go");
        }
        return Optional.of(new Route(group, method.get(), path.get()));
    }

    /** Tries one part of a route beside a good other part, so that both parts' mistakes are found. */
    private static boolean isRoute(Section section, String group, String method, String path) {
        try {
            Route tried = new Route(group, method, path);
            return tried.group().equals(group);
        } catch (IllegalArgumentException e) {
            section.problems().addRefused(section.place(), e);
            return false;
        }
    }

    /** The path without the names in it, such that of two that fit one request the more specific comes first. */
    private static String pattern(String path) {
        return Arrays.stream(path.substring(1).split("/", -1))
                .map(segment -> {
                    if (segment.equals("**")) {
                        return "2";
                    }
                    return segment.startsWith("{") && segment.endsWith("}") ? "1" : "0" + segment;
                })
                .collect(Collectors.joining("/"));
    }
}
