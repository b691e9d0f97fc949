package io.headgate.processor;

import io.headgate.schemas.TopicCatalogue;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.Stores;

/** One source, one processor, one store, one sink: the log is a shard's only input, and so a task's. */
final class ShardTopology {

    private ShardTopology() {}

    static Topology build(Supplier<ShardProcessor> processors) {
        Topology topology = new Topology();
        topology.addSource(
                // Harmless only because the fold checks every offset against its state.
                AutoOffsetReset.earliest(),
                "shard-log",
                Serdes.ByteArray().deserializer(),
                Serdes.ByteArray().deserializer(),
                TopicCatalogue.ADMISSION_REQUESTS);
        topology.addProcessor("shard", processors::get, "shard-log");
        topology.addStateStore(
                Stores.keyValueStoreBuilder(
                                Stores.persistentKeyValueStore(ShardProcessor.STORE),
                                Serdes.Bytes(),
                                Serdes.ByteArray())
                        .withCachingEnabled()
                        .withLoggingEnabled(Map.of(
                                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                                Integer.toString(StreamsConfiguration.MAX_RECORD_BYTES))),
                "shard");
        topology.addSink(
                "dead-letters",
                TopicCatalogue.DEAD_LETTERS,
                Serdes.ByteArray().serializer(),
                Serdes.ByteArray().serializer(),
                "shard");
        return topology;
    }
}
