package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.BadLine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What one document says otherwise than another, field by field. Rules are told apart by their ids, routes, plans and
 * endpoints by their names; who published a version and why is not compared, nor is its number.
 *
 * @param changes rules first, in the order of the document
 */
record PolicyDifference(List<Change> changes) {

    private static final int LONGEST_VALUE = 120;
    private static final int MOST_IN_SUMMARY = 3;
    private static final JsonNode NOTHING = JsonNodeFactory.instance.objectNode();
    private static final JsonNode MISSING = MissingNode.getInstance();
    private static final Map<String, String> NAMED =
            Map.of("routes", "route", "plans", "plan", "endpoints", "endpoint");

    PolicyDifference {
        changes = List.copyOf(changes);
    }

    /** What became of something. */
    enum Kind {
        ADDED("+"),
        REMOVED("-"),
        CHANGED("~");

        private final String sign;

        Kind(String sign) {
            this.sign = sign;
        }
    }

    /** A value that differs; one that is missing is not there. */
    record Field(String path, Optional<String> before, Optional<String> after) {

        @Override
        public String toString() {
            return path + " " + shown(before) + " → " + shown(after);
        }

        private static String shown(Optional<String> value) {
            return value.map(text -> BadLine.shown(text, LONGEST_VALUE)).orElse("(none)");
        }
    }

    /**
     * A rule, a route group, a plan, an endpoint or another part of the policy that differs.
     *
     * @param part what kind of thing it is: {@code rule}, {@code route}, {@code plan}, {@code endpoint}, {@code policy}
     * @param name which one
     * @param fields those that differ; of something that was added or removed all
     */
    record Change(String part, String name, Kind kind, List<Field> fields) {

        Change {
            fields = List.copyOf(fields);
        }

        String title() {
            return kind.sign + " " + part + " " + name;
        }

        private String summary() {
            String title = kind.sign + part + " " + name;
            if (kind != Kind.CHANGED) {
                return title;
            }
            String first = fields.get(0).toString();
            String more = fields.size() > 1 ? ", …" : "";
            return title + " (" + first + more + ")";
        }
    }

    /** What {@code after} says otherwise; of a first version everything is added. */
    static PolicyDifference between(Optional<PolicyDocument> before, PolicyDocument after) {
        JsonNode old = before.<JsonNode>map(PolicyDocument::tree).orElse(NOTHING);
        JsonNode now = after.tree();
        List<Change> changes = new ArrayList<>();
        addRules(old.path("spec").path("rules"), now.path("spec").path("rules"), changes);
        Set<String> sections = names(old.path("spec"), now.path("spec"));
        sections.remove("rules");
        for (String section : sections) {
            JsonNode one = old.path("spec").path(section);
            JsonNode other = now.path("spec").path(section);
            if (NAMED.containsKey(section)) {
                addNamed(NAMED.get(section), one, other, changes);
            } else {
                add("policy", section, one, other, changes);
            }
        }
        for (String label : List.of("name", "owner")) {
            add(
                    "policy",
                    label,
                    old.path("metadata").path(label),
                    now.path("metadata").path(label),
                    changes);
        }
        return new PolicyDifference(changes);
    }

    private static void addRules(JsonNode before, JsonNode after, List<Change> changes) {
        Map<String, JsonNode> old = byId(before);
        Map<String, JsonNode> now = byId(after);
        Set<String> ids = new LinkedHashSet<>(now.keySet());
        ids.addAll(old.keySet());
        for (String id : ids) {
            add("rule", id, old.getOrDefault(id, MISSING), now.getOrDefault(id, MISSING), changes);
        }
        List<String> orderBefore =
                old.keySet().stream().filter(now::containsKey).toList();
        List<String> orderAfter = now.keySet().stream().filter(old::containsKey).toList();
        if (!orderBefore.equals(orderAfter)) {
            Field order = new Field(
                    "order", Optional.of(String.join(", ", orderBefore)), Optional.of(String.join(", ", orderAfter)));
            changes.add(new Change("policy", "rules", Kind.CHANGED, List.of(order)));
        }
    }

