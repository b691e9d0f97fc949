package io.headgate.cluster;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A steady load on all shards, as gateways make it: batches with and without a session, a few sent twice for no reason,
 * those of a session sent again when no answer comes, and now and then bytes that are no batch at all; and operators who
 * change plans and act on tenants meanwhile. Keeps every reply.
 */
final class Load implements AutoCloseable {

    private static final int ROUND_MILLIS = 10;
    private static final int BATCHES_PER_ROUND = 3;
    private static final int MAX_COMMANDS = 20;
    private static final int TENANTS_PER_SHARD = 6;

    /** Of those, the last so many may get budgets back and anew. */
    private static final int LENIENT_PER_SHARD = 2;

    /** One record of an operator in so many rounds. */
    private static final int ROUNDS_PER_OPERATION = 5;

    /** Twice as long before each further time, lest an outage of seconds becomes a flood. */
    private static final long FIRST_RESEND_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);

    private static final int MAX_DOUBLINGS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** What was sent under one correlation id, how often, and what came back. */
    static final class Batch {
        final long id;
        final int shard;
        final boolean session;
        final byte[] value;
        final List<byte[]> replies = new CopyOnWriteArrayList<>();
        final long firstSentNanos;
        long sentNanos;
        int sends;
        volatile long answeredNanos;

        Batch(long id, int shard, boolean session, byte[] value) {
            this.id = id;
            this.shard = shard;
            this.session = session;
            this.value = value;
            this.firstSentNanos = System.nanoTime();
        }
    }

    private final TopicPartition mine = new TopicPartition(TopicCatalogue.ADMISSION_REPLIES, 7);
    private final ConcurrentSkipListMap<Long, Batch> batches = new ConcurrentSkipListMap<>();
    private final List<Batch> unanswered = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<List<String>> tenants;
    private final Random random;
    private final Operators operators;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Thread sender = new Thread(() -> run(this::send), "load-sender");
    private final Thread reader = new Thread(() -> run(this::read), "load-reader");
    private final long[] nextSequences = new long[LocalShards.SHARDS];
    private long nextId;
    private long commands;
    private volatile boolean sending = true;
    private volatile boolean reading = true;

    private interface Work {
        void go() throws InterruptedException;
    }

    Load(String bootstrapServers, long seed) {
        random = new Random(seed);
        operators = new Operators(new Random(~seed));
        tenants =
                IntStream.range(0, LocalShards.SHARDS).mapToObj(Load::tenantsOf).toList();
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrapServers, "linger.ms", 0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrapServers),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(List.of(mine));
        consumer.seekToEnd(List.of(mine));
        consumer.position(mine);
        reader.start();
        sender.start();
    }

    static List<String> tenantsOf(int shard) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "tenant-" + i)
                .filter(tenant -> Partitioning.shardOf(tenant, LocalShards.SHARDS) == shard)
                .limit(TENANTS_PER_SHARD)
                .toList();
    }

    /** Whether a tenant spends of a budget that never comes back and is never another. */
    static boolean isStrict(String tenant) {
        List<String> neighbours = tenantsOf(Partitioning.shardOf(tenant, LocalShards.SHARDS));
        return neighbours.indexOf(tenant) < TENANTS_PER_SHARD - LENIENT_PER_SHARD;
    }

    Collection<Batch> batches() {
        return batches.values();
    }

    long commands() {
        return commands;
    }

    /** Stops sending new batches, waits until those of sessions are answered, and stops. */
    void finish() throws InterruptedException {
        sending = false;
        await(
                "an answer to every batch of a session",
                () -> batches.values().stream().allMatch(batch -> !batch.session || !batch.replies.isEmpty()));
        close();
    }

    /** Waits for the answer to a batch that was first sent after now to a shard that fits; how long that took. */
    Duration awaitNewAnswer(Predicate<Integer> shard) throws InterruptedException {
        long fromNanos = System.nanoTime();
        AtomicReference<Batch> answered = new AtomicReference<>();
        await("a new answer", () -> {
            batches.descendingMap().values().stream()
                    .takeWhile(batch -> batch.firstSentNanos - fromNanos >= 0)
                    .filter(batch -> shard.test(batch.shard) && !batch.replies.isEmpty())
                    .reduce((one, other) -> one.answeredNanos - other.answeredNanos < 0 ? one : other)
                    .ifPresent(answered::set);
            return answered.get() != null;
        });
        return Duration.ofNanos(answered.get().answeredNanos - fromNanos);
    }

    private void await(String what, BooleanSupplier done) throws InterruptedException {
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        while (!done.getAsBoolean()) {
            if (failure.get() != null) {
                throw new AssertionError("the load failed", failure.get());
            }
            if (System.nanoTime() > giveUpAt) {
                throw new AssertionError("no " + what + " within " + PATIENCE);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Override
    public void close() {
        sending = false;
        reading = false;
        try {
            sender.join();
            reader.join();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the load was stopping", stopping);
        }
        if (failure.get() != null) {
            throw new AssertionError("the load failed", failure.get());
        }
    }

    private void run(Work work) {
        try {
            work.go();
        } catch (Throwable thrown) {
            failure.compareAndSet(null, thrown);
        }
    }

    private void send() throws InterruptedException {
        try (producer) {
            while (reading) {
                for (int i = 0; sending && i < BATCHES_PER_ROUND; i++) {
                    sendNew();
                }
                if (sending && random.nextInt(ROUNDS_PER_OPERATION) == 0) {
                    operate();
                }
                sendAgain();
                TimeUnit.MILLISECONDS.sleep(ROUND_MILLIS);
            }
        }
    }

    private void sendNew() {
        long id = nextId++;
        int shard = random.nextInt(LocalShards.SHARDS);
        int kind = random.nextInt(100);
        boolean session = kind < 70;
        Batch batch = new Batch(id, shard, session, kind >= 98 ? garbage() : requests(shard, session));
        batches.put(id, batch);
        if (session) {
            unanswered.add(batch);
        }
        dispatch(batch);
        if (session && random.nextInt(20) == 0) {
            dispatch(batch);
        }
    }

    private void operate() {
        int shard = random.nextInt(LocalShards.SHARDS);
        String tenant = tenants.get(shard).get(random.nextInt(TENANTS_PER_SHARD));
        var unused = producer.send(operators.next(shard, tenant, isStrict(tenant)), (sent, failed) -> {
            if (failed != null) {
                failure.compareAndSet(null, failed);
            }
        });
    }

    /** As a gateway does, whose requests time out. */
    private void sendAgain() {
        long nowNanos = System.nanoTime();
        for (Batch batch : unanswered) {
            long waitNanos = FIRST_RESEND_AFTER_NANOS << Math.min(batch.sends - 1, MAX_DOUBLINGS);
            if (batch.replies.isEmpty() && nowNanos - batch.sentNanos > waitNanos) {
                dispatch(batch);
            }
        }
        unanswered.removeIf(batch -> !batch.replies.isEmpty());
    }

    private void dispatch(Batch batch) {
        RecordHeaders headers = new RecordHeaders();
        new ReplyAddress(
                        mine.topic(),
                        OptionalInt.of(mine.partition()),
                        ByteBuffer.allocate(Long.BYTES).putLong(batch.id).array())
                .writeTo(headers);
        batch.sends++;
        batch.sentNanos = System.nanoTime();
        var unused = producer.send(
                new ProducerRecord<>(
                        TopicCatalogue.ADMISSION_REQUESTS, batch.shard, null, new byte[0], batch.value, headers),
                (sent, failed) -> {
                    if (failed != null) {
                        failure.compareAndSet(null, failed);
                    }
                });
    }

    private byte[] garbage() {
        byte[] bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] requests(int shard, boolean session) {
        List<Command> asked = new ArrayList<>();
        for (int i = random.nextInt(MAX_COMMANDS); i >= 0; i--) {
            asked.add(ask(shard));
        }
        commands += asked.size();
        return RequestRecords.encode(new LogRecord.Requests(
                session ? Optional.of(new LogRecord.Attempt("load", 1, nextSequences[shard]++)) : Optional.empty(),
                asked));
    }

    private Command ask(int shard) {
        List<String> local = tenants.get(shard);
        Identity who = new Identity(local.get(random.nextInt(local.size())), "user-" + random.nextInt(200), "", "", "");
        String route = random.nextInt(3) == 0 ? LoadPolicy.SPEND : LoadPolicy.READ;
        return new Command.Ask(
                new Admission(Stage.TENANT, who, true, route, Map.of(), 1 + random.nextInt(3)),
                random.nextInt(20) == 0,
                Command.NEVER,
                random.nextInt(50) == 0);
    }

    private void read() {
        try (consumer) {
            while (reading) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(20))) {
                    byte[] correlationId = record.headers()
                            .lastHeader(ReplyAddress.CORRELATION_ID)
                            .value();
                    Batch batch = batches.get(ByteBuffer.wrap(correlationId).getLong());
                    if (batch.replies.isEmpty()) {
                        batch.answeredNanos = System.nanoTime();
                    }
                    batch.replies.add(record.value());
                }
            }
        }
    }
}
