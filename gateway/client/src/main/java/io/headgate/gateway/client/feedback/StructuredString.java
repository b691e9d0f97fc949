package io.headgate.gateway.client.feedback;

import java.util.Optional;

/** Strings of structured fields (RFC 9651 §3.3.3): printable ASCII in quotes, with a backslash before a quote or another. */
final class StructuredString {

    private static final char FIRST = ' ';
    private static final char LAST = '~';

    private StructuredString() {}

    /** The text as it stands in a field; empty if it has a character that no such string may have. */
    static Optional<String> of(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < FIRST || c > LAST) {
                return Optional.empty();
            }
            if (c == '"' || c == '\\') {
                out.append('\\');
            }
            out.append(c);
        }
        return Optional.of(out.append('"').toString());
    }
}
