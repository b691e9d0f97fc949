package io.headgate.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class RouteTableTest {

    private static final List<String> METHODS = List.of("GET", "POST", "GE", "GETS", "");
    private static final List<String> PIECES = List.of("", "a", "b", "ab", "{x}", "**", "a?", "?", "a b", "/");

    @Test
    void finds_the_group_that_a_comparison_segment_by_segment_finds() {
        Set<Boolean> found = new TreeSet<>();
        Seeds.forEach(2_000, random -> {
            List<Route> routes = routes(random);
            RouteTable table = new RouteTable(routes, Map.of());
            for (int i = 0; i < 20; i++) {
                String request = random.nextInt(10) == 0
                        ? PIECES.get(random.nextInt(PIECES.size()))
                        : METHODS.get(random.nextInt(METHODS.size())) + " " + path(random, random.nextInt(5) > 0);

                Optional<String> group = table.groupOf(request);

                assertThat(group).as("%s among %s", request, routes).isEqualTo(expected(routes, request));
                found.add(group.isPresent());
            }
        });
        assertThat(found).hasSize(2);
    }

    private static List<Route> routes(Random random) {
        List<Route> routes = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            String method = random.nextInt(3) == 0 ? "*" : random.nextBoolean() ? "GET" : "POST";
            StringBuilder path = new StringBuilder();
            for (int left = random.nextInt(4); left >= 0; left--) {
                path.append('/').append(List.of("", "a", "b", "ab", "{x}").get(random.nextInt(5)));
            }
            routes.add(new Route("group-" + i, method, path + (random.nextInt(3) == 0 ? "/**" : "")));
        }
        return routes;
    }

    private static String path(Random random, boolean absolute) {
        StringBuilder path = new StringBuilder();
        for (int left = random.nextInt(5); left > 0; left--) {
            path.append('/').append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return absolute ? path.toString() : path.toString().replaceFirst("^/", "");
    }

    private static Optional<String> expected(List<Route> routes, String request) {
        int space = request.indexOf(' ');
        if (space < 0) {
            return routes.stream().map(Route::group).filter(request::equals).findFirst();
        }
        String path = request.substring(space + 1).split("\\?", 2)[0];
        if (!path.startsWith("/")) {
            return Optional.empty();
        }
        return routes.stream()
                .filter(route -> route.method().equals("*") || route.method().equals(request.substring(0, space)))
                .filter(route -> fits(Route.segments(route.path()), Route.segments(path)))
                .map(Route::group)
                .findFirst();
    }

    private static boolean fits(List<String> template, List<String> requested) {
        if (template.isEmpty()) {
            return requested.isEmpty();
        }
        if (template.equals(List.of("**"))) {
            return true;
        }
        return !requested.isEmpty()
                && (template.get(0).startsWith("{") || template.get(0).equals(requested.get(0)))
                && fits(template.subList(1, template.size()), requested.subList(1, requested.size()));
    }
}
