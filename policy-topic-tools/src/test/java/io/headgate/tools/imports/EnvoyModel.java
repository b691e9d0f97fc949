package io.headgate.tools.imports;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.headgate.schemas.RateLimitDescriptor.Entry;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What envoyproxy/ratelimit does with one descriptor, from its README, the plain way: at each level a descriptor with the
 * key and the value, else the first whose pattern takes it, else one with the key alone; no way back; a limit counts only
 * if as many levels as entries were gone. One counter for the values of all entries in each window.
 */
public final class EnvoyModel {

    private static final Map<String, Long> SECONDS = Map.of(
            "second", 1L,
            "minute", 60L,
            "hour", 3_600L,
            "day", 86_400L,
            "week", 7 * 86_400L,
            "month", 30 * 86_400L,
            "year", 365 * 86_400L);

    private final String domain;
    private final JsonNode root;
    private final Map<String, Long> counters = new HashMap<>();

    public EnvoyModel(String yaml) {
        try {
            root = new YAMLMapper().readTree(yaml);
            domain = root.path("domain").asText();
        } catch (IOException e) {
            throw new IllegalArgumentException(e);
        }
    }

    public String domain() {
        return domain;
    }

    public JsonNode root() {
        return root;
    }

    /**
     * What a descriptor comes to.
     *
     * @param node the one with the limit; empty if there is none
     * @param pattern whether it went by a pattern that takes a part of the values
     * @param counted what it counts as, beside the window
     */
    public record Found(Optional<JsonNode> node, boolean pattern, String counted) {

        public boolean limited() {
            return node.isPresent();
        }
    }

    /**
     * What comes of a request.
     *
     * @param exceeded whether it is beyond the limit
     * @param denied whether that counts
     */
    public record Outcome(Found found, boolean exceeded, boolean denied) {}

    public Outcome ask(List<Entry> entries, long hits, long nowMillis) {
        Found found = find(entries);
        if (!found.limited()
                || found.node().get().path("rate_limit").path("unlimited").asBoolean()) {
            return new Outcome(found, false, false);
        }
        JsonNode limit = found.node().get().path("rate_limit");
        long seconds = SECONDS.get(limit.path("unit").asText());
        long window = nowMillis / 1_000 / seconds * seconds;
        long count = counters.merge(found.counted() + "@" + window, hits, Long::sum);
        boolean exceeded = count > limit.path("requests_per_unit").asLong();
        boolean shadow = found.node().get().path("shadow_mode").asBoolean();
        return new Outcome(found, exceeded, exceeded && !shadow);
    }

    public Found find(List<Entry> entries) {
        JsonNode level = root;
        boolean pattern = false;
        StringBuilder counted = new StringBuilder();
        for (Entry entry : entries) {
            JsonNode exact = null;
            JsonNode byPattern = null;
            JsonNode byKey = null;
            for (JsonNode one : level.path("descriptors")) {
                String value = one.path("value").asText("");
                if (!one.path("key").asText().equals(entry.key())) {
                    continue;
                }
                if (value.isEmpty()) {
                    byKey = one;
                } else if (!value.contains("*") && value.equals(entry.value())) {
                    exact = one;
                } else if (byPattern == null && value.contains("*") && takes(value, entry.value())) {
                    byPattern = one;
                }
            }
            JsonNode next = exact != null ? exact : byPattern != null ? byPattern : byKey;
            if (next == null) {
                return new Found(Optional.empty(), pattern, "");
            }
            boolean byStars = exact == null && byPattern != null;
            boolean shared = byStars && next.path("share_threshold").asBoolean();
            pattern |= byStars && !next.path("value").asText().matches("\\*+");
            counted.append(entry.key())
                    .append('\u0000')
                    .append(shared ? "\u0001" + next.path("value").asText() : entry.value())
                    .append('\u0000');
            level = next;
        }
        return new Found(level.has("rate_limit") ? Optional.of(level) : Optional.empty(), pattern, counted.toString());
    }

    private static boolean takes(String pattern, String value) {
        String regex = Pattern.compile("\\*")
                .splitAsStream(pattern + "\u0002")
                .map(Pattern::quote)
                .collect(Collectors.joining(".*"));
        return Pattern.compile(regex, Pattern.DOTALL).matcher(value + "\u0002").matches();
    }
}
