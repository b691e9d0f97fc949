package io.headgate.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.RouteTable;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client on its real threads and the real clock, with many callers; the cluster is still in this process. */
@Timeout(60)
class ClientThreadsTest {

    private static final int SHARDS = 4;

    private final BlockingQueue<ProducerRecord<byte[], byte[]>> log = new LinkedBlockingQueue<>();
    private FoldingShards shards = shards(FoldingShards.fixed(20));
    private final LoggingProducer producer = new LoggingProducer();
    private final WaitingConsumer consumer = new WaitingConsumer();
    private final WaitingConsumer policies = new WaitingConsumer();
    private volatile boolean answering = true;
    private Thread folding;

    @AfterEach
    void stop() {
        answering = false;
        if (folding != null) {
            folding.interrupt();
        }
    }

    @Test
    void ten_thousand_concurrent_calls_are_all_answered_once() throws InterruptedException {
        HeadgateClient client = start(Map.of(ClientSettings.DEADLINE_MS, "10000"));
        AtomicInteger completions = new AtomicInteger();
        ConcurrentLinkedQueue<CompletableFuture<Answer>> answers = new ConcurrentLinkedQueue<>();
        List<String> tenants = Bench.names(50);

        inParallel(10, caller -> {
            for (int i = 0; i < 1_000; i++) {
                CompletableFuture<Answer> answer = client.admit(Bench.ask(tenants.get(i % tenants.size())));
                answers.add(answer.whenComplete((done, failure) -> completions.incrementAndGet()));
            }
        });

        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
        long allowed =
                answers.stream().filter(answer -> answer.join().allowed()).count();
        assertThat(answers).hasSize(10_000).allMatch(answer -> answer.join() instanceof Answer.Decided);
        assertThat(completions).hasValue(10_000);
        assertThat(allowed).isEqualTo(50 * 20);
        assertThat(client.pending()).isZero();
        client.close();
    }

    @Test
    void calls_are_answered_by_their_deadline_when_no_shard_answers() throws InterruptedException {
        answering = false;
        HeadgateClient client = start(Map.of());
        ConcurrentLinkedQueue<Long> latenessNanos = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<CompletableFuture<Answer>> answers = new ConcurrentLinkedQueue<>();

        inParallel(4, caller -> {
            for (int i = 0; i < 1_000; i++) {
                long dueNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
                answers.add(client.admit(Bench.ask("tenant-" + caller).withDeadlineMillis(300))
                        .whenComplete((done, failure) -> latenessNanos.add(System.nanoTime() - dueNanos)));
            }
        });

        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
        assertThat(answers).allMatch(answer -> cause(answer) == Cause.DEADLINE);
        long typicalNanos = latenessNanos.stream()
                .sorted()
                .skip(latenessNanos.size() / 2)
                .findFirst()
                .orElseThrow();
        assertThat(Duration.ofNanos(typicalNanos)).isBetween(Duration.ofMillis(-5), Duration.ofMillis(250));
        client.close();
    }

    @Test
    void a_caller_that_blocks_in_its_answer_holds_up_no_deadline_of_others() {
        answering = false;
        HeadgateClient client = start(Map.of());
        CountDownLatch release = new CountDownLatch(1);
        // Asked by another thread: if the answer is there at once, it is that one which blocks in it.
        CompletableFuture<Void> blocked =
                CompletableFuture.runAsync(() -> client.admit(Bench.ask("a").withDeadlineMillis(1))
                        .thenAccept(answer -> await(release))
                        .join());

        Answer other = client.admit(Bench.ask("b").withDeadlineMillis(20)).join();

        assertThat(other).isInstanceOf(Unavailable.class);
        assertThat(blocked).isNotDone();
        release.countDown();
        blocked.join();
        client.close();
    }

