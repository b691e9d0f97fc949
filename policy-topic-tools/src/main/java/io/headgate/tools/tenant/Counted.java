package io.headgate.tools.tenant;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** What some rules count by besides who asks. */
final class Counted {

    @Option(
            names = "--route",
            paramLabel = "GROUP",
            description = "a route group, or 'METHOD /path', where the rule counts by route")
    private String route = "";

    @Option(
            names = "--attribute",
            paramLabel = "NAME=VALUE",
            description = "an attribute where the rule counts by it; may be repeated")
    private Map<String, String> attributes = new TreeMap<>();

    String route() {
        return route;
    }

    Map<String, String> attributes() {
        return Collections.unmodifiableMap(attributes);
    }
}
