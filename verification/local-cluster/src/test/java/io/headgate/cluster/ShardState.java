package io.headgate.cluster;

import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardView;
import io.headgate.core.shard.StateStore;
import io.headgate.schemas.policy.PolicyDocument;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** A shard's whole state, key by key, in hexadecimal. */
record ShardState(int shard, Map<String, String> entries) {

    private static final int TOLD = 10;

    static ShardState of(int shard, StateStore store) {
        Map<String, String> entries = new TreeMap<>();
        store.scan(new byte[0], new byte[] {(byte) 0xff}, Integer.MAX_VALUE)
                .forEach(entry -> entries.put(
                        HexFormat.of().formatHex(entry.key()), HexFormat.of().formatHex(entry.value())));
        return new ShardState(shard, entries);
    }

    /** What processors have committed: the last value of each key of the changelog. */
    static ShardState committed(String bootstrapServers, String applicationId, int shard)
            throws ExecutionException, InterruptedException {
        MemoryStore store = new MemoryStore();
        TopicPartition changelog = new TopicPartition(applicationId + "-admission-state-changelog", shard);
        PartitionReader.read(bootstrapServers, changelog, record -> {
            if (record.value() == null) {
                store.delete(record.key());
            } else {
                store.put(record.key(), record.value());
            }
        });
        return of(shard, store);
    }

    ShardView view() {
        MemoryStore store = new MemoryStore();
        entries.forEach((key, value) ->
                store.put(HexFormat.of().parseHex(key), HexFormat.of().parseHex(value)));
        return new Shard(shard, store, PolicyDocument.READER).view();
    }

    /** The keys whose values differ, the first few of them with both values; empty if the states are equal. */
    String differences(ShardState other) {
        TreeSet<String> keys = new TreeSet<>(entries.keySet());
        keys.addAll(other.entries.keySet());
        keys.removeIf(key -> entries.getOrDefault(key, "nothing").equals(other.entries.getOrDefault(key, "nothing")));
        return keys.stream()
                .limit(TOLD)
                .map(key -> key + ": " + entries.getOrDefault(key, "nothing") + " and "
                        + other.entries.getOrDefault(key, "nothing"))
                .collect(Collectors.joining("\n", keys.isEmpty() ? "" : keys.size() + " keys differ\n", ""));
    }
}