    @Test
    void a_close_in_the_middle_of_it_all_answers_every_call_and_leaves_no_thread() throws InterruptedException {
        HeadgateClient client = start(Map.of(ClientSettings.CLOSE_TIMEOUT_MS, "50"));
        ConcurrentLinkedQueue<CompletableFuture<Answer>> answers = new ConcurrentLinkedQueue<>();
        CountDownLatch underWay = new CountDownLatch(4);
        Thread closing = new Thread(() -> {
            await(underWay);
            answering = false;
            client.close();
        });
        closing.start();

        inParallel(4, caller -> {
            for (int i = 0; i < 2_000; i++) {
                answers.add(client.admit(Bench.ask("tenant-" + i % 100)));
                if (i == 500) {
                    underWay.countDown();
                }
            }
        });
        closing.join();

        assertThat(answers).hasSize(8_000).allMatch(CompletableFuture::isDone);
        assertThat(client.pending()).isZero();
        assertThat(client.ready()).isFalse();
        assertThat(threadsOfClients()).isEmpty();
        assertThat(producer.closed()).isTrue();
        assertThat(consumer.closed()).isTrue();
        assertThat(policies.closed()).isTrue();
    }

    @Test
    void a_close_answers_those_too_whose_answers_stand_behind_a_caller_that_blocks() throws InterruptedException {
        ClientThreads threads = new ClientThreads(1, producer, consumer, policies);
        CountDownLatch blocks = new CountDownLatch(1);
        CompletableFuture<String> behind = new CompletableFuture<>();
        threads.answering().execute(() -> {
            blocks.countDown();
            await(new CountDownLatch(1));
        });
        blocks.await();
        threads.answering().execute(() -> behind.complete("answered"));

        threads.stop();

        assertThat(behind).isCompletedWithValue("answered");
    }

    @Test
    void a_close_waits_for_answers_that_are_on_their_way() {
        HeadgateClient client =
                start(Map.of(ClientSettings.CLOSE_TIMEOUT_MS, "20000", ClientSettings.DEADLINE_MS, "10000"));
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        Bench.names(100).forEach(tenant -> answers.add(client.admit(Bench.ask(tenant))));

        client.close();

        assertThat(answers).allMatch(answer -> answer.join().allowed());
    }

    @Test
    void who_waits_for_budget_gets_it_when_it_is_there_and_not_before() throws InterruptedException {
        shards = shards(oneEvery(200));
        HeadgateClient client = start(Map.of());
        long startMillis = System.currentTimeMillis();

        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            answers.add(client.acquire(Bench.ask("atlas"), Duration.ofSeconds(30)));
        }

