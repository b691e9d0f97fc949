package io.headgate.schemas;

import java.util.Map;

/**
 * A topic as it must be.
 *
 * @param name its name
 * @param partitions how many
 * @param config the settings that matter, by Kafka's names
 */
public record TopicSpec(String name, int partitions, Map<String, String> config) {

    public TopicSpec {
        config = Map.copyOf(config);
    }
}
