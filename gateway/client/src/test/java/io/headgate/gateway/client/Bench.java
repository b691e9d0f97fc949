package io.headgate.gateway.client;

import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.trust.TrustSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A client whose clock, threads and cluster a test moves by hand. */
final class Bench {

    static final String SECRET = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    static final long REPLIES_END = 100;
    static final int REPLY_PARTITION = 3;

    /** How far the broker's clock is ahead of the client's. */
    static final long LOG_AHEAD_MILLIS = 1_700_000_000_000L;

    final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    final MockProducer<byte[], byte[]> status =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("latest");
    final MockConsumer<byte[], byte[]> policies = new MockConsumer<>("earliest");
    final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    final FoldingShards shards;
    final HeadgateClient client;

    private final Queue<Runnable> steps = new ArrayDeque<>();
    private final List<CompletableFuture<Answer>> unread = new ArrayList<>();
    private long nowMillis = 5_000;
    private int folded;
    private long policiesEnd;

    Bench() {
        this(1, 5, Map.of());
    }

    Bench(int shardCount, long capacity, Map<String, String> settings) {
        this(shardCount, FoldingShards.fixed(capacity), settings);
    }

    /** With shards that decide by a policy; the client knows none until one is published. */
    Bench(int shardCount, Policy policy, Map<String, String> settings) {
        prepare(consumer, shardCount);
        policies.updateBeginningOffsets(Map.of(PolicyFollower.POLICIES, 0L));
        policies.updateEndOffsets(Map.of(PolicyFollower.POLICIES, 0L));
        shards = new FoldingShards(shardCount, policy, this::logMillis, REPLIES_END);
        client = new HeadgateClient(
                new ClientSettings(with(settings)),
                registry,
                producer,
                consumer,
                policies,
                status,
                () -> TimeUnit.MILLISECONDS.toNanos(nowMillis),
                steps::add,
                Runnable::run,
                new ClientThreads(1, producer, consumer, policies));
    }

    static Map<String, String> with(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(Map.of(
                ClientSettings.BOOTSTRAP_SERVERS,
                "localhost:1",
                ClientSettings.GATEWAY_NAME,
                "g1",
                ClientSettings.REPLY_PARTITION,
                Integer.toString(REPLY_PARTITION),
                ClientSettings.PSEUDONYM_SECRET,
                SECRET,
                TrustSettings.UNSIGNED,
                TrustSettings.ALLOW,
                ClientSettings.STAGES_ALWAYS,
                "",
                ClientSettings.START_TIMEOUT_MS,
                "1",
                ClientSettings.CLOSE_TIMEOUT_MS,
                "0"));
        all.putAll(settings);
        return all;
    }

    static void prepare(MockConsumer<byte[], byte[]> consumer, int shardCount) {
        consumer.updatePartitions(
                TopicCatalogue.ADMISSION_REQUESTS, partitions(TopicCatalogue.ADMISSION_REQUESTS, shardCount));
        consumer.updatePartitions(TopicCatalogue.ADMISSION_REPLIES, partitions(TopicCatalogue.ADMISSION_REPLIES, 8));
        TopicPartition replies = new TopicPartition(TopicCatalogue.ADMISSION_REPLIES, REPLY_PARTITION);
        consumer.updateBeginningOffsets(Map.of(replies, 0L));
        consumer.updateEndOffsets(Map.of(replies, REPLIES_END));
    }

    static Ask ask(String tenant) {
        return Ask.of(Caller.unknown().withTenant(tenant), true, "GET /catalog");
    }

    /** Asks, and does not care for the answer. */
    void asked(Ask ask) {
        unread.add(client.admit(ask));
    }

    long logMillis() {
        return LOG_AHEAD_MILLIS + nowMillis;
    }

    /** Runs what the sender's thread has to do. */
    void settle() {
        while (!steps.isEmpty()) {
            steps.remove().run();
        }
    }

    /** Kafka takes what was sent first. */
    void acknowledge() {
        settle();
        if (!producer.completeNext()) {
            throw new AssertionError("nothing was sent");
        }
        settle();
    }

    /** Kafka does not take what was sent first. */
    void refuse(RuntimeException failure) {
        settle();
        if (!producer.errorNext(failure)) {
            throw new AssertionError("nothing was sent");
        }
        settle();
    }

    void pass(long millis) {
        nowMillis += millis;
        client.tick();
        settle();
    }

    /** Time passes, and nobody has looked at what is due yet. */
    void passUnnoticed(long millis) {
        nowMillis += millis;
    }

    void deliver(ConsumerRecord<byte[], byte[]> reply) {
        consumer.addRecord(reply);
        client.poll(Duration.ZERO);
        settle();
    }

    /** Kafka takes the last record that was sent, its shard folds it, and the reply comes. */
    void answerLast() {
        ProducerRecord<byte[], byte[]> record = last();
        acknowledge();
        deliver(shards.reply(record));
    }

    /** Kafka takes whatever is sent, its shards fold it and the replies come, until nothing is sent any more. */
    void answerAll() {
        while (folded < sent().size()) {
            ProducerRecord<byte[], byte[]> record = sent().get(folded++);
            acknowledge();
            deliver(shards.reply(record));
        }
    }

    /** Asks, and gets the answer. */
    Answer answer(Ask ask) {
        CompletableFuture<Answer> answer = client.admit(ask);
        answerAll();
        return now(answer);
    }

    /** The client finds a policy on its topic. */
    void publish(PolicyDocument document) {
        publish(PolicyRecord.of(document, List.of()).toBytes());
    }

    /** The client finds a record on the topic of policies. */
    void publish(byte[] value) {
        policies.addRecord(new ConsumerRecord<>(TopicCatalogue.POLICIES, 0, policiesEnd++, null, value));
        client.follow(Duration.ZERO);
    }

    /** The stages that were asked, one entry a command. */
    List<Stage> stagesAsked() {
        return stagesAskedSince(0);
    }

    /** The same, without those of so many records. */
    List<Stage> stagesAskedSince(int records) {
        return sent().stream()
                .skip(records)
                .flatMap(record -> commands(record).stream())
                .map(command -> command.admission().stage())
                .toList();
    }

    List<ProducerRecord<byte[], byte[]>> sent() {
        settle();
        return producer.history();
    }

    ProducerRecord<byte[], byte[]> last() {
        return sent().get(sent().size() - 1);
    }

    static LogRecord.Requests read(ProducerRecord<byte[], byte[]> record) {
        return RequestRecords.decode(record.value());
    }

    static List<Command.Ask> commands(ProducerRecord<byte[], byte[]> record) {
        return read(record).commands().stream().map(Command.Ask.class::cast).toList();
    }

    /** The answer, which must be there by now: no test here waits. */
    static Answer now(CompletableFuture<Answer> answer) {
        if (!answer.isDone()) {
            throw new AssertionError("there is no answer yet");
        }
        return answer.join();
    }

    double count(String name, String... tags) {
        return registry.get(name).tags(tags).counter().count();
    }

    private static List<PartitionInfo> partitions(String topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> new PartitionInfo(topic, number, null, null, null))
                .toList();
    }

    static List<String> names(int count) {
        return Collections.unmodifiableList(
                IntStream.range(0, count).mapToObj(number -> "tenant-" + number).toList());
    }
}