        assertThat(answers).allMatch(Answer::allowed);
        assertThat(System.currentTimeMillis() - startMillis).isGreaterThanOrEqualTo(3 * 200);
        client.close();
    }

    @Test
    void twenty_who_wait_for_one_budget_are_all_served_within_what_it_earns() throws InterruptedException {
        shards = shards(oneEvery(20));
        HeadgateClient client = start(Map.of(ClientSettings.DEADLINE_MS, "10000"));
        ConcurrentLinkedQueue<Answer> answers = new ConcurrentLinkedQueue<>();
        long startMillis = System.currentTimeMillis();

        inParallel(
                20,
                caller -> answers.add(client.acquireAsync(Bench.ask("atlas"), Duration.ofSeconds(40))
                        .join()));

        assertThat(answers).hasSize(20).allMatch(Answer::allowed);
        assertThat(System.currentTimeMillis() - startMillis).isGreaterThanOrEqualTo(19 * 20);
        assertThat(client.waiting()).isZero();
        client.close();
    }

    @Test
    void an_interrupt_ends_a_wait_for_budget() throws InterruptedException {
        shards = shards(oneEvery(600_000));
        HeadgateClient client = start(Map.of());
        assertThat(client.admit(Bench.ask("atlas")).join().allowed()).isTrue();
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                end.complete(
                        new AssertionError("was answered " + client.acquire(Bench.ask("atlas"), Duration.ofHours(1))));
            } catch (InterruptedException interrupted) {
                end.complete(interrupted);
            }
        });
        waiting.start();
        Awaitility.await().until(() -> client.waiting() == 1);

        waiting.interrupt();

        assertThat(end.join()).isInstanceOf(InterruptedException.class);
        assertThat(client.waiting()).isZero();
        client.close();
    }

    @Test
    void a_close_ends_every_wait_for_budget() throws InterruptedException {
        shards = shards(oneEvery(600_000));
        HeadgateClient client = start(Map.of());
        assertThat(client.admit(Bench.ask("atlas")).join().allowed()).isTrue();
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(client.acquireAsync(Bench.ask("atlas"), Duration.ofHours(1)));
        }
        Awaitility.await().until(() -> client.waiting() == 50);

        client.close();

        assertThat(answers).allMatch(answer -> cause(answer) == Cause.CLOSED);
        assertThat(client.waiting()).isZero();
    }

    private static FoldingShards shards(Policy policy) {
        return new FoldingShards(SHARDS, policy, System::currentTimeMillis, Bench.REPLIES_END);
    }

    private static Policy oneEvery(long millis) {
        return new Policy(
                "test",
                7,
                new RouteTable(List.of(), Map.of()),
                List.of(FoldingShards.rule("P-TENANT", Stage.TENANT, Scope.TENANT, new TokenBucketLimit(1, 1, millis))),
                1_000);
    }

    private HeadgateClient start(Map<String, String> settings) {
        folding = new Thread(this::foldAll);
        folding.start();
        Bench.prepare(consumer, SHARDS);
        policies.updateBeginningOffsets(Map.of(PolicyFollower.POLICIES, 0L));
        ClientThreads threads = new ClientThreads(2, producer, consumer, policies);
        HeadgateClient client = new HeadgateClient(
                new ClientSettings(Bench.with(settings)),
                new SimpleMeterRegistry(),
                producer,
                consumer,
                policies,
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()),
                System::nanoTime,
                threads.sending(),
                threads.answering(),
                threads);
        threads.start(client::tick, client::poll, client::follow);
        assertThat(client.ready()).isTrue();
        return client;
    }

    private void foldAll() {
        try {
            while (true) {
                ProducerRecord<byte[], byte[]> request = log.take();
                if (answering) {
                    consumer.addRecord(shards.reply(request));
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (IllegalStateException consumerClosed) {
            // the client is gone
        }
    }

    @FunctionalInterface
    private interface Work {
        void of(int caller);
    }

    private static void inParallel(int callers, Work work) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            int caller = i;
            Thread thread = new Thread(() -> work.of(caller));
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static List<String> threadsOfClients() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(Thread::isAlive)
                .map(Thread::getName)
                .filter(name -> name.startsWith("headgate-"))
                .toList();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    private static Cause cause(CompletableFuture<Answer> answer) {
        return ((Unavailable) answer.join()).cause();
    }

    /** Takes every record at once and puts it where the shards find it. */
    private final class LoggingProducer extends MockProducer<byte[], byte[]> {

        LoggingProducer() {
            super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            Future<RecordMetadata> sent = super.send(record, callback);
            log.add(record);
            return sent;
        }
    }

    /** Waits for records, as a real consumer does. */
    private static final class WaitingConsumer extends MockConsumer<byte[], byte[]> {

        private boolean news;

        WaitingConsumer() {
            super("latest");
        }

        @Override
        public synchronized void addRecord(ConsumerRecord<byte[], byte[]> record) {
            super.addRecord(record);
            tell();
        }

        @Override
        public synchronized void wakeup() {
            super.wakeup();
            tell();
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            long endNanos = System.nanoTime() + timeout.toNanos();
            try {
                while (!news && System.nanoTime() < endNanos) {
                    wait(timeout.toMillis());
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            news = false;
            return super.poll(timeout);
        }

        private synchronized void tell() {
            news = true;
            notifyAll();
        }
    }
}
