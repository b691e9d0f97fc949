package io.headgate.core.decision;

/**
 * Names a decision by where its request stands: shard, offset in the shard log, index in the record. Written {@code
 * 3-1042-0}.
 */
public record DecisionId(int shard, long offset, int index) {

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException if it is not that
     */
    public static DecisionId parse(String written) {
        int first = written.indexOf('-');
        int last = written.lastIndexOf('-');
        if (!isNumber(written, 0, first, 9)
                || !isNumber(written, first + 1, last, 18)
                || !isNumber(written, last + 1, written.length(), 9)) {
            throw new IllegalArgumentException(
                    "decision id is '" + written + "'; it must be shard-offset-index, such as 3-1042-0");
        }
        return new DecisionId(
                Integer.parseInt(written, 0, first, 10),
                Long.parseLong(written, first + 1, last, 10),
                Integer.parseInt(written, last + 1, written.length(), 10));
    }

    private static boolean isNumber(String written, int from, int to, int mostDigits) {
        if (to <= from || to - from > mostDigits) {
            return false;
        }
        for (int i = from; i < to; i++) {
            if (written.charAt(i) < '0' || written.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return shard + "-" + offset + "-" + index;
    }
}
