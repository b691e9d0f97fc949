package io.headgate.tools;

import io.headgate.tools.AccessLog.Entry;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One line of a log in the common format, {@code host ident user [time] "request" status bytes}, or the combined one, with
 * {@code "referer" "agent"} after that. Further fields, which many servers are set up to add, are passed over.
 */
final class AccessLogLine {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss Z", Locale.ENGLISH)
            .withResolverStyle(ResolverStyle.STRICT);

    private static final Pattern STATUS = Pattern.compile("-|[0-9]{3}");
    private static final Pattern BYTES = Pattern.compile("-|[0-9]{1,18}");

    private final String line;
    private int at;

    private AccessLogLine(String line) {
        this.line = line;
    }

    static Entry parse(String line) throws UnreadableLineException {
        return new AccessLogLine(line).parse();
    }

    private Entry parse() throws UnreadableLineException {
        String ip = word("address");
        word("identity");
        String user = upTo(" [", "time");
        if (ip.isEmpty() || user.startsWith("- ")) {
            throw new UnreadableLineException("does not begin with an address, an identity and a user");
        }
        long timeMillis = millis(upTo("] ", "request"));
        String request = quoted("request");
        expectSpace("status");
        int status = (int) number(word("status"), STATUS, "status");
        long bytes = number(word("size"), BYTES, "size");
        String agent = "";
        if (nextIsQuote()) {
            quoted("referer");
            at++;
            agent = nextIsQuote() ? quoted("agent") : "";
        }
        int method = request.indexOf(' ');
        boolean understood = method > 0;
        return new Entry(
                timeMillis,
                ip,
                dashIsEmpty(user),
                understood ? request.substring(0, method) : "",
                understood ? target(request.substring(method + 1)) : "",
                status,
                bytes,
                dashIsEmpty(agent));
    }

    /** The text before the next space, or to the end. */
    private String word(String what) throws UnreadableLineException {
        if (at >= line.length()) {
            throw new UnreadableLineException("ends before its " + what);
        }
        int space = line.indexOf(' ', at);
        int end = space < 0 ? line.length() : space;
        String word = line.substring(at, end);
        at = end + 1;
        return word;
    }

    private String upTo(String mark, String next) throws UnreadableLineException {
        int end = line.indexOf(mark, at);
        if (end < 0) {
            throw new UnreadableLineException("has no '" + mark.trim() + "' before its " + next);
        }
        String text = line.substring(at, end);
        at = end + mark.length();
        return text;
    }

    /** What stands between two quotes. A quote or backslash in it has a backslash before it; other escapes stay. */
    private String quoted(String what) throws UnreadableLineException {
        if (!nextIsQuote()) {
            throw new UnreadableLineException("has no quote before its " + what);
        }
        StringBuilder text = new StringBuilder();
        for (at++; at < line.length(); at++) {
            char c = line.charAt(at);
            if (c == '"') {
                at++;
                return text.toString();
            }
            boolean escaped =
                    c == '\\' && at + 1 < line.length() && (line.charAt(at + 1) == '"' || line.charAt(at + 1) == '\\');
            text.append(escaped ? line.charAt(++at) : c);
        }
        throw new UnreadableLineException("has no quote after its " + what);
    }

    private boolean nextIsQuote() {
        return at < line.length() && line.charAt(at) == '"';
    }

    private void expectSpace(String next) throws UnreadableLineException {
        if (at >= line.length() || line.charAt(at) != ' ') {
            throw new UnreadableLineException("has no space before its " + next);
        }
        at++;
    }

    private static long millis(String time) throws UnreadableLineException {
        try {
            long millis = OffsetDateTime.parse(time, TIME).toInstant().toEpochMilli();
            if (millis >= 0) {
                return millis;
            }
        } catch (DateTimeException e) {
            // Said below.
        }
        throw new UnreadableLineException("has the time '" + BadLine.shown(time, 40)
                + "'; it must be one since 1970, like 17/May/2015:10:05:03 +0000");
    }

    private static long number(String word, Pattern shape, String what) throws UnreadableLineException {
        if (!shape.matcher(word).matches()) {
            throw new UnreadableLineException("has the " + what + " '" + BadLine.shown(word, 40) + "', which is none");
        }
        return word.equals("-") ? 0 : Long.parseLong(word);
    }

    /** The request line without its method: without its protocol, too, if it has one. */
    private static String target(String rest) {
        int protocol = rest.lastIndexOf(" HTTP/");
        return protocol < 0 ? rest : rest.substring(0, protocol);
    }

    private static String dashIsEmpty(String text) {
        return text.equals("-") ? "" : text;
    }
}
