package io.headgate.tools.backtest;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many requests may be newly denied before a pipeline is stopped.
 *
 * @param words as it was asked for; empty for none
 * @param most so many; −1 if it is a share
 * @param tenThousandths a share in hundredths of a percent; −1 if it is a number
 */
record Threshold(String words, long most, long tenThousandths) {

    /** Everything goes. */
    static final Threshold NONE = new Threshold("", Long.MAX_VALUE, -1);

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,15}");
    private static final Pattern PERCENT = Pattern.compile("([0-9]{1,3})(?:\\.([0-9]{1,2}))?\\s*%");

    /**
     * Reads {@code 250}, {@code 1%} or {@code 0.25%}.
     *
     * @throws IllegalArgumentException saying what it must be
     */
    static Threshold parse(String words) {
        if (NUMBER.matcher(words).matches()) {
            return new Threshold(words, Long.parseLong(words), -1);
        }
        Matcher percent = PERCENT.matcher(words);
        if (percent.matches()) {
            String fraction = percent.group(2) == null ? "" : percent.group(2);
            long share = Long.parseLong(percent.group(1)) * 100 + Long.parseLong((fraction + "00").substring(0, 2));
            if (share <= 10_000) {
                return new Threshold(words, -1, share);
            }
        }
        throw new IllegalArgumentException(
                "'" + words + "' is neither a number of requests, such as 250, nor a share of them, 0% to 100%");
    }

    /** Whether so many newly denied of so many requests are not too many. */
    boolean allows(long newlyDenied, long requests) {
        return tenThousandths < 0
                ? newlyDenied <= most
                : Math.multiplyExact(newlyDenied, 10_000L) <= Math.multiplyExact(requests, tenThousandths);
    }

    boolean isThere() {
        return !words.isEmpty();
    }
}
