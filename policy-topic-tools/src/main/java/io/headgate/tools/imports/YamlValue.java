package io.headgate.tools.imports;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A value of a YAML file and the line it stands in. Whatever is wrong with a field is noted and reads as absent; {@code
 * null} is absent, too.
 */
final class YamlValue {

    private final Place place;
    private final Node node;
    private final Findings findings;

    YamlValue(Place place, Node node, Findings findings) {
        this.place = place;
        this.node = node;
        this.findings = findings;
    }

    Place place() {
        return place;
    }

    boolean isNull() {
        return node.getTag().equals(Tag.NULL);
    }

    /** Its fields, if it is an object; notes that it must be one. */
    Optional<Fields> fields() {
        if (!(node instanceof MappingNode mapping)) {
            findings.mistake(place, "is " + shown() + "; it must be an object");
            return Optional.empty();
        }
        Map<String, YamlValue> values = new HashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            int line = lineOf(tuple.getKeyNode());
            if (!(tuple.getKeyNode() instanceof ScalarNode key) || !key.getTag().equals(Tag.STR)) {
                findings.mistake(
                        new Place(place.file(), line, place.path()),
                        "has a key that is no text; a key must be the name of a field");
                continue;
            }
            Place fieldPlace = place.of(name(key.getValue()), line);
            YamlValue value = new YamlValue(fieldPlace, tuple.getValueNode(), findings);
            YamlValue before = values.putIfAbsent(key.getValue(), value);
            if (before != null) {
                findings.mistake(
                        fieldPlace,
                        "stands twice, first in line " + before.place().line() + "; a field may stand once");
            }
        }
        return Optional.of(new Fields(values));
    }

    /** Its elements, if it is a list; notes that it must be one. */
    List<YamlValue> elements() {
        if (!(node instanceof SequenceNode sequence)) {
            findings.mistake(place, "is " + shown() + "; it must be a list");
            return List.of();
        }
        List<YamlValue> elements = new ArrayList<>();
        for (Node element : sequence.getValue()) {
            elements.add(new YamlValue(place.at(elements.size(), lineOf(element)), element, findings));
        }
        return elements;
    }

    /** What is written there, if it is a scalar, number or flag alike; notes that it must be one. */
    Optional<String> text() {
        if (isNull()) {
            return Optional.empty();
        }
        if (node instanceof ScalarNode scalar) {
            return Optional.of(scalar.getValue());
        }
        findings.mistake(place, "is " + shown() + "; it must be text");
        return Optional.empty();
    }

    String shown() {
        if (node instanceof ScalarNode scalar) {
            return Findings.shown(scalar.getValue());
        }
        return node instanceof MappingNode ? "an object" : "a list";
    }

    static int lineOf(Node node) {
        return node.getStartMark().getLine() + 1;
    }

    private static String name(String key) {
        return key.matches("[A-Za-z0-9_$-]{1,64}") ? key : Findings.shown(key);
    }

    /** The fields of an object. */
    final class Fields {

        private final Map<String, YamlValue> values;

        private Fields(Map<String, YamlValue> values) {
            this.values = values;
        }

        Place place() {
            return place;
        }

        /** Notes every field that is none of these. */
        void allow(Set<String> names) {
            values.forEach((name, value) -> {
                if (!names.contains(name)) {
                    findings.mistake(value.place(), "is not a field of the format; what may stand here is " + names);
                }
            });
        }

        Optional<YamlValue> value(String name) {
            return Optional.ofNullable(values.get(name)).filter(value -> !value.isNull());
        }

        Optional<String> text(String name) {
            return value(name).flatMap(YamlValue::text);
        }

        /** Text that has to be there. */
        Optional<String> requiredText(String name) {
            Optional<String> text = text(name).filter(some -> !some.isEmpty());
            if (text.isEmpty()
                    && value(name)
                            .map(there -> there.node instanceof ScalarNode)
                            .orElse(true)) {
                findings.mistake(place.of(name, line(name)), "is missing or empty; it must be text");
            }
            return text;
        }

        boolean flag(String name) {
            return value(name)
                    .map(value -> {
                        boolean isFlag = value.node.getTag().equals(Tag.BOOL);
                        if (!isFlag) {
                            findings.mistake(value.place(), "is " + value.shown() + "; it must be true or false");
                        }
                        String text = isFlag ? ((ScalarNode) value.node).getValue() : "";
                        return Set.of("true", "yes", "on").contains(text.toLowerCase(java.util.Locale.ROOT));
                    })
                    .orElse(false);
        }

        /** An integer as people write them, 0 to {@code most}. */
        Optional<Long> integer(String name, long most) {
            return value(name).flatMap(value -> {
                String text = value.node instanceof ScalarNode scalar ? scalar.getValue() : "";
                boolean fits = value.node.getTag().equals(Tag.INT)
                        && text.matches("0|[1-9][0-9]{0,17}")
                        && Long.parseLong(text) <= most;
                if (!fits) {
                    findings.mistake(value.place(), "is " + value.shown() + "; it must be an integer of 0 to " + most);
                }
                return fits ? Optional.of(Long.parseLong(text)) : Optional.empty();
            });
        }

        List<YamlValue> elements(String name) {
            return value(name).map(YamlValue::elements).orElse(List.of());
        }

        /** The line of a field, or of the object where it is missing. */
        int line(String name) {
            return values.containsKey(name) ? values.get(name).place().line() : place.line();
        }
    }
}
