package io.headgate.core.decision;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a decision by where its request stands: shard, offset in the shard log, index in the record. Written {@code
 * 3-1042-0}.
 */
public record DecisionId(int shard, long offset, int index) {

    private static final Pattern WRITTEN = Pattern.compile("(\\d{1,9})-(\\d{1,18})-(\\d{1,9})");

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException if it is not that
     */
    public static DecisionId parse(String written) {
        Matcher parts = WRITTEN.matcher(written);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "decision id is '" + written + "'; it must be shard-offset-index, such as 3-1042-0");
        }
        return new DecisionId(
                Integer.parseInt(parts.group(1)), Long.parseLong(parts.group(2)), Integer.parseInt(parts.group(3)));
    }

    @Override
    public String toString() {
        return shard + "-" + offset + "-" + index;
    }
}
