package io.headgate.schemas.policy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * A document's tree, with what a lenient parser would let pass kept visible. A key that stands twice is a problem at
 * its place; a number that is not a plain decimal integer (20.0, 1e3, and in YAML 0x14, 024 or 1_000) and a flag that is not written true or false stay in the tree
 * as it was written, where whoever asks for an integer finds something else.
 */
final class StrictTree {

    private static final Pattern PLAIN_INTEGER = Pattern.compile("0|-?[1-9][0-9]*");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final JsonParser parser;
    private final Problems problems;

    private StrictTree(JsonParser parser, Problems problems) {
        this.parser = parser;
        this.problems = problems;
    }

    /** A scalar that the format does not know, as it was written. */
    record Oddity(String text) {
        @Override
        public String toString() {
            return text;
        }
    }

    /** Reads the only value that the parser has. */
    static JsonNode read(JsonParser parser, Problems problems) throws IOException {
        if (parser.nextToken() == null) {
            problems.add(Section.DOCUMENT, "is empty");
            return NODES.missingNode();
        }
        JsonNode tree = new StrictTree(parser, problems).value("");
        if (parser.nextToken() != null) {
            problems.add(Section.DOCUMENT, "is followed by another one; there must be one alone");
        }
        return tree;
    }

    private JsonNode value(String place) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(place);
            case START_ARRAY -> array(place);
            case VALUE_STRING -> NODES.textNode(parser.getText());
            case VALUE_TRUE -> flag(true);
            case VALUE_FALSE -> flag(false);
            case VALUE_NULL -> NODES.nullNode();
            case VALUE_NUMBER_INT ->
                PLAIN_INTEGER.matcher(parser.getText()).matches()
                        ? NODES.numberNode(parser.getBigIntegerValue())
                        : NODES.pojoNode(new Oddity(parser.getText()));
            default -> NODES.pojoNode(new Oddity(parser.getText()));
        };
    }

    /** In YAML, others than true and false stand for them: yes, off. */
    private JsonNode flag(boolean set) throws IOException {
        String written = parser.getText();
        return written.equals(Boolean.toString(set)) ? NODES.booleanNode(set) : NODES.pojoNode(new Oddity(written));
    }

    private ObjectNode object(String place) throws IOException {
        ObjectNode object = NODES.objectNode();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            String fieldPlace = Wording.place(place, name);
            int line = parser.currentTokenLocation().getLineNr();
            parser.nextToken();
            JsonNode value = value(fieldPlace);
            if (object.has(name)) {
                problems.add(fieldPlace, "stands twice, again in line " + line + "; a field may stand once");
            } else {
                object.set(name, value);
            }
        }
        return object;
    }

    private ArrayNode array(String place) throws IOException {
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value(place + "[" + array.size() + "]"));
        }
        return array;
    }
}
