package io.headgate.schemas;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;

/** The topics of a catalogue on a cluster: made where they are missing, and checked. */
public final class Topics {

    private Topics() {}

    /**
     * Creates the topics that are missing; the replication factor is the cluster's default.
     *
     * @throws ExecutionException if the cluster refuses
     */
    public static void create(Admin admin, List<TopicSpec> specs) throws ExecutionException, InterruptedException {
        Set<String> existing = admin.listTopics().names().get();
        List<NewTopic> missing = specs.stream()
                .filter(spec -> !existing.contains(spec.name()))
                .map(spec -> new NewTopic(spec.name(), Optional.of(spec.partitions()), Optional.empty())
                        .configs(spec.config()))
                .toList();
        try {
            admin.createTopics(missing).all().get();
        } catch (ExecutionException failed) {
            if (!(failed.getCause() instanceof TopicExistsException)) {
                throw failed;
            }
        }
    }

    /**
     * How many partitions a topic has; empty if there is none.
     *
     * @throws ExecutionException if the cluster cannot be asked
     */
    public static Optional<Integer> partitions(Admin admin, String topic)
            throws ExecutionException, InterruptedException {
        if (!admin.listTopics().names().get().contains(topic)) {
            return Optional.empty();
        }
        return Optional.of(admin.describeTopics(List.of(topic))
                .allTopicNames()
                .get()
                .get(topic)
                .partitions()
                .size());
    }

    /**
     * What is not as it must be, in words; empty if all is well. Retention is the operator's to choose and is not
     * compared.
     *
     * @throws ExecutionException if the cluster cannot be asked
     */
    public static List<String> differences(Admin admin, List<TopicSpec> specs)
            throws ExecutionException, InterruptedException {
        Set<String> existing = admin.listTopics().names().get();
        List<String> differences = new ArrayList<>();
        List<TopicSpec> present = new ArrayList<>();
        for (TopicSpec spec : specs) {
            if (existing.contains(spec.name())) {
                present.add(spec);
            } else {
                differences.add("topic " + spec.name() + " is missing; create it with " + spec.partitions()
                        + " partitions and " + new TreeMap<>(spec.config()));
            }
        }
        Map<String, TopicDescription> described = admin.describeTopics(
                        present.stream().map(TopicSpec::name).toList())
                .allTopicNames()
                .get();
        Map<ConfigResource, Config> configs = admin.describeConfigs(
                        present.stream().map(Topics::resource).collect(Collectors.toSet()))
                .all()
                .get();
        for (TopicSpec spec : present) {
            int partitions = described.get(spec.name()).partitions().size();
            if (partitions != spec.partitions()) {
                differences.add("topic " + spec.name() + " has " + partitions + " partitions; it must have "
                        + spec.partitions());
            }
            Config config = configs.get(resource(spec));
            new TreeMap<>(compared(spec)).forEach((name, wanted) -> {
                ConfigEntry entry = config.get(name);
                if (entry == null || !wanted.equals(entry.value())) {
                    differences.add("topic " + spec.name() + " has " + name + "="
                            + (entry == null ? "nothing" : entry.value()) + "; it must be " + wanted);
                }
            });
        }
        return differences;
    }

    private static Map<String, String> compared(TopicSpec spec) {
        Map<String, String> compared = new HashMap<>(spec.config());
        compared.keySet().removeIf(name -> name.endsWith(".ms"));
        return compared;
    }

    private static ConfigResource resource(TopicSpec spec) {
        return new ConfigResource(ConfigResource.Type.TOPIC, spec.name());
    }
}
