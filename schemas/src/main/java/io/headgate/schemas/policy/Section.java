package io.headgate.schemas.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * One object of a document and its place in it. A field is asked for by its type; whatever is wrong with it is noted
 * and reads as absent. {@link #close} then notes the fields that nobody asked for.
 */
final class Section {

    /** The place of the whole document. */
    static final String DOCUMENT = "document";

    private static final int LONGEST_DURATION = 80;
    private static final String NOT_SUPPORTED = "is not supported by this version: ";

    private final String place;
    private final JsonNode node;
    private final Problems problems;
    private final Set<String> known = new TreeSet<>();

    Section(String place, JsonNode node, Problems problems) {
        this.place = place;
        this.node = node;
        this.problems = problems;
    }

    /** The whole document as a section, if it is an object. */
    static Optional<Section> root(JsonNode document, Problems problems) {
        if (document.isObject()) {
            return Optional.of(new Section("", document, problems));
        }
        if (!document.isMissingNode()) {
            problems.add(DOCUMENT, "is " + Wording.shown(document) + "; it must be an object");
        }
        return Optional.empty();
    }

    String place() {
        return place;
    }

    String place(String field) {
        return Wording.place(place, field);
    }

    Problems problems() {
        return problems;
    }

    boolean has(String field) {
        known.add(field);
        return node.has(field);
    }

    boolean isObject(String field) {
        return has(field) && node.get(field).isObject();
    }

    /** Notes that the field has to be there; {@code shape} says what it must be. */
    Section require(String field, String shape) {
        if (!has(field)) {
            problems.add(place(field), "is missing; it must be " + shape);
        }
        return this;
    }

    Optional<Boolean> flag(String field) {
        return value(field, "true or false", JsonNode::isBoolean).map(JsonNode::booleanValue);
    }

    Optional<Long> integer(String field, long least, long most) {
        return value(
                        field,
                        Wording.integer(least, most),
                        value -> value.isIntegralNumber()
                                && value.canConvertToLong()
                                && value.longValue() >= least
                                && value.longValue() <= most)
                .map(JsonNode::longValue);
    }

    Optional<Long> requiredInteger(String field, long least, long most) {
        return require(field, Wording.integer(least, most)).integer(field, least, most);
    }

    Optional<String> text(String field, int longest) {
        return value(field, Wording.text(longest), value -> isText(value, longest))
                .map(JsonNode::textValue);
    }

    /** Text of a certain shape. */
    Optional<String> shapedText(String field, String shape, Predicate<String> fits) {
        return value(field, shape, value -> value.isTextual() && fits.test(value.textValue()))
                .map(JsonNode::textValue);
    }

    Optional<String> requiredText(String field, int longest) {
        return require(field, Wording.text(longest)).text(field, longest);
    }

    Optional<String> requiredName(String field) {
        return require(field, Wording.NAME_SHAPE).name(field);
    }

    Optional<String> name(String field) {
        return shapedText(field, Wording.NAME_SHAPE, Wording::isName);
    }

    Optional<Long> durationMillis(String field, long leastMillis, long mostMillis) {
        Optional<JsonNode> duration = value(field, Durations.SHAPE, value -> isText(value, LONGEST_DURATION));
        try {
            return duration.map(value -> Durations.parseMillis(value.textValue(), leastMillis, mostMillis));
        } catch (IllegalArgumentException notOne) {
            problems.add(place(field), notOne.getMessage());
            return Optional.empty();
        }
    }

    Optional<Long> requiredDurationMillis(String field, long mostMillis) {
        return require(field, Durations.SHAPE).durationMillis(field, 1, mostMillis);
    }

    /**
     * A percentage, as text.
     *
     * @param decimals how many decimals it may have
     * @param least in units of 10^-decimals percent
     */
    Optional<Integer> percent(String field, int decimals, int least, int most) {
        String shape = Percentages.shape(decimals, least, most);
        Predicate<String> fits =
                text -> Percentages.parse(text, decimals).stream().anyMatch(units -> units >= least && units <= most);
        return shapedText(field, shape, fits)
                .map(text -> Percentages.parse(text, decimals).getAsInt());
    }

    /** A moment, in milliseconds since the epoch. */
    Optional<Long> instantMillis(String field) {
        return shapedText(field, Instants.SHAPE, text -> Instants.parse(text).isPresent())
                .map(text -> Instants.parse(text).getAsLong());
    }

    /** Whether the field is one of these texts; notes nothing. */
    boolean isOneOf(String field, Set<String> texts) {
        return has(field)
                && node.get(field).isTextual()
                && texts.contains(node.get(field).textValue());
    }

    /**
     * One of the values that have a name.
     *
     * @param values what may stand there
     * @param notYet what the format has a name for, but this version cannot do, with what to call it
     */
    <T> Optional<T> choice(String field, Map<String, T> values, Map<String, String> notYet) {
        Optional<JsonNode> chosen = value(
                field,
                Wording.choice(values),
                value -> value.isTextual()
                        && (values.containsKey(value.textValue()) || notYet.containsKey(value.textValue())));
        String name = chosen.map(JsonNode::textValue).orElse("");
        if (notYet.containsKey(name)) {
            notSupported(field, notYet.get(name));
        }
        return Optional.ofNullable(values.get(name));
    }

    <T> Optional<T> requiredChoice(String field, Map<String, T> values, Map<String, String> notYet) {
        return require(field, Wording.choice(values)).choice(field, values, notYet);
    }

    /** Notes a field that only something else may have, such as "fail mode closed"; {@code instead} stands here. */
    void onlyFor(String field, String owner, String instead) {
        if (has(field)) {
            problems.add(place(field), "is there; only " + owner + " has it, not " + instead);
        }
    }

    /** Notes that this version cannot do what a field says. */
    void notSupported(String field, String what) {
        problems.add(place(field), NOT_SUPPORTED + what);
    }

    Optional<Section> section(String field) {
        return value(field, "an object", JsonNode::isObject).map(value -> new Section(place(field), value, problems));
    }

    Optional<Section> requiredSection(String field) {
        return require(field, "an object").section(field);
    }

    /** The objects of a list; one that is none is noted and empty. */
    Optional<List<Optional<Section>>> sections(String field) {
        return elements(field).map(Elements::sections);
    }

    /** The names in a list. */
    Optional<List<String>> names(String field) {
        return texts(field, Wording.NAME_SHAPE, Wording::isName);
    }

    /** The texts in a list; one that does not fit is noted and left out. */
    Optional<List<String>> texts(String field, String shape, Predicate<String> fits) {
        return elements(field).map(list -> list.texts(shape, fits));
    }

    private Optional<Elements> elements(String field) {
        return value(field, "a list", JsonNode::isArray).map(list -> new Elements(place(field), list, problems));
    }

    /** The fields of a section whose keys are names of the author's own; a key that is none is noted and left out. */
    List<String> ownNames() {
        return ownKeys(Wording.NAME_SHAPE, name -> Wording.isName(name));
    }

    /** The same for keys of any text. */
    List<String> ownTexts(int longest) {
        return ownKeys("text of 1 to " + longest + " characters", text -> !text.isEmpty() && isText(text, longest));
    }

    private List<String> ownKeys(String shape, Predicate<String> fits) {
        List<String> keys = new ArrayList<>();
        node.fieldNames().forEachRemaining(key -> {
            known.add(key);
            if (fits.test(key)) {
                keys.add(key);
            } else {
                problems.add(place(key), "has a key that is not " + shape);
            }
        });
        return keys;
    }

    /** Notes every field that was not asked for. */
    void close() {
        node.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                problems.add(place(name), "is not a field of the format; what may stand here is " + known);
            }
        });
    }

    private Optional<JsonNode> value(String field, String shape, Predicate<JsonNode> fits) {
        if (!has(field)) {
            return Optional.empty();
        }
        JsonNode value = node.get(field);
        if (!fits.test(value)) {
            problems.add(place(field), "is " + Wording.shown(value) + "; it must be " + shape);
            return Optional.empty();
        }
        return Optional.of(value);
    }

    /** Half of a surrogate pair is no text: it has no UTF-8. */
    static boolean isText(String value, int longest) {
        return value.length() <= longest && StandardCharsets.UTF_8.newEncoder().canEncode(value);
    }

    private static boolean isText(JsonNode value, int longest) {
        return value.isTextual() && isText(value.textValue(), longest);
    }
}
