package io.headgate.core.policy;

import java.util.List;

/**
 * One method and path template of a route group. A segment {@code {name}} stands for any one segment, a last segment
 * {@code **} for any number of them.
 *
 * @param group the route group's name
 * @param method upper case, or {@code *} for any
 * @param path begins with a slash
 */
public record Route(String group, String method, String path) {

    public Route {
        if (!method.equals("*") && !method.matches("[A-Z]{1,16}")) {
            throw new IllegalArgumentException("method is '" + method + "'; it must be upper-case letters, or *");
        }
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("path is '" + path + "'; it must begin with /");
        }
        List<String> segments = segments(path);
        for (int i = 0; i < segments.size() - 1; i++) {
            if (segments.get(i).equals("**")) {
                throw new IllegalArgumentException("path is '" + path + "'; ** may only be the last segment");
            }
        }
    }

    static List<String> segments(String path) {
        String trimmed = path.substring(1);
        return trimmed.isEmpty() ? List.of() : List.of(trimmed.split("/", -1));
    }
}
