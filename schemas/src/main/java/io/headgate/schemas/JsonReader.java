package io.headgate.schemas;

import io.headgate.schemas.JsonValue.Field;
import io.headgate.schemas.JsonValue.Fields;
import io.headgate.schemas.JsonValue.Flag;
import io.headgate.schemas.JsonValue.Items;
import io.headgate.schemas.JsonValue.Nothing;
import io.headgate.schemas.JsonValue.Numeral;
import io.headgate.schemas.JsonValue.Text;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads one JSON text (RFC 8259), by the letter. Written out here rather than left to a library, because what a shard
 * makes of a record is part of its fold: what is refused, and the place that is named, must be the same on every node
 * and after every upgrade. Columns count characters, lines end with a line feed.
 */
final class JsonReader {

    /** A batch with attributes is four deep. */
    static final int MAX_NESTING = 8;

    static final int MAX_NUMBER_LENGTH = 64;

    /** Far more than 500 commands can use; without it a record of brackets would become a hundred times its size. */
    static final int MAX_VALUES = 100_000;

    private static final int END = -1;

    private final String text;
    private int at;
    private int values;

    private JsonReader(String text) {
        this.text = text;
    }

    /**
     * Reads the one value in the bytes.
     *
     * @throws UnreadableRecordException naming line and column of what is wrong
     */
    static JsonValue read(byte[] bytes) {
        JsonReader reader = new JsonReader(decoded(bytes));
        JsonValue value = reader.value(0);
        reader.skipSpace();
        if (reader.current() != END) {
            throw reader.misplaced("the text must end");
        }
        return value;
    }

    private static String decoded(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer chars = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), chars, true);
        String text = chars.flip().toString();
        if (result.isError()) {
            JsonReader broken = new JsonReader(text);
            broken.at = text.length();
            throw broken.wrong("the bytes from here on are not UTF-8");
        }
        return text;
    }

    private JsonValue value(int depth) {
        skipSpace();
        if (++values > MAX_VALUES) {
            throw wrong("there are more than " + MAX_VALUES + " values");
        }
        int c = current();
        return switch (c) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> new Text(string());
            case 't' -> word("true", new Flag(true));
            case 'f' -> word("false", new Flag(false));
            case 'n' -> word("null", new Nothing());
            default -> {
                if (c != '-' && !isDigit(c)) {
                    throw misplaced("a value must begin");
                }
                yield number();
            }
        };
    }

    private JsonValue object(int depth) {
        open(depth);
        List<Field> fields = new ArrayList<>();
        skipSpace();
        if (!accept('}')) {
            do {
                skipSpace();
                if (current() != '"') {
                    throw misplaced("a field's name must begin with '\"'");
                }
                String name = string();
                skipSpace();
                expect(':');
                fields.add(new Field(name, value(depth + 1)));
                skipSpace();
            } while (accept(','));
            expect('}');
        }
        return new Fields(fields);
    }

    private JsonValue array(int depth) {
        open(depth);
        List<JsonValue> items = new ArrayList<>();
        skipSpace();
        if (!accept(']')) {
            do {
                items.add(value(depth + 1));
                skipSpace();
            } while (accept(','));
            expect(']');
        }
        return new Items(items);
    }

    private void open(int depth) {
        if (depth == MAX_NESTING) {
            throw wrong("lists and objects are nested more than " + MAX_NESTING + " deep");
        }
        at++;
    }

    private String string() {
        at++;
        StringBuilder read = new StringBuilder();
        while (true) {
            int from = at;
            while (current() >= ' ' && current() != '"' && current() != '\\') {
                at++;
            }
            read.append(text, from, at);
            if (accept('"')) {
                return read.toString();
            }
            if (!accept('\\')) {
                throw misplaced("a string must go on; a control character in it is written \\uXXXX");
            }
            read.append(escaped());
        }
    }

    private char escaped() {
        int c = current();
        if (c != 'u') {
            int which = "\"\\/bfnrt".indexOf(c);
            if (which < 0) {
                throw misplaced("one of \"\\/bfnrtu must follow the backslash");
            }
            at++;
            return "\"\\/\b\f\n\r\t".charAt(which);
        }
        at++;
        int unit = 0;
        for (int digit = 0; digit < 4; digit++) {
            if (!HexFormat.isHexDigit(current())) {
                throw misplaced("a hexadecimal digit must stand");
            }
            unit = unit << 4 | HexFormat.fromHexDigit(current());
            at++;
        }
        return (char) unit;
    }

    private JsonValue number() {
        int from = at;
        accept('-');
        if (!accept('0')) {
            digits();
        }
        if (accept('.')) {
            digits();
        }
        if (accept('e') || accept('E')) {
            if (!accept('+')) {
                accept('-');
            }
            digits();
        }
        int length = at - from;
        if (length > MAX_NUMBER_LENGTH) {
            at = from;
            throw wrong("a number has " + length + " characters; at most " + MAX_NUMBER_LENGTH + " are allowed");
        }
        return new Numeral(text.substring(from, at));
    }

    private void digits() {
        if (!isDigit(current())) {
            throw misplaced("a digit must stand");
        }
        while (isDigit(current())) {
            at++;
        }
    }

    private JsonValue word(String word, JsonValue meant) {
        if (!text.startsWith(word, at)) {
            throw misplaced("a value must begin, or the word " + word + " stand whole");
        }
        at += word.length();
        return meant;
    }

    private void skipSpace() {
        while (current() == ' ' || current() == '\n' || current() == '\r' || current() == '\t') {
            at++;
        }
    }

    private int current() {
        return at < text.length() ? text.charAt(at) : END;
    }

    private boolean accept(char wanted) {
        boolean found = current() == wanted;
        at += found ? 1 : 0;
        return found;
    }

    private void expect(char wanted) {
        if (!accept(wanted)) {
            throw misplaced("'" + wanted + "' must stand");
        }
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private UnreadableRecordException misplaced(String expected) {
        int c = current() == END ? END : text.codePointAt(at);
        String found = c == END ? "the end" : c > ' ' && c < 0x7f ? "'" + (char) c + "'" : String.format("U+%04X", c);
        return wrong("here is " + found + "; " + expected);
    }

    private UnreadableRecordException wrong(String what) {
        int lineStart = text.lastIndexOf('\n', at - 1) + 1;
        long line =
                1 + text.substring(0, lineStart).chars().filter(c -> c == '\n').count();
        int column = 1 + text.codePointCount(lineStart, at);
        return new UnreadableRecordException(
                "value cannot be read as JSON: line " + line + ", column " + column + ": " + what);
    }
}
