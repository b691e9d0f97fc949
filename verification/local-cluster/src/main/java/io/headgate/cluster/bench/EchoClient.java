package io.headgate.cluster.bench;

import io.headgate.core.shard.Partitioning;
import io.headgate.gateway.client.ClientSettings;
import io.headgate.schemas.ReplyAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the echo as the client asks the shards: with its producer's and consumer's settings, its way of making batches,
 * records of its size to as many partitions, and one partition of replies. What it leaves out is everything that a
 * decision needs beyond that: pseudonyms, encoding, sending again, the hand-over of answers to threads of their own.
 */
final class EchoClient implements Target, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EchoClient.class);

    private static final Duration POLL_TIMEOUT = Duration.ofMillis(100);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
    private static final long EXPIRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STOP_TIMEOUT_MILLIS = 5_000;

    /** As long as a tenant's name, which is the key of the client's records. */
    private static final byte[] KEY = "bench-500".getBytes(StandardCharsets.US_ASCII);

    private static final CompletableFuture<Outcome> OVERLOADED =
            CompletableFuture.completedFuture(Outcome.unanswered("OVERLOADED"));

    private final EchoTopics topics;
    private final Population population;
    private final RecordSize size;
    private final long deadlineNanos;
    private final int pendingMax;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final ExecutorService sender =
            Executors.newSingleThreadExecutor(task -> new Thread(task, "bench-echo-sender"));
    private final Thread reader = new Thread(this::read, "bench-echo-replies");
    private final AtomicInteger pending = new AtomicInteger();
    private final List<EchoLane> lanes;
    private volatile boolean stopped;

    private EchoClient(
            ClientSettings settings, EchoTopics topics, Population population, RecordSize size, int pendingMax) {
        this.topics = topics;
        this.population = population;
        this.size = size;
        this.deadlineNanos = TimeUnit.MILLISECONDS.toNanos(settings.deadlineMillis());
        this.pendingMax = pendingMax;
        this.producer = new KafkaProducer<>(settings.producer());
        this.consumer = new KafkaConsumer<>(settings.consumer());
        this.lanes = IntStream.range(0, topics.shards())
                .mapToObj(shard -> new EchoLane(shard, this::send, this::onSender))
                .toList();
    }

    /**
     * Connects, and returns when it can be asked.
     *
     * @param pendingMax how many requests may wait; one more is answered OVERLOADED
     */
    static EchoClient start(
            ClientSettings settings, EchoTopics topics, Population population, RecordSize size, int pendingMax)
            throws InterruptedException {
        EchoClient client = new EchoClient(settings, topics, population, size, pendingMax);
        try {
            TopicPartition replies = new TopicPartition(topics.replies(), 0);
            client.consumer.assign(List.of(replies));
            client.consumer.seekToEnd(List.of(replies));
            client.consumer.position(replies, START_TIMEOUT);
            awaitTopic(client.producer, topics.requests(), START_TIMEOUT);
        } catch (KafkaException | IllegalStateException failed) {
            client.closeClients();
            throw failed;
        }
        client.reader.setDaemon(true);
        client.reader.start();
        return client;
    }

    /** Waits until a producer knows a topic, so that its first send need not. */
    static void awaitTopic(Producer<byte[], byte[]> producer, String topic, Duration timeout)
            throws InterruptedException {
        long giveUpAt = System.nanoTime() + timeout.toNanos();
        while (true) {
            try {
                if (!producer.partitionsFor(topic).isEmpty()) {
                    return;
                }
            } catch (TimeoutException notYet) {
                LOG.debug("not yet known: {}", topic);
            }
            if (System.nanoTime() - giveUpAt > 0) {
                throw new IllegalStateException(
                        "topic " + topic + ", just made, is not known after " + timeout.toSeconds() + " s");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    @Override
    public CompletableFuture<Outcome> ask() {
        if (pending.incrementAndGet() > pendingMax) {
            pending.decrementAndGet();
            return OVERLOADED;
        }
        CompletableFuture<Outcome> future = new CompletableFuture<>();
        EchoLane lane = lanes.get(Partitioning.shardOf(Population.tenantOf(population.next()), lanes.size()));
        lane.add(new EchoLane.Call(System.nanoTime() + deadlineNanos, future));
        return future.whenComplete((outcome, failure) -> pending.decrementAndGet());
    }

    private void send(int shard, long sequence, int calls, Consumer<Exception> over) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topics.requests(), shard, null, KEY, new byte[size.ofBatch(calls)]);
        byte[] correlationId = ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
                .putInt(shard)
                .putLong(sequence)
                .array();
        new ReplyAddress(topics.replies(), OptionalInt.of(0), correlationId).writeTo(record.headers());
        try {
            var unused = producer.send(record, (sent, failure) -> over.accept(failure));
        } catch (KafkaException failure) {
            over.accept(failure);
        }
    }

    private void onSender(Runnable step) {
        try {
            sender.execute(step);
        } catch (RejectedExecutionException closing) {
            LOG.debug("not run: the echo is closing");
        }
    }

    private void read() {
        long expiredNanos = System.nanoTime();
        while (!stopped) {
            try {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT)) {
                    ByteBuffer id = ByteBuffer.wrap(record.headers()
                            .lastHeader(ReplyAddress.CORRELATION_ID)
                            .value());
                    lanes.get(id.getInt()).answered(id.getLong(), System.nanoTime());
                }
            } catch (WakeupException stopping) {
                LOG.debug("woken up to stop");
            } catch (KafkaException failed) {
                LOG.warn("echoes cannot be read: {}", failed.toString());
            }
            long nowNanos = System.nanoTime();
            if (nowNanos - expiredNanos > EXPIRY_NANOS) {
                lanes.forEach(lane -> lane.expire(nowNanos));
                expiredNanos = nowNanos;
            }
        }
    }

    @Override
    public void close() {
        stopped = true;
        consumer.wakeup();
        join(reader);
        closeClients();
    }

    /** Waits a while for a thread to end. */
    static void join(Thread thread) {
        try {
            thread.join(STOP_TIMEOUT_MILLIS);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeClients() {
        sender.shutdown();
        consumer.close();
        producer.close(Duration.ofSeconds(1));
    }
}
