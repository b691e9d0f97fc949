package io.headgate.gateway.server.identity;

import java.util.ArrayList;
import java.util.List;

/**
 * The header {@code Forwarded} (RFC 7239), of which only {@code for} counts. It is read as a whole: a quotation mark that is
 * left open to swallow what the next proxy appends makes all of it malformed.
 */
final class ForwardedElements {

    private final String text;
    private final List<String> nodes = new ArrayList<>();
    private int at;

    private ForwardedElements(String text) {
        this.text = text;
    }

    /**
     * The value of {@code for} in each element, in order; empty where an element has none.
     *
     * @throws RefusedException if it is malformed
     */
    static List<String> nodes(String text) {
        ForwardedElements elements = new ForwardedElements(text);
        elements.read();
        return elements.nodes;
    }

    private void read() {
        while (true) {
            nodes.add(element());
            if (at == text.length()) {
                return;
            }
            expect(',');
        }
    }

    private String element() {
        String node = "";
        boolean found = false;
        while (true) {
            skipSpace();
            String name = token();
            if (!name.isEmpty()) {
                expect('=');
                String value = at < text.length() && text.charAt(at) == '"' ? quoted() : token();
                if (name.equalsIgnoreCase("for")) {
                    if (found) {
                        throw malformed();
                    }
                    found = true;
                    node = value;
                }
                skipSpace();
            }
            if (at == text.length() || text.charAt(at) != ';') {
                return node;
            }
            at++;
        }
    }

    /** As many characters of a token as there are; of an address, too, which some leave without its quotation marks. */
    private String token() {
        int from = at;
        while (at < text.length() && isToken(text.charAt(at))) {
            at++;
        }
        return text.substring(from, at);
    }

    private static boolean isToken(char character) {
        return (character < 0x80 && Character.isLetterOrDigit(character))
                || "!#$%&'*+-.^_`|~:[]".indexOf(character) >= 0;
    }

    private String quoted() {
        StringBuilder value = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char character = text.charAt(at);
            if (character == '"') {
                at++;
                return value.toString();
            }
            if (character == '\\' && at + 1 < text.length()) {
                at++;
            }
            value.append(text.charAt(at));
        }
        throw malformed();
    }

    private void skipSpace() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
    }

    private void expect(char character) {
        if (at == text.length() || text.charAt(at) != character) {
            throw malformed();
        }
        at++;
    }

    private RefusedException malformed() {
        return RefusedException.malformed("header Forwarded is malformed at " + at + " (RFC 7239)");
    }
}
