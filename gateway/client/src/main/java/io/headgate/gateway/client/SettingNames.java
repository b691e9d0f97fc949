package io.headgate.gateway.client;

import java.util.Collection;
import java.util.Comparator;

/** Catches misspelt names of settings, which would otherwise be ignored. */
public final class SettingNames {

    private SettingNames() {}

    /**
     * Makes sure that each given name is known.
     *
     * @throws IllegalArgumentException naming the first that is not, and the known one that looks most like it
     */
    public static void refuseUnknown(Collection<String> given, Collection<String> known) {
        given.stream()
                .sorted()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(unknown -> {
                    throw new IllegalArgumentException(
                            "there is no setting '" + unknown + "'; the closest is '" + closest(unknown, known) + "'");
                });
    }

    /** The known name that takes the fewest letters inserted, removed and replaced; of several the first by name. */
    public static String closest(String name, Collection<String> known) {
        return known.stream()
                .sorted()
                .min(Comparator.comparingInt(candidate -> distance(name, candidate)))
                .orElse("");
    }

    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j - 1], row[j]));
            }
        }
        return row[to.length()];
    }
}
