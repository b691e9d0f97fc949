package io.headgate.gateway.client.feedback;

import java.util.List;
import java.util.Map;

/** A problem as {@code application/problem+json}, without a library for it. */
final class ProblemJson {

    private static final int FIRST_PRINTABLE = 0x20;

    private final StringBuilder json = new StringBuilder();

    private ProblemJson() {}

    static String of(HttpProblem problem, int status) {
        ProblemJson writer = new ProblemJson();
        writer.json.append('{');
        writer.member("type", problem.type());
        writer.member("title", problem.title());
        writer.member("status", (long) status);
        writer.member("detail", problem.detail());
        for (Map.Entry<String, Object> member : problem.members().entrySet()) {
            writer.member(member.getKey(), member.getValue());
        }
        return writer.json.append('}').toString();
    }

    private void member(String name, Object value) {
        if (json.length() > 1) {
            json.append(',');
        }
        text(name);
        json.append(':');
        value(value);
    }

    private void value(Object value) {
        if (value instanceof List<?> list) {
            json.append('[');
            for (int i = 0; i < list.size(); i++) {
                if (i > 0) {
                    json.append(',');
                }
                value(list.get(i));
            }
            json.append(']');
        } else if (value instanceof Long || value instanceof Boolean) {
            json.append(value);
        } else {
            text((String) value);
        }
    }

    private void text(String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < FIRST_PRINTABLE || Character.isSurrogate(c)) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