    private static Map<String, JsonNode> byId(JsonNode rules) {
        Map<String, JsonNode> byId = new LinkedHashMap<>();
        rules.forEach(rule -> byId.put(rule.path("id").asText(), rule));
        return byId;
    }

    private static void addNamed(String part, JsonNode before, JsonNode after, List<Change> changes) {
        for (String name : names(before, after)) {
            add(part, name, before.path(name), after.path(name), changes);
        }
    }

    private static void add(String part, String name, JsonNode before, JsonNode after, List<Change> changes) {
        if (before.equals(after)) {
            return;
        }
        Kind kind = before.isMissingNode() ? Kind.ADDED : after.isMissingNode() ? Kind.REMOVED : Kind.CHANGED;
        Map<String, String> old = leaves(before, name);
        Map<String, String> now = leaves(after, name);
        Set<String> paths = new TreeSet<>(old.keySet());
        paths.addAll(now.keySet());
        List<Field> fields = paths.stream()
                .filter(path -> !part.equals("rule") || !path.equals("id"))
                .map(path -> new Field(path, Optional.ofNullable(old.get(path)), Optional.ofNullable(now.get(path))))
                .filter(field -> !field.before().equals(field.after()))
                .toList();
        changes.add(new Change(part, name, kind, fields));
    }

    private static Set<String> names(JsonNode one, JsonNode other) {
        Set<String> names = new TreeSet<>();
        one.fieldNames().forEachRemaining(names::add);
        other.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static Map<String, String> leaves(JsonNode node, String name) {
        Map<String, String> leaves = new TreeMap<>();
        if (node.isObject()) {
            node.properties().forEach(field -> collect(field.getKey(), field.getValue(), leaves));
        } else if (!node.isMissingNode()) {
            leaves.put(name, text(node));
        }
        return leaves;
    }

    private static void collect(String path, JsonNode node, Map<String, String> leaves) {
        if (node.isObject() && !node.isEmpty()) {
            node.properties().forEach(field -> collect(path + "." + field.getKey(), field.getValue(), leaves));
        } else {
            leaves.put(path, text(node));
        }
    }

    private static String text(JsonNode node) {
        return node.isTextual() ? node.textValue() : node.toString();
    }

    boolean isEmpty() {
        return changes.isEmpty();
    }

    /** The whole in one line: {@code ~rule P-READ (limit.capacity 20 → 40), +rule P-NEW, and 2 more}. */
    String summary() {
        if (changes.isEmpty()) {
            return "nothing";
        }
        String told =
                changes.stream().limit(MOST_IN_SUMMARY).map(Change::summary).collect(Collectors.joining(", "));
        int more = changes.size() - MOST_IN_SUMMARY;
        return more > 0 ? told + ", and " + more + " more" : told;
    }

    /** A line a change, and below it one a field that differs. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Change change : changes) {
            lines.add(change.title());
            if (change.kind() != Kind.REMOVED) {
                change.fields()
                        .forEach(field -> lines.add("    "
                                + (change.kind() == Kind.ADDED
                                        ? field.path() + " " + Field.shown(field.after())
                                        : field.toString())));
            }
        }
        return lines;
    }

    ArrayNode json() {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        for (Change change : changes) {
            ObjectNode object = array.addObject();
            object.put("part", change.part())
                    .put("name", change.name())
                    .put("kind", change.kind().name().toLowerCase(Locale.ROOT));
            ArrayNode fields = object.putArray("fields");
            change.fields().forEach(field -> {
                ObjectNode one = fields.addObject().put("path", field.path());
                field.before().ifPresent(value -> one.put("before", value));
                field.after().ifPresent(value -> one.put("after", value));
            });
        }
        return array;
    }
}
