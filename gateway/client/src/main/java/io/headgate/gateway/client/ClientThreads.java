package io.headgate.gateway.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a client: one sends, one reads replies, one follows policies, one watches the deadlines, a few complete
 * futures. Owns the producer and the consumers, which end with them.
 */
final class ClientThreads {

    private static final Logger LOG = LoggerFactory.getLogger(ClientThreads.class);

    private static final Duration POLL_TIMEOUT = Duration.ofMillis(500);
    private static final Duration KAFKA_CLOSE_TIMEOUT = Duration.ofMillis(500);
    private static final long STOP_TIMEOUT_MILLIS = 2_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long FOLLOW_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Producer<byte[], byte[]> producer;
    private final Consumer<byte[], byte[]> consumer;
    private final Consumer<byte[], byte[]> policies;
    private final ExecutorService sending = Executors.newSingleThreadExecutor(named("headgate-sender"));
    private final ExecutorService answering;
    private volatile Thread timer;
    private volatile Thread reader;
    private volatile Thread follower;
    private volatile boolean stopped;

    /** Takes a record or more, waiting no longer than it is told. */
    @FunctionalInterface
    interface Poll {
        void once(Duration timeout);
    }

    ClientThreads(
            int answerThreads,
            Producer<byte[], byte[]> producer,
            Consumer<byte[], byte[]> consumer,
            Consumer<byte[], byte[]> policies) {
        this.producer = producer;
        this.consumer = consumer;
        this.policies = policies;
        this.answering = Executors.newFixedThreadPool(answerThreads, named("headgate-answers"));
    }

    Executor sending() {
        return sending;
    }

    Executor answering() {
        return answering;
    }

    /**
     * Starts what runs all the time.
     *
     * @param tick handles what is due, and says whether more will be
     * @param poll handles replies
     * @param follow takes up policies
     */
    void start(BooleanSupplier tick, Poll poll, Poll follow) {
        timer = named("headgate-deadlines").newThread(() -> watch(tick));
        reader = named("headgate-replies").newThread(() -> read(poll));
        follower = named("headgate-policies").newThread(() -> follow(follow));
        timer.start();
        reader.start();
        follower.start();
    }

    /** Tells the timer that there is something to watch again. */
    void wakeTimer() {
        LockSupport.unpark(timer);
    }

    boolean running() {
        return timer != null && timer.isAlive() && reader != null && reader.isAlive();
    }

    /** Ends everything, within a few seconds. */
    void stop() {
        stopped = true;
        wakeTimer();
        consumer.wakeup();
        policies.wakeup();
        LockSupport.unpark(follower);
        join(timer);
        join(reader);
        join(follower);
        sending.shutdown();
        List<Runnable> unsent = await(sending);
        if (!unsent.isEmpty()) {
            LOG.atDebug().addKeyValue("steps", unsent.size()).log("not run: the client is closing");
        }
        producer.close(KAFKA_CLOSE_TIMEOUT);
        answering.shutdown();
        // Who blocks in an answer keeps nobody else from getting his.
        await(answering).forEach(Runnable::run);
    }

    private void watch(BooleanSupplier tick) {
        while (!stopped) {
            if (ticked(tick)) {
                LockSupport.parkNanos(this, DeadlineWheel.TICK_NANOS);
            } else {
                LockSupport.park(this);
            }
        }
    }

    private static boolean ticked(BooleanSupplier tick) {
        try {
            return tick.getAsBoolean();
        } catch (RuntimeException bug) {
            LOG.error("what was due could not be handled", bug);
            return true;
        }
    }

    private void read(Poll poll) {
        while (!stopped) {
            try {
                poll.once(POLL_TIMEOUT);
            } catch (WakeupException stopping) {
                LOG.debug("woken up to stop");
            } catch (KafkaException failed) {
                LOG.warn("replies cannot be read: {}", failed.toString());
                LockSupport.parkNanos(this, PAUSE_NANOS);
            }
        }
        consumer.close(CloseOptions.timeout(KAFKA_CLOSE_TIMEOUT));
    }

    /** Whatever goes wrong, the client goes on with the policy that it knows. */
    private void follow(Poll follow) {
        while (!stopped) {
            try {
                follow.once(POLL_TIMEOUT);
            } catch (WakeupException stopping) {
                LOG.debug("woken up to stop");
            } catch (KafkaException reported) {
                LockSupport.parkNanos(this, FOLLOW_PAUSE_NANOS);
            } catch (RuntimeException bug) {
                LOG.error("a policy could not be taken up", bug);
                LockSupport.parkNanos(this, FOLLOW_PAUSE_NANOS);
            }
        }
        policies.close(CloseOptions.timeout(KAFKA_CLOSE_TIMEOUT));
    }

    private static void join(Thread thread) {
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        try {
            thread.join(STOP_TIMEOUT_MILLIS);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits a while until all is run; what is not begun by then comes back. */
    private static List<Runnable> await(ExecutorService executor) {
        try {
            return executor.awaitTermination(STOP_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                    ? List.of()
                    : executor.shutdownNow();
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
            return executor.shutdownNow();
        }
    }

    private static ThreadFactory named(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
