package io.headgate.tools.imports;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A configuration of envoyproxy/ratelimit made at random: up to four levels, few keys and values, so that descriptors with
 * and without values, stars and patterns stand side by side.
 */
final class RandomConfiguration {

    private static final List<String> KEYS = List.of("a", "b c", "k/", "ключ", "entry.1", "a");
    private static final List<String> VALUES = List.of("", "", "x", "y z", "*", "**", "x*", "x/y", "{x}", "%");
    private static final List<String> UNITS =
            List.of("second", "minute", "hour", "day", "week", "month", "year", "second");

    private final Random random;
    private final StringBuilder yaml = new StringBuilder("domain: \"r/ d\"\n");

    RandomConfiguration(Random random) {
        this.random = random;
    }

    String yaml() {
        level("", 4);
        return yaml.toString();
    }

    private void level(String indent, int levels) {
        yaml.append(indent).append("descriptors:\n");
        Set<String> taken = new HashSet<>();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            String key = KEYS.get(random.nextInt(KEYS.size()));
            String value = VALUES.get(random.nextInt(VALUES.size()));
            if (taken.add(key + "_" + value)) {
                descriptor(indent + "  ", key, value, levels);
            }
        }
    }

    private void descriptor(String indent, String key, String value, int levels) {
        yaml.append(indent).append("- key: \"").append(key).append("\"\n");
        if (!value.isEmpty()) {
            line(indent, "value: \"" + value + "\"");
        }
        if (value.contains("*") && random.nextBoolean()) {
            line(indent, "share_threshold: true");
        }
        if (random.nextInt(3) > 0) {
            if (random.nextInt(8) == 0) {
                line(indent, "rate_limit: {unlimited: true}");
            } else {
                line(
                        indent,
                        "rate_limit: {requests_per_unit: " + random.nextInt(6) + ", unit: "
                                + UNITS.get(random.nextInt(UNITS.size())) + "}");
            }
        }
        if (random.nextInt(6) == 0) {
            line(indent, "shadow_mode: true");
        }
        if (levels > 1 && random.nextInt(3) > 0) {
            level(indent + "  ", levels - 1);
        }
    }

    private void line(String indent, String text) {
        yaml.append(indent).append("  ").append(text).append('\n');
    }
}
