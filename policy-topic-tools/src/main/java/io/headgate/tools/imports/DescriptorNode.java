package io.headgate.tools.imports;

import java.util.List;
import java.util.Optional;

/**
 * A descriptor of a rate limit service's configuration.
 *
 * @param key not empty
 * @param value empty if it takes every value
 * @param limit what is allowed to a request that ends here
 * @param shadow whether a request beyond the limit passes all the same
 * @param shared whether all values that a pattern takes count together
 * @param children in the order of the file
 */
record DescriptorNode(
        Place place,
        String key,
        String value,
        Optional<RateLimit> limit,
        boolean shadow,
        boolean shared,
        List<DescriptorNode> children) {

    DescriptorNode {
        children = List.copyOf(children);
    }

    /**
     * What is allowed.
     *
     * @param requests per unit; 0 where it is unlimited
     * @param unit empty if it is unlimited
     * @param name may be empty
     */
    record RateLimit(long requests, Optional<Unit> unit, String name) {}

    /** The units, each a fixed length of time counted from the epoch. */
    enum Unit {
        SECOND("1s"),
        MINUTE("1m"),
        HOUR("1h"),
        DAY("1d"),
        WEEK("7d"),
        MONTH("30d"),
        YEAR("365d");

        private final String per;

        Unit(String per) {
            this.per = per;
        }

        /** As a policy writes the duration. */
        String per() {
            return per;
        }
    }

    /** What two of one level may not have in common: how that service looks a descriptor up. */
    String lookUpKey() {
        return value.isEmpty() ? key : key + "_" + value;
    }

    /** Whether every value is taken, by a pattern or for want of a value. */
    boolean takesAll() {
        return value.isEmpty() || isStars();
    }

    boolean isStars() {
        return value.matches("\\*+");
    }

    /** Whether a part of its values is taken by a pattern, which no route can say. */
    boolean isPartPattern() {
        return key.contains("*") || (value.contains("*") && !isStars());
    }
}
