package io.headgate.gateway.client;

import io.headgate.core.decision.Admission;
import io.headgate.core.shard.Partitioning;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.schemas.Pseudonyms;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the shards over Kafka. Safe for use by any number of threads; no call ever blocks, and every call has one answer,
 * by its deadline at the latest.
 *
 * <p>A call goes to its shard's {@link Lane}, out with a {@link Batch}, and comes back through the {@link ReplyReader};
 * or its time is up, by the {@link DeadlineWheel}. Whichever is first answers it.
 */
public final class HeadgateClient implements Limiter, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HeadgateClient.class);

    private static final Unavailable CLOSED =
            Unavailable.because(Cause.CLOSED, "the client is closed; it takes no more calls");
    private static final Unavailable TOO_LATE = Unavailable.because(Cause.DEADLINE, "no answer came in time");

    private final ClientSettings settings;
    private final Pseudonyms pseudonyms;
    private final LongSupplier nanoClock;
    private final DeadlineWheel wheel;
    private final Answers answers;
    private final List<Lane> lanes;
    private final ReplyReader replies;
    private final ClientThreads threads;
    private final ClientMeters meters;
    private final Unavailable overloaded;

    private volatile boolean closed;

    /**
     * Connects a client and waits until it is ready.
     *
     * @throws ClientStartException if the brokers or the topics are not there, or refuse
     */
    public static HeadgateClient start(ClientSettings settings, MeterRegistry registry) {
        Producer<byte[], byte[]> producer = new KafkaProducer<>(settings.producer());
        try {
            Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings.consumer());
            try {
                ClientThreads threads = new ClientThreads(settings.answerThreads(), producer, consumer);
                HeadgateClient client = new HeadgateClient(
                        settings,
                        registry,
                        producer,
                        consumer,
                        System::nanoTime,
                        threads.sending(),
                        threads.answering(),
                        threads);
                threads.start(client::tick, client::poll);
                return client;
            } catch (RuntimeException failed) {
                consumer.close();
                throw failed;
            }
        } catch (KafkaException failed) {
            producer.close(Duration.ZERO);
            throw new ClientStartException("the client cannot start: " + failed.getMessage(), failed);
        } catch (RuntimeException failed) {
            producer.close(Duration.ZERO);
            throw failed;
        }
    }

    /** Puts the parts together; what runs them is up to the caller. */
    HeadgateClient(
            ClientSettings settings,
            MeterRegistry registry,
            Producer<byte[], byte[]> producer,
            Consumer<byte[], byte[]> consumer,
            LongSupplier nanoClock,
            Executor sending,
            Executor answering,
            ClientThreads threads) {
        this.settings = settings;
        this.pseudonyms = new Pseudonyms(settings.pseudonymSecret());
        this.nanoClock = nanoClock;
        this.threads = threads;
        Topology topology = Topology.learn(consumer, producer, settings);
        long epoch = new SecureRandom().nextLong() & Long.MAX_VALUE;
        AtomicInteger pending = new AtomicInteger();
        this.meters = new ClientMeters(registry, pending::get);
        this.wheel = new DeadlineWheel(nanoClock.getAsLong(), threads::wakeTimer);
        this.answers = new Answers(settings.pendingMax(), pending, wheel, nanoClock, answering, meters);
        Sender sender = new Sender(
                producer,
                sending,
                nanoClock,
                meters,
                settings.gatewayName(),
                epoch,
                topology.replies().partition());
        this.lanes = IntStream.range(0, topology.shards())
                .mapToObj(shard -> new Lane(shard, settings, sender, wheel, answers))
                .toList();
        this.replies = new ReplyReader(consumer, epoch, lanes, answers, meters, nanoClock);
        this.overloaded =
                Unavailable.because(Cause.OVERLOADED, "as many calls are pending as may be: " + settings.pendingMax());
        LOG.atInfo()
                .addKeyValue("gateway", settings.gatewayName())
                .addKeyValue("epoch", epoch)
                .addKeyValue("shards", topology.shards())
                .addKeyValue("replies", topology.replies())
                .log("the client is ready");
    }

    @Override
    public CompletableFuture<Answer> admit(Ask ask) {
        return call(ask, false);
    }

    @Override
    public CompletableFuture<Answer> peek(Ask ask) {
        return call(ask, true);
    }

    @Override
    public boolean ready() {
        return !closed && threads.running();
    }

    /** How many calls wait. */
    public int pending() {
        return answers.pending();
    }

    /**
     * Takes no more calls, waits a while for the answers to those that it has, and answers the rest CLOSED. Afterwards
     * nothing of the client runs any more.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        boolean interrupted = Thread.interrupted();
        try {
            answers.awaitIdle(interrupted ? 0 : settings.closeTimeoutMillis());
        } catch (InterruptedException impatient) {
            interrupted = true;
        }
        List<Call> left = callsIn(wheel.drain());
        answers.giveAll(left, CLOSED);
        threads.stop();
        meters.close();
        LOG.atInfo()
                .addKeyValue("gateway", settings.gatewayName())
                .addKeyValue("unanswered", left.size())
                .log("the client is closed");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<Answer> call(Ask ask, boolean peek) {
        long nowNanos = nanoClock.getAsLong();
        if (closed) {
            return answers.atOnce(CLOSED, nowNanos);
        }
        if (!answers.takePlace()) {
            return answers.atOnce(overloaded, nowNanos);
        }
        Admission admission = ask.admission(pseudonyms);
        Lane lane = lanes.get(Partitioning.shardOf(admission.partitionKey(), lanes.size()));
        long deadlineNanos =
                nowNanos + TimeUnit.MILLISECONDS.toNanos(ask.deadlineMillis().orElse(settings.deadlineMillis()));
        Call call = new Call(admission, peek, lane, nowNanos, deadlineNanos);
        wheel.add(call, deadlineNanos);
        lane.add(call);
        if (closed) {
            // A close that began meanwhile may not have seen this call.
            answers.giveAll(List.of(call), CLOSED);
        }
        return call.future();
    }

    /** Answers calls whose time is up, and sends again what has waited for its reply long enough. */
    boolean tick() {
        List<DeadlineWheel.Entry> due = wheel.advance(nanoClock.getAsLong());
        for (DeadlineWheel.Entry entry : due) {
            if (entry instanceof Batch batch) {
                batch.lane().due(batch);
            }
        }
        answers.giveAll(callsIn(due), TOO_LATE);
        return !wheel.isEmpty();
    }

    /** Handles the replies that are there, or come soon. */
    void poll(Duration timeout) {
        replies.poll(timeout);
    }

    private static List<Call> callsIn(List<DeadlineWheel.Entry> entries) {
        List<Call> calls = new ArrayList<>();
        for (DeadlineWheel.Entry entry : entries) {
            if (entry instanceof Call call) {
                calls.add(call);
            }
        }
        return calls;
    }
}
