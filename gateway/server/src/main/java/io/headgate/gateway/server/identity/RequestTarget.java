package io.headgate.gateway.server.identity;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The path of a request, in the one spelling that routes are compared with, so that nobody escapes a rule by writing a path
 * another way (RFC 3986 §6.2.2): {@code //a/./b/../%63?q=1} is {@code /a/c}. The query is cut off, {@code %} and two digits
 * become the letter where that is harmless, {@code .} and {@code ..} are followed, and slashes in a row are one. A path is
 * refused if some servers would follow it to another place than others.
 */
public final class RequestTarget {

    /** The longest path, in characters. */
    static final int MAX_LENGTH = 4_000;

    private static final int ESCAPE = 3;

    private RequestTarget() {}

    /**
     * Reads one.
     *
     * @param field names it in a message
     * @param target a path, perhaps with a query, or a URI with both
     * @throws RefusedException with the status 400
     */
    public static String path(String field, String target) {
        String raw = withoutQuery(withoutAuthority(target));
        if (raw.length() > MAX_LENGTH) {
            throw RefusedException.malformed(field + " has " + raw.length() + " characters before its query; at most "
                    + MAX_LENGTH + " are allowed");
        }
        String path = unescaped(field, raw);
        if (!path.startsWith("/")) {
            throw RefusedException.malformed(field + " does not begin with '/'");
        }
        return followed(field, path);
    }

    private static String withoutAuthority(String target) {
        int authority = target.startsWith("http://") ? 7 : target.startsWith("https://") ? 8 : 0;
        if (authority == 0) {
            return target;
        }
        for (int i = authority; i < target.length(); i++) {
            if ("/?#".indexOf(target.charAt(i)) >= 0) {
                return target.charAt(i) == '/' ? target.substring(i) : "/";
            }
        }
        return "/";
    }

    private static String withoutQuery(String target) {
        int end = 0;
        while (end < target.length() && target.charAt(end) != '?' && target.charAt(end) != '#') {
            end++;
        }
        return target.substring(0, end);
    }

    private static String unescaped(String field, String path) {
        StringBuilder out = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            char character = path.charAt(i);
            if (character <= ' ' || character > '~') {
                throw RefusedException.malformed(
                        field + " has a character at " + i + " that must be written with '%' and two digits");
            }
            if (character != '%') {
                out.append(character);
                continue;
            }
            if (i + ESCAPE > path.length()
                    || !HexFormat.isHexDigit(path.charAt(i + 1))
                    || !HexFormat.isHexDigit(path.charAt(i + 2))) {
                throw RefusedException.malformed(field + " has a '%' at " + i + " without two hexadecimal digits");
            }
            char meant = (char) HexFormat.fromHexDigits(path, i + 1, i + ESCAPE);
            if (isUnreserved(meant)) {
                out.append(meant);
            } else {
                out.append('%').append(HexFormat.of().withUpperCase().toHexDigits((byte) meant));
            }
            i += ESCAPE - 1;
        }
        return out.toString();
    }

    private static boolean isUnreserved(char character) {
        return (character >= 'a' && character <= 'z')
                || (character >= 'A' && character <= 'Z')
                || (character >= '0' && character <= '9')
                || "-._~".indexOf(character) >= 0;
    }

    private static String followed(String field, String path) {
        List<String> kept = new ArrayList<>();
        boolean endsInSlash = true;
        for (String segment : path.substring(1).split("/", -1)) {
            endsInSlash = segment.isEmpty() || segment.equals(".") || segment.equals("..");
            if (segment.equals("..")) {
                if (!kept.isEmpty()) {
                    kept.remove(kept.size() - 1);
                }
            } else if (!endsInSlash) {
                kept.add(unambiguous(field, segment));
            }
        }
        String all = "/" + String.join("/", kept);
        return endsInSlash && !kept.isEmpty() ? all + "/" : all;
    }

    /** Servers that take {@code %2F}, {@code %5C} or a backslash for a slash would follow the dots beside it. */
    private static String unambiguous(String field, String segment) {
        for (String part : segment.split("%2F|%5C|\\\\", -1)) {
            if (!part.equals(segment) && (part.equals(".") || part.equals(".."))) {
                throw RefusedException.malformed(field + " has '.' or '..' beside an escaped slash or a backslash");
            }
        }
        return segment;
    }
}
