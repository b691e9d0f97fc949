package io.headgate.schemas;

import io.headgate.schemas.JsonValue.Field;
import io.headgate.schemas.JsonValue.Fields;
import io.headgate.schemas.JsonValue.Flag;
import io.headgate.schemas.JsonValue.Numeral;
import io.headgate.schemas.JsonValue.Text;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The fields of a JSON object, asked for one by one. Whatever is wrong with one is an {@link IllegalArgumentException}
 * that names it and is no longer than a few lines, however long the field is.
 */
final class JsonFields {

    private static final int MAX_SHOWN = 64;
    private static final Pattern WHOLE = Pattern.compile("0|-?[1-9][0-9]*");

    private final String place;
    private final Map<String, JsonValue> values;

    private JsonFields(String place, Map<String, JsonValue> values) {
        this.place = place;
        this.values = values;
    }

    /** The fields of an object that may have these and no others. */
    static JsonFields of(String place, Fields object, List<String> known) {
        object.fields().forEach(field -> {
            if (!known.contains(field.name())) {
                throw new IllegalArgumentException("there is no field " + place + shown(field.name())
                        + "; the fields are " + String.join(", ", known));
            }
        });
        return new JsonFields(place, once(place, object));
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    Optional<JsonValue> value(String name) {
        return Optional.ofNullable(values.get(name));
    }

    String text(String name, String otherwise) {
        JsonValue value = values.get(name);
        return value == null ? otherwise : text(place + name, value);
    }

    /** One of a few words. */
    String word(String name, List<String> words, String otherwise) {
        String word = text(name, otherwise);
        if (!words.contains(word)) {
            throw new IllegalArgumentException(
                    place + name + " is '" + shown(word) + "'; it must be one of " + String.join(", ", words));
        }
        return word;
    }

    boolean flag(String name, boolean otherwise) {
        JsonValue value = values.get(name);
        if (value == null) {
            return otherwise;
        }
        if (value instanceof Flag flag) {
            return flag.set();
        }
        throw wrongKind(place + name, value, "true or false");
    }

    long number(String name, long otherwise) {
        JsonValue value = values.get(name);
        return value == null ? otherwise : number(place + name, value);
    }

    Map<String, String> texts(String name) {
        Map<String, String> texts = new TreeMap<>();
        inner(name).forEach((key, value) -> texts.put(unicode(name, key), text(within(name, key), value)));
        return texts;
    }

    Map<String, Long> numbers(String name) {
        Map<String, Long> numbers = new TreeMap<>();
        inner(name).forEach((key, value) -> numbers.put(key, number(within(name, key), value)));
        return numbers;
    }

    private Map<String, JsonValue> inner(String name) {
        JsonValue value = values.get(name);
        if (value == null) {
            return Map.of();
        }
        if (value instanceof Fields object) {
            return once(place + name + ".", object);
        }
        throw wrongKind(place + name, value, "an object");
    }

    private static Map<String, JsonValue> once(String place, Fields object) {
        Map<String, JsonValue> values = new LinkedHashMap<>();
        for (Field field : object.fields()) {
            if (values.put(field.name(), field.value()) != null) {
                throw new IllegalArgumentException(place + shown(field.name()) + " stands twice; it may stand once");
            }
        }
        return values;
    }

    private String within(String name, String key) {
        return place + name + "." + shown(key);
    }

    private static String text(String name, JsonValue value) {
        if (value instanceof Text text) {
            return unicode(name, text.text());
        }
        throw wrongKind(name, value, "a string");
    }

    /** Half a surrogate pair has no UTF-8: it would count as another character does, so it is none of them. */
    private static String unicode(String name, String text) {
        if (text.codePoints().anyMatch(JsonFields::isHalf)) {
            throw new IllegalArgumentException(
                    name + " has half of a surrogate pair; it must be Unicode text: '" + shown(text) + "'");
        }
        return text;
    }

    private static long number(String name, JsonValue value) {
        String written = value instanceof Numeral numeral ? numeral.written() : "";
        try {
            if (WHOLE.matcher(written).matches()) {
                return Long.parseLong(written);
            }
        } catch (NumberFormatException beyondLong) {
            // Refused below, as what is no whole number is.
        }
        throw wrongKind(name, value, "a whole number of 64 bits, without fraction or exponent");
    }

    private static IllegalArgumentException wrongKind(String name, JsonValue value, String wanted) {
        return new IllegalArgumentException(name + " is " + value.kind() + "; it must be " + wanted);
    }

    /** The beginning of what a stranger wrote, without what could upset a terminal or a file. */
    static String shown(String text) {
        int[] plain = text.codePoints()
                .limit(MAX_SHOWN)
                .map(c -> Character.isISOControl(c) || isHalf(c) ? '?' : c)
                .toArray();
        String shown = new String(plain, 0, plain.length);
        return shown.length() < text.length() ? shown + "…" : shown;
    }

    private static boolean isHalf(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }
}
