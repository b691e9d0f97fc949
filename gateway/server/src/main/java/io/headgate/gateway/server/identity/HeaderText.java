package io.headgate.gateway.server.identity;

import com.linecorp.armeria.common.HttpHeaders;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The text of a header field that says who asks: there once, in UTF-8, without control characters, and not too long. No
 * message repeats it.
 */
public final class HeaderText {

    private HeaderText() {}

    /**
     * Reads one; empty if it is not there, or blank.
     *
     * @param most characters that it may have
     * @throws RefusedException with the status 400
     */
    public static Optional<String> of(HttpHeaders headers, String name, int most) {
        List<String> values = headers.getAll(name);
        if (values.isEmpty()) {
            return Optional.empty();
        }
        String field = "header " + name;
        if (values.size() > 1) {
            throw RefusedException.malformed(field + " is there " + values.size() + " times; it may be there once");
        }
        String text = checked(field, utf8(field, values.get(0)), most);
        return text.isBlank() ? Optional.empty() : Optional.of(text);
    }

    /**
     * Makes sure that a text can be what it says it is.
     *
     * @param field names it in a message
     * @throws RefusedException with the status 400
     */
    static String checked(String field, String text, int most) {
        if (text.length() > most) {
            throw RefusedException.malformed(
                    field + " has " + text.length() + " characters; at most " + most + " are allowed");
        }
        for (int i = 0; i < text.length(); i++) {
            int type = Character.getType(text.charAt(i));
            if (type == Character.CONTROL
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR) {
                throw RefusedException.malformed(field + " has a control character at " + i + "; it must have none");
            }
        }
        return text;
    }

    /** A field's bytes come as characters of one byte each; what they are in UTF-8. */
    private static String utf8(String field, String value) {
        boolean bytes = value.chars().allMatch(character -> character <= 0xff);
        boolean ascii = value.chars().allMatch(character -> character <= 0x7f);
        if (ascii || !bytes) {
            return value;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException broken) {
            throw RefusedException.malformed(field + " is not in UTF-8");
        }
    }
}
