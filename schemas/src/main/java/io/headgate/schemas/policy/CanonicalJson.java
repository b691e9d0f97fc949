package io.headgate.schemas.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The one way to write a document: RFC 8785 (JSON Canonicalization Scheme), for documents whose only numbers are
 * integers. Keys are in order of their UTF-16 code units, there is no white space, and a string escapes only what it
 * must. {@code {"b": 1, "a": "é\u0001"}} becomes {@code {"a":"é\\u0001","b":1}}. Written out here rather than left to a
 * library's writer, so that an upgrade cannot change a document's hash.
 */
public final class CanonicalJson {

    private final StringBuilder out = new StringBuilder();

    private CanonicalJson() {}

    /** The bytes of a document; a null or a fraction in it is a mistake of ours. */
    public static byte[] bytes(JsonNode document) {
        CanonicalJson json = new CanonicalJson();
        json.value(document);
        return json.out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void value(JsonNode node) {
        if (node.isObject()) {
            object(node);
        } else if (node.isArray()) {
            array(node);
        } else if (node.isTextual()) {
            string(node.textValue());
        } else if (node.isIntegralNumber() || node.isBoolean()) {
            out.append(node.asText());
        } else {
            throw new IllegalArgumentException("no canonical form for " + node.getNodeType() + " " + node);
        }
    }

    private void object(JsonNode node) {
        Map<String, JsonNode> sorted = new TreeMap<>();
        node.properties().forEach(field -> sorted.put(field.getKey(), field.getValue()));
        char separator = '{';
        for (Map.Entry<String, JsonNode> field : sorted.entrySet()) {
            out.append(separator);
            string(field.getKey());
            out.append(':');
            value(field.getValue());
            separator = ',';
        }
        out.append(sorted.isEmpty() ? "{}" : "}");
    }

    private void array(JsonNode node) {
        char separator = '[';
        for (JsonNode element : node) {
            out.append(separator);
            value(element);
            separator = ',';
        }
        out.append(node.isEmpty() ? "[]" : "]");
    }

    private void string(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    if (c < ' ') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
