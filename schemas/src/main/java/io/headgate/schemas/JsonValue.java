package io.headgate.schemas;

import java.util.List;

/** A JSON value as it was written: nothing is rounded, merged or left out. */
sealed interface JsonValue {

    /** What it is, in words. */
    String kind();

    /** A string; it may hold half a surrogate pair, which JSON can write and Unicode does not have. */
    record Text(String text) implements JsonValue {
        @Override
        public String kind() {
            return "a string";
        }
    }

    /** A number, digit by digit: {@code 1.0} and {@code 1e3} are not {@code 1} and {@code 1000}. */
    record Numeral(String written) implements JsonValue {
        @Override
        public String kind() {
            return written;
        }
    }

    record Flag(boolean set) implements JsonValue {
        @Override
        public String kind() {
            return Boolean.toString(set);
        }
    }

    record Nothing() implements JsonValue {
        @Override
        public String kind() {
            return "null";
        }
    }

    record Items(List<JsonValue> values) implements JsonValue {
        @Override
        public String kind() {
            return "a list";
        }
    }

    /** An object, in the order of the text; a name may stand several times. */
    record Fields(List<Field> fields) implements JsonValue {
        @Override
        public String kind() {
            return "an object";
        }
    }

    /** One name of an object and what stands behind it. */
    record Field(String name, JsonValue value) {}
}
