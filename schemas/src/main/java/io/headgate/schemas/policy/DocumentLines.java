package io.headgate.schemas.policy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * In which line of a file each part of a document stands. It is asked by the places that problems name, such as {@code
 * spec.rules[2].limit}; of something that is missing it knows where its nearest parent stands.
 */
public final class DocumentLines {

    private final int line;
    private final Map<String, DocumentLines> fields;
    private final List<DocumentLines> items;

    private DocumentLines(int line, Map<String, DocumentLines> fields, List<DocumentLines> items) {
        this.line = line;
        this.fields = fields;
        this.items = items;
    }

    /**
     * The lines of the only document that a parser has.
     *
     * @param parser stands before it, and bounds how deep it nests
     */
    public static DocumentLines of(JsonParser parser) throws IOException {
        return parser.nextToken() == null
                ? new DocumentLines(1, Map.of(), List.of())
                : read(parser, parser.currentTokenLocation().getLineNr());
    }

    /** The line of a place, from 1 on. */
    public int lineOf(String place) {
        if (place.startsWith("[") && place.indexOf(']') > 0) {
            int end = place.indexOf(']');
            int item = Integer.parseInt(place.substring(1, end));
            return item < items.size() ? items.get(item).lineOf(withoutDot(place.substring(end + 1))) : line;
        }
        for (int end = place.length(); end > 0; end--) {
            boolean whole = end == place.length() || ".[ ".indexOf(place.charAt(end)) >= 0;
            DocumentLines field = whole ? fields.get(place.substring(0, end)) : null;
            if (field != null) {
                return field.lineOf(withoutDot(place.substring(end)));
            }
        }
        return line;
    }

    private static String withoutDot(String place) {
        return place.startsWith(".") ? place.substring(1) : place;
    }

    private static DocumentLines read(JsonParser parser, int line) throws IOException {
        Map<String, DocumentLines> fields = Map.of();
        List<DocumentLines> items = List.of();
        if (parser.currentToken() == JsonToken.START_OBJECT) {
            fields = new HashMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = Wording.place("", parser.currentName());
                int at = parser.currentTokenLocation().getLineNr();
                parser.nextToken();
                fields.putIfAbsent(name, read(parser, at));
            }
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
            items = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                items.add(read(parser, parser.currentTokenLocation().getLineNr()));
            }
        }
        return new DocumentLines(line, fields, items);
    }
}
