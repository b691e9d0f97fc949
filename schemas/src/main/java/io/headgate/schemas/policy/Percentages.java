package io.headgate.schemas.policy;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Shares as documents write them: text such as 20%, or 0.5% where fractions of a percent may stand. Nothing is rounded. */
final class Percentages {

    private static final Pattern PERCENT = Pattern.compile("(0|[1-9][0-9]{0,2})(?:\\.([0-9]{1,2}))?%");

    private Percentages() {}

    /**
     * Reads a percentage.
     *
     * @param decimals how many decimals it may have, 0 to 2
     * @return in units of 10^-decimals percent: 0.5% is 50 at two decimals; empty if it is none
     */
    static OptionalInt parse(String text, int decimals) {
        Matcher matcher = PERCENT.matcher(text);
        String fraction = matcher.matches() && matcher.group(2) != null ? matcher.group(2) : "";
        if (!matcher.matches() || fraction.length() > decimals) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(Integer.parseInt(matcher.group(1) + fraction + "0".repeat(decimals - fraction.length())));
    }

    /** What one looks like, for messages; the bounds are in those units. */
    static String shape(int decimals, int least, int most) {
        int example = least == 0 ? parse("10%", decimals).getAsInt() : least;
        return "a percentage of " + format(least, decimals) + " to " + format(most, decimals)
                + (decimals == 0 ? "" : " with at most " + decimals + (decimals == 1 ? " decimal" : " decimals"))
                + ", such as \"" + format(example, decimals) + "\"";
    }

    /** The shortest way to write one: 50 at two decimals is 0.5%. */
    static String format(int units, int decimals) {
        StringBuilder text = new StringBuilder("0".repeat(decimals)).append(units);
        text.delete(0, Math.min(decimals, text.length() - decimals - 1));
        if (decimals == 0) {
            return text.append('%').toString();
        }
        text.insert(text.length() - decimals, '.');
        while (text.charAt(text.length() - 1) == '0') {
            text.setLength(text.length() - 1);
        }
        if (text.charAt(text.length() - 1) == '.') {
            text.setLength(text.length() - 1);
        }
        return text.append('%').toString();
    }
}
