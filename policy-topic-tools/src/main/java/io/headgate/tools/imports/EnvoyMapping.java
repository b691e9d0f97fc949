package io.headgate.tools.imports;

import io.headgate.core.decision.Admission;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.RateLimitDescriptor;
import io.headgate.tools.imports.DescriptorNode.RateLimit;
import io.headgate.tools.imports.PolicyDraft.Limit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes routes and rules of descriptors. A descriptor with a limit becomes a route group and a rule. Both sides take the
 * most specific value first, but a route table goes on to the less specific ones when the rest of the path does not fit,
 * and that service does not: so a value beside a descriptor that takes all values gets a route of its own, with all below
 * it, that no rule speaks of.
 */
final class EnvoyMapping {

    /** The group of the paths that no rule speaks of. */
    static final String NOT_LIMITED = "not-limited";

    private final Findings findings;
    private final boolean buckets;
    private final PolicyDraft draft = new PolicyDraft();

    /**
     * Has no descriptor yet.
     *
     * @param buckets whether limits become token buckets; fixed windows otherwise
     */
    EnvoyMapping(Findings findings, boolean buckets) {
        this.findings = findings;
        this.buckets = buckets;
        draft.idOf(NOT_LIMITED);
    }

    /** What a descriptor's ancestors have come to. */
    private record Way(String path, String label, List<String> keys, List<Integer> counted, int longestRoute) {}

    PolicyDraft map(Map<String, List<DescriptorNode>> domains) {
        domains.forEach((domain, nodes) -> {
            String segment = RateLimitDescriptor.segment(domain);
            String label = domains.size() == 1 ? "" : domain;
            int length = RateLimitDescriptor.METHOD.length() + 2 + segment.length();
            level(nodes, new Way("/" + segment, label, List.of(), List.of(), length));
        });
        return draft;
    }

    private void level(List<DescriptorNode> nodes, Way way) {
        Map<String, DescriptorNode> takers = takers(nodes);
        for (DescriptorNode node : nodes) {
            Optional<DescriptorNode> taker = Optional.ofNullable(takers.get(node.key()));
            if (node.isPartPattern()) {
                findings.remark(
                        node.place(),
                        "does not carry over, with all below it: " + Findings.shown(node.lookUpKey())
                                + " is a pattern, and a route takes one value or all; what it takes is "
                                + (taker.isPresent()
                                        ? "limited as line "
                                                + taker.get().place().line() + " says"
                                        : "not limited"));
            } else if (!node.takesAll()) {
                one(node, way, taker.isPresent());
            } else if (node.equals(taker.orElseThrow())) {
                one(node, way, false);
            } else {
                findings.remark(
                        node.place(),
                        "is never reached: line " + taker.get().place().line() + " takes all values before it");
            }
        }
    }

    /** By key the descriptor that takes all values: the first with stars, else the one without a value. */
    private static Map<String, DescriptorNode> takers(List<DescriptorNode> nodes) {
        Map<String, DescriptorNode> takers = new LinkedHashMap<>();
        nodes.stream()
                .filter(node -> node.takesAll() && !node.isPartPattern())
                .forEach(node -> takers.merge(
                        node.key(), node, (before, next) -> next.isStars() && !before.isStars() ? next : before));
        return takers;
    }

    private void one(DescriptorNode node, Way above, boolean beside) {
        Way way = below(above, node);
        node.limit().ifPresent(limit -> limited(node, limit, way));
        if (beside) {
            String path = way.path() + "/**";
            if (path.length() <= PolicyDraft.LONGEST_PATH) {
                draft.addRoute(NOT_LIMITED, path);
            } else {
                findings.remark(
                        node.place(),
                        "has a path of " + path.length() + " characters, more than the "
                                + PolicyDraft.LONGEST_PATH
                                + " that a route may have; its value is limited as any other is");
            }
        }
        level(node.children(), way);
    }

    private static Way below(Way above, DescriptorNode node) {
        String key = RateLimitDescriptor.segment(node.key());
        boolean all = node.takesAll();
        String value = all ? "{" + key + "}" : RateLimitDescriptor.segment(node.value());
        List<String> keys = new ArrayList<>(above.keys());
        keys.add(node.key());
        List<Integer> counted = new ArrayList<>(above.counted());
        if (all && !node.shared()) {
            counted.add(keys.size() - 1);
        }
        String shown = node.value().isEmpty() ? node.key() : node.key() + "_" + node.value();
        return new Way(
                above.path() + "/" + key + "/" + value,
                above.label().isEmpty() ? shown : above.label() + "." + shown,
                keys,
                counted,
                above.longestRoute() + 2 + key.length() + (all ? RateLimitDescriptor.MAX_LENGTH : value.length()));
    }

    private void limited(DescriptorNode node, RateLimit limit, Way way) {
        Optional<String> tooMuch = tooMuch(way);
        if (tooMuch.isPresent()) {
            findings.remark(node.place(), "does not carry over and is not limited: " + tooMuch.get());
            return;
        }
        List<String> names = RateLimitDescriptor.names(way.keys());
        String id = draft.idOf(way.label());
        draft.addRoute(id, way.path());
        draft.addRule(
                id,
                id,
                Map.of(),
                way.counted().stream().map(names::get).toList(),
                limitOf(limit),
                node.shadow(),
                reason(limit));
    }

    private static Optional<String> tooMuch(Way way) {
        if (way.path().length() > PolicyDraft.LONGEST_PATH) {
            return Optional.of("its path has " + way.path().length() + " characters; a route may have "
                    + PolicyDraft.LONGEST_PATH);
        }
        if (way.keys().size() > RateLimitDescriptor.MAX_ENTRIES) {
            return Optional.of("it is " + way.keys().size() + " deep; a request has at most "
                    + RateLimitDescriptor.MAX_ENTRIES + " entries");
        }
        if (way.longestRoute() > Admission.MAX_ROUTE_LENGTH) {
            return Optional.of("a request that matches may have a route of " + way.longestRoute()
                    + " characters; it may have " + Admission.MAX_ROUTE_LENGTH);
        }
        if (way.counted().size() > Rule.MAX_PARTS) {
            return Optional.of(
                    "it counts by " + way.counted().size() + " values; a rule counts by at most " + Rule.MAX_PARTS);
        }
        return Optional.empty();
    }

    private Limit limitOf(RateLimit limit) {
        if (limit.unit().isEmpty()) {
            return Limit.NONE;
        }
        String per = limit.unit().get().per();
        return buckets && limit.requests() > 0
                ? Limit.bucket(limit.requests(), per)
                : Limit.window(limit.requests(), per);
    }

    private static String reason(RateLimit limit) {
        String zero = limit.unit().isPresent() && limit.requests() == 0 ? "requests_per_unit is 0" : "";
        String name = limit.name().isEmpty() ? "" : "name: " + limit.name();
        return zero.isEmpty() || name.isEmpty() ? zero + name : name + "; " + zero;
    }
}
