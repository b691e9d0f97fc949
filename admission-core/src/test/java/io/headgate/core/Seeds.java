package io.headgate.core;

import java.util.Random;

/**
 * Runs a property once for each of many seeds. A failure names its seed; {@code -Dheadgate.seed=N} (or {@code
 * HEADGATE_SEED=N}) runs that one alone, {@code -Dheadgate.seeds=N} runs N of them instead of the usual number.
 */
public final class Seeds {

    private static final int USUAL = 200;

    private Seeds() {}

    /** A statement that must hold whatever the generator brings. */
    @FunctionalInterface
    public interface Property {
        void check(Random random);
    }

    public static void forEach(Property property) {
        forEach(USUAL, property);
    }

    /** Returns for how many seeds it ran. */
    public static int forEach(int seeds, Property property) {
        String only = only();
        if (!only.isEmpty()) {
            check(Long.parseLong(only), property);
            return 1;
        }
        int count = Integer.getInteger("headgate.seeds", seeds);
        for (long seed = 1; seed <= count; seed++) {
            check(seed, property);
        }
        return count;
    }

    /** Whether nobody asked for one seed alone or for another number of them. */
    public static boolean areUsual() {
        return only().isEmpty() && Integer.getInteger("headgate.seeds") == null;
    }

    private static String only() {
        return System.getProperty("headgate.seed", System.getenv().getOrDefault("HEADGATE_SEED", ""));
    }

    private static void check(long seed, Property property) {
        try {
            property.check(new Random(seed));
        } catch (AssertionError | RuntimeException failure) {
            throw new AssertionError(
                    "fails with seed " + seed + " (alone: -Dheadgate.seed=" + seed + "): " + failure, failure);
        }
    }
}
