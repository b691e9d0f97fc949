package io.headgate.tools.imports;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.schemas.RateLimitDescriptor.Entry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Requests near what a configuration speaks of: its keys and values, others, too few and too many entries. */
public final class EnvoyRequests {

    private final Set<String> keys = new LinkedHashSet<>();
    private final Set<String> values = new LinkedHashSet<>(List.of("other", "", "a/b ?*{}%ü", "v".repeat(300)));
    private final JsonNode root;
    private final Random random;

    public EnvoyRequests(JsonNode root, Random random) {
        this.root = root;
        this.random = random;
        collect(root);
    }

    private void collect(JsonNode node) {
        for (JsonNode child : node.path("descriptors")) {
            keys.add(child.path("key").asText());
            if (child.has("value")) {
                values.add(child.path("value").asText());
                values.add(child.path("value").asText().replace("*", "1"));
            }
            collect(child);
        }
    }

    public List<Entry> next() {
        List<Entry> entries = new ArrayList<>();
        JsonNode at = root;
        do {
            JsonNode children = at.path("descriptors");
            boolean strays = children.isEmpty() || random.nextInt(8) == 0;
            at = strays ? at : children.get(random.nextInt(children.size()));
            String key = strays ? pick(keys) : at.path("key").asText();
            boolean named = !strays && at.has("value") && random.nextInt(4) > 0;
            entries.add(new Entry(key, named ? at.path("value").asText() : pick(values)));
        } while (random.nextInt(5) > 0 && entries.size() < 5);
        return entries;
    }

    private String pick(Set<String> some) {
        return List.copyOf(some).get(random.nextInt(some.size()));
    }
}
