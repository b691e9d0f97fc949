package io.headgate.processor;

import io.headgate.core.decision.Trace;
import io.headgate.schemas.DeadLetterRecord;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.TopicCatalogue;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Properties;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.test.TestRecord;

/** Shard 0 in Kafka's test driver: the real topology and the real store, without a broker. */
final class DrivenShard implements AutoCloseable {

    /** Where samples are to be answered. */
    static final ReplyAddress ADDRESS = new ReplyAddress(
            TopicCatalogue.ADMISSION_REPLIES, OptionalInt.of(3), "c-1".getBytes(StandardCharsets.UTF_8));

    final RecordingReplies replies = new RecordingReplies();
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    final List<Trace> traces = new ArrayList<>();
    private final OwnedShards shards = new OwnedShards();
    private final TopologyTestDriver driver;
    private final TestInputTopic<byte[], byte[]> log;
    private final TestOutputTopic<byte[], byte[]> deadLetters;
    private long nowMillis = 1_800_000_000_000L;

    DrivenShard(Path folder) {
        ProcessorMetrics metrics = new ProcessorMetrics(registry, shards);
        Properties config = StreamsConfiguration.streams(ProcessorSettings.of(Map.of(
                ProcessorSettings.BOOTSTRAP_SERVERS, "127.0.0.1:1",
                ProcessorSettings.STATE_DIR, folder.toString(),
                ProcessorSettings.CONTROL_KEYS, "unused")));
        driver = new TopologyTestDriver(
                ShardTopology.build(
                        () -> new ShardProcessor(SampleLog.KEYS, replies, shards, metrics, tracer(metrics))),
                config);
        log = driver.createInputTopic(
                TopicCatalogue.ADMISSION_REQUESTS, new ByteArraySerializer(), new ByteArraySerializer());
        deadLetters = driver.createOutputTopic(
                TopicCatalogue.DEAD_LETTERS, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Every denial, one in four of the others, and whatever is asked for. */
    private SamplingTracer tracer(ProcessorMetrics metrics) {
        PerSecond freely = new PerSecond(100_000, () -> nowMillis);
        return new SamplingTracer(freely, 4, freely, metrics, traces::add);
    }

    OwnedShard owned() {
        return shards.find(0).orElseThrow();
    }

    long nowMillis() {
        return nowMillis;
    }

    void passMillis(long millis) {
        nowMillis += millis;
    }

    /** Appends a record that is to be answered at {@link #ADDRESS}. */
    void append(byte[] value) {
        RecordHeaders headers = new RecordHeaders();
        ADDRESS.writeTo(headers);
        append(value, headers);
    }

    void append(byte[] value, Headers headers) {
        log.pipeInput(new TestRecord<>(null, value, headers, Instant.ofEpochMilli(nowMillis)));
    }

    void appendAll(List<byte[]> values) {
        values.forEach(this::append);
    }

    /** The dead letters since the last call. */
    List<DeadLetterRecord> deadLetters() {
        return deadLetters.readValuesToList().stream()
                .map(DeadLetterRecord::fromBytes)
                .toList();
    }

    /** All of the state but the header, in hexadecimal, by key. */
    Map<String, String> stateWithoutHeader() {
        KeyValueStore<Bytes, byte[]> store = driver.getKeyValueStore(ShardProcessor.STORE);
        Map<String, String> entries = new LinkedHashMap<>();
        try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
            all.forEachRemaining(entry -> entries.put(
                    HexFormat.of().formatHex(entry.key.get()), HexFormat.of().formatHex(entry.value)));
        }
        entries.remove("01");
        return entries;
    }

    double count(String meter, String... tags) {
        return registry.get(meter).tags(tags).counter().count();
    }

    @Override
    public void close() {
        driver.close();
    }
}
