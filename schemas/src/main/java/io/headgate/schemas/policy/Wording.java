package io.headgate.schemas.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.regex.Pattern;

/** How messages call places, values, and what would be right. */
final class Wording {

    static final String NAME_SHAPE = "a name of 1 to 64 letters, digits, dots, hyphens and underscores";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final int LONGEST_SHOWN = 80;

    private Wording() {}

    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** The place of a field; a name that could disturb a message is quoted and cut. */
    static String place(String parent, String field) {
        String shown = isName(field) ? field : shown(field);
        return parent.isEmpty() ? shown : parent + "." + shown;
    }

    /** A value as it was written, on one line and cut. */
    static String shown(JsonNode value) {
        if (value.isObject()) {
            return "an object";
        }
        if (value.isArray()) {
            return "a list";
        }
        return value.isTextual() ? shown(value.textValue()) : cut(value.asText());
    }

    private static String shown(String text) {
        return '"' + cut(text).replace("\"", "\\\"").replaceAll("\\p{Cntrl}", "?") + '"';
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN) + "…";
    }

    static String integer(long least, long most) {
        return "an integer of " + least + " to " + most;
    }

    static String text(int longest) {
        return "text of at most " + longest + " characters";
    }

    static String choice(Map<String, ?> values) {
        return "one of " + values.keySet();
    }
}
