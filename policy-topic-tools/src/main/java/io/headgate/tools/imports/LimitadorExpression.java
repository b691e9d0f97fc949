package io.headgate.tools.imports;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a limit of Limitador names: an entry of a descriptor and, in a condition, the value that it must have. Of the
 * expressions that are possible there these forms are understood: {@code descriptors[0].method == 'GET'}, {@code
 * descriptors[0]['req.method'] == "GET"}, {@code 'GET' == method}, and, of versions before 1.0, {@code method == GET}.
 *
 * @param descriptor which descriptor of the request, from 0
 * @param key the entry's key
 * @param value what it must have; empty text in a variable
 * @param old whether it is of a version that had one set of entries a request
 */
record LimitadorExpression(int descriptor, String key, String value, boolean old) {

    private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*";
    private static final String OLD_NAME = "[A-Za-z_][A-Za-z0-9_.-]*";
    private static final String TEXT = "'[^'\\\\]*'|\"[^\"\\\\]*\"";
    private static final String ENTRY = "descriptors\\[(?<at>[0-9]{1,2})\\](?:\\.(?<field>" + IDENTIFIER
            + ")|\\[(?<index>" + TEXT + ")\\])|(?<name>" + IDENTIFIER + ")";

    private static final Pattern VARIABLE = Pattern.compile("\\s*(?:" + ENTRY + ")\\s*");
    private static final Pattern EQUALS = Pattern.compile("\\s*(?:" + ENTRY + ")\\s*==\\s*(?<value>" + TEXT + ")\\s*");
    private static final Pattern REVERSED =
            Pattern.compile("\\s*(?<value>" + TEXT + ")\\s*==\\s*(?:" + ENTRY + ")\\s*");
    private static final Pattern UNQUOTED =
            Pattern.compile("(?<name>" + OLD_NAME + ") == (?<value>[^'\"=()\\[\\]\\s][^'\"=()\\[\\]]*)");

    /** Reads a condition; empty if it is of another form. */
    static Optional<LimitadorExpression> condition(String written) {
        for (Pattern pattern : new Pattern[] {EQUALS, REVERSED}) {
            Matcher matcher = pattern.matcher(written);
            if (matcher.matches()) {
                return Optional.of(of(matcher, unquoted(matcher.group("value"))));
            }
        }
        Matcher matcher = UNQUOTED.matcher(written);
        return matcher.matches()
                ? Optional.of(new LimitadorExpression(0, matcher.group("name"), matcher.group("value"), true))
                : Optional.empty();
    }

    /** Reads a variable; empty if it is of another form. */
    static Optional<LimitadorExpression> variable(String written) {
        Matcher matcher = VARIABLE.matcher(written);
        return matcher.matches() ? Optional.of(of(matcher, "")) : Optional.empty();
    }

    private static LimitadorExpression of(Matcher matcher, String value) {
        if (matcher.group("name") != null) {
            return new LimitadorExpression(0, matcher.group("name"), value, true);
        }
        String key = matcher.group("field") == null ? unquoted(matcher.group("index")) : matcher.group("field");
        return new LimitadorExpression(Integer.parseInt(matcher.group("at")), key, value, false);
    }

    private static String unquoted(String text) {
        return text.substring(1, text.length() - 1);
    }
}
