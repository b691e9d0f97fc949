package io.headgate.gateway.client;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.policy.Policy;
import io.headgate.core.shard.Partitioning;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.schemas.Addresses;
import io.headgate.schemas.PolicyStatus;
import io.headgate.schemas.PolicyStatusReports;
import io.headgate.schemas.Pseudonyms;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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
 * Asks the shards over Kafka. Safe for use by any number of threads; no call but {@link #acquire} ever blocks, and every
 * question has one answer, by its deadline at the latest.
 *
 * <p>A {@link Question} is put to the stages that have a rule for it, by the policy that the {@link PolicyFollower}
 * knows. In each stage it is a {@link Call}: that goes to its shard's {@link Lane}, out with a {@link Batch}, and comes
 * back through the {@link ReplyReader}; or its time is up, by the {@link DeadlineWheel}. Whichever is first answers it.
 */
public final class HeadgateClient implements Limiter, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HeadgateClient.class);

    static final Unavailable CLOSED = Unavailable.because(Cause.CLOSED, "the client is closed; it takes no more calls");

    /** More route groups than a policy document has room for. */
    private static final long EXEMPT_GROUPS_MAX = 100_000;

    private static final Unavailable STALE = Unavailable.because(
            Cause.STALE_POLICY, "nobody has told for too long whether the policy is still the newest");

    private final ClientSettings settings;
    private final Addresses addresses;
    private final Pseudonyms pseudonyms;
    private final LongSupplier nanoClock;
    private final DeadlineWheel wheel;
    private final Answers answers;
    private final List<Lane> lanes;
    private final Acquisitions acquisitions;
    private final ReplyReader replies;
    private final PolicyFollower policies;
    private final Stages stages;
    private final ClientThreads threads;
    private final ClientMeters meters;
    private final Unavailable overloaded;
    private final TenantPlaces places;
    private final FailModes failModes;
    private final DenialCache denials;
    private final ExemptAudit audit;

    private volatile boolean closed;

    /** Whether the calls that were left at a close have been answered; any that comes later is answered at once. */
    private volatile boolean drained;

    /**
     * Connects a client and waits until it is ready.
     *
     * @throws ClientStartException if the brokers or the topics are not there, or refuse
     */
    public static HeadgateClient start(ClientSettings settings, MeterRegistry registry) {
        List<AutoCloseable> opened = new ArrayList<>();
        try {
            Producer<byte[], byte[]> producer = new KafkaProducer<>(settings.producer());
            opened.add(() -> producer.close(Duration.ZERO));
            Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings.consumer());
            opened.add(consumer);
            Consumer<byte[], byte[]> policies = new KafkaConsumer<>(settings.policies());
            opened.add(policies);
            Producer<byte[], byte[]> status = new KafkaProducer<>(settings.status());
            opened.add(() -> status.close(Duration.ZERO));
            ClientThreads threads = new ClientThreads(settings.answerThreads(), producer, consumer, policies);
            HeadgateClient client = new HeadgateClient(
                    settings,
                    registry,
                    producer,
                    consumer,
                    policies,
                    status,
                    System::nanoTime,
                    threads.sending(),
                    threads.answering(),
                    threads);
            threads.start(client::tick, client::poll, client::follow);
            return client;
        } catch (KafkaException failed) {
            closeAll(opened, failed);
            throw new ClientStartException("the client cannot start: " + failed.getMessage(), failed);
        } catch (RuntimeException failed) {
            closeAll(opened, failed);
            throw failed;
        }
    }

    private static void closeAll(List<AutoCloseable> opened, RuntimeException because) {
        for (AutoCloseable resource : opened) {
            try {
                resource.close();
            } catch (Exception failed) {
                because.addSuppressed(failed);
            }
        }
    }

    /** Puts the parts together; what runs them is up to the caller. */
    HeadgateClient(
            ClientSettings settings,
            MeterRegistry registry,
            Producer<byte[], byte[]> producer,
            Consumer<byte[], byte[]> consumer,
            Consumer<byte[], byte[]> policyConsumer,
            Producer<byte[], byte[]> statusProducer,
            LongSupplier nanoClock,
            Executor sending,
            Executor answering,
            ClientThreads threads) {
        this.settings = settings;
        this.addresses = new Addresses(settings.ipV4PrefixBits(), settings.ipV6PrefixBits());
        this.pseudonyms = new Pseudonyms(settings.pseudonymSecret());
        this.stages = new Stages(settings.stagesAlways());
        this.nanoClock = nanoClock;
        this.threads = threads;
        Topology topology = Topology.learn(consumer, producer, settings);
        long epoch = new SecureRandom().nextLong() & Long.MAX_VALUE;
        AtomicInteger pending = new AtomicInteger();
        this.meters = new ClientMeters(registry, nanoClock, pending::get, this::waiting, this::breakersOpen);
        this.wheel = new DeadlineWheel(nanoClock.getAsLong(), threads::wakeTimer);
        this.answers =
                new Answers(settings.pendingMax(), pending, wheel, nanoClock, answering, meters, new OnTheirWay());
        this.acquisitions = new Acquisitions(settings.waitingMax(), wheel, nanoClock, answers, this::admit);
        Sender sender = new Sender(
                producer,
                sending,
                nanoClock,
                meters,
                settings.gatewayName(),
                epoch,
                topology.replies().partition());
        this.lanes = IntStream.range(0, topology.shards())
                .mapToObj(shard ->
                        new Lane(shard, settings, sender, wheel, answers, new ShardBreaker(shard, settings, nanoClock)))
                .toList();
        this.replies = new ReplyReader(consumer, epoch, lanes, answers, meters, nanoClock);
        this.policies = new PolicyFollower(
                policyConsumer,
                settings.policyTrust(),
                meters,
                new PolicyStatusReports(statusProducer, settings.statusIntervalMillis()),
                PolicyStatus.gateway(
                        settings.gatewayName() + "/" + HexFormat.of().toHexDigits((int) epoch)),
                Clock.systemUTC(),
                nanoClock);
        this.places = new TenantPlaces(settings.pendingMaxPerTenant());
        this.denials = new DenialCache(settings.denialsMax(), nanoClock);
        long startMillis = System.currentTimeMillis();
        long startNanos = nanoClock.getAsLong();
        this.audit = new ExemptAudit(startNanos);
        LongSupplier localMillis =
                () -> startMillis + TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - startNanos);
        this.failModes = new FailModes(
                new LocalBuckets(settings.fallbackBucketsMax(), localMillis),
                new LocalBuckets(EXEMPT_GROUPS_MAX, localMillis),
                meters,
                audit,
                settings.gatewayName() + "-" + HexFormat.of().toHexDigits((int) epoch));
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
        return ask(ask, false);
    }

    @Override
    public CompletableFuture<Answer> peek(Ask ask) {
        return ask(ask, true);
    }

    @Override
    public boolean ready() {
        return !closed && threads.running();
    }

    @Override
    public Optional<Policy> policy(long version) {
        return policies.possible().stream()
                .filter(policy -> policy.version() == version)
                .findFirst();
    }

    @Override
    public Optional<Policy> newestPolicy() {
        return policies.newest();
    }

    @Override
    public List<Policy> candidates() {
        return policies.possible();
    }

    @Override
    public String pseudonym(String attribute, String value) {
        return pseudonyms.attribute(attribute, value);
    }

    /**
     * Asks, and where the budget is spent waits until there should be room, as the denial says, and asks again; until the
     * request is admitted or its budget cannot be there within {@code maxWait}. A stage that has let it pass is not asked
     * again. Nobody who waits has anything reserved: it is a polite client, not a queue.
     *
     * <p>The future completes with the last denial at once when its hint reaches beyond {@code maxWait}, when it has none,
     * or when as many wait as may; and with no decision as {@link #admit} does. It takes no longer than {@code maxWait}
     * and one deadline. Completing or cancelling it ends the wait.
     *
     * @param maxWait 0 to one hour
     */
    public CompletableFuture<Answer> acquireAsync(Ask ask, Duration maxWait) {
        return acquisitions.begin(ask, maxWait);
    }

    /**
     * As {@link #acquireAsync}, but blocks. Not for what depends on a future of this client: the thread it would block is
     * one of those that answer.
     *
     * @throws InterruptedException if the thread is interrupted. A question under way at that moment may be admitted, and
     *     debited, all the same
     */
    public Answer acquire(Ask ask, Duration maxWait) throws InterruptedException {
        CompletableFuture<Answer> answer = acquireAsync(ask, maxWait);
        try {
            return answer.get();
        } catch (InterruptedException impatient) {
            answer.cancel(false);
            throw impatient;
        } catch (ExecutionException bug) {
            throw new IllegalStateException("asking failed", bug.getCause());
        }
    }

    /** How many questions wait for an answer. */
    public int pending() {
        return answers.pending();
    }

    /** How many acquisitions wait for their budget. */
    public int waiting() {
        return acquisitions.waiting();
    }

    /**
     * Takes no more questions, waits a while for the answers to those that it has, and answers the rest CLOSED, and at
     * once whoever waits for budget. Afterwards nothing of the client runs any more.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        acquisitions.close();
        boolean interrupted = Thread.interrupted();
        try {
            answers.awaitIdle(interrupted ? 0 : settings.closeTimeoutMillis());
        } catch (InterruptedException impatient) {
            interrupted = true;
        }
        drained = true;
        List<Call> left = callsIn(wheel.drain());
        answers.giveAll(left, CLOSED);
        threads.stop();
        policies.close();
        audit.write();
        meters.close();
        LOG.atInfo()
                .addKeyValue("gateway", settings.gatewayName())
                .addKeyValue("unanswered", left.size())
                .log("the client is closed");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<Answer> ask(Ask ask, boolean peek) {
        long nowNanos = nanoClock.getAsLong();
        if (closed) {
            return answers.atOnce(CLOSED, nowNanos);
        }
        Optional<Policy> policy = policyFor(ask);
        Optional<Answer> exempt = failModes.exempt(ask, peek, policy);
        if (exempt.isPresent()) {
            return answers.atOnce(exempt.get(), nowNanos);
        }
        long deadlineNanos =
                nowNanos + TimeUnit.MILLISECONDS.toNanos(ask.deadlineMillis().orElse(settings.deadlineMillis()));
        Question question = new Question(
                ask,
                peek,
                ask.identity(addresses, pseudonyms),
                stages.of(ask, policies.possible()),
                nowNanos,
                deadlineNanos);
        Optional<Unavailable> refusal = takePlace(question);
        if (refusal.isPresent()) {
            return answers.atOnce(lastWord(question, refusal.get()), nowNanos);
        }
        put(question);
        return question.future();
    }

    /** Why a question is not even asked; empty if it has its places now. */
    private Optional<Unavailable> takePlace(Question question) {
        if (policies.isStale()) {
            return Optional.of(STALE);
        }
        if (!answers.takePlace()) {
            return Optional.of(overloaded);
        }
        if (!places.take(question.placeHolder())) {
            answers.leavePlace();
            return Optional.of(places.full());
        }
        return Optional.empty();
    }

    private Optional<Policy> policyFor(Ask ask) {
        return policies.inForceFor(ask.caller().tenant(), ask.route());
    }

    private Answer lastWord(Question question, Answer answer) {
        if (answer instanceof Unavailable) {
            Ask ask = question.ask();
            return failModes.instead(
                    answer, ask, question.identity(), question.peek(), policyFor(ask), question.stagesLeft());
        }
        return answer;
    }

    private int breakersOpen() {
        return (int) lanes.stream().filter(lane -> lane.breaker().isOpen()).count();
    }

    /** What happens to this client's calls and questions. */
    private final class OnTheirWay implements Answers.Course {

        @Override
        public void heard(Call call, Answer answer) {
            if (answer instanceof Decided decided
                    && decided.source() == Answer.Source.AUTHORITY
                    && call.question().isPlain()) {
                Decision decision = decided.decision();
                denials.keep(call.admission(), decision, policy(decision.policyVersion()), policies.source());
            }
        }

        @Override
        public void goOn(Question question) {
            put(question);
        }

        @Override
        public Answer lastWord(Question question, Answer answer) {
            return HeadgateClient.this.lastWord(question, answer);
        }

        @Override
        public void left(Question question) {
            places.giveBack(question.placeHolder());
        }
    }

    /** Puts a question to the stage that it is in. */
    private void put(Question question) {
        Admission admission = question.admission();
        Lane lane = lanes.get(Partitioning.shardOf(admission.partitionKey(), lanes.size()));
        Call call = new Call(question, admission, lane);
        Optional<Decision> denial = question.isPlain() ? denials.find(admission, policies.source()) : Optional.empty();
        if (denial.isPresent()) {
            answers.giveAll(
                    List.of(call), new Decided(question.stage(), denial.get(), Answer.Source.DENIAL_CACHE, List.of()));
            return;
        }
        if (!lane.breaker().lets()) {
            answers.giveAll(List.of(call), ShardBreaker.OPEN);
            return;
        }
        call.letThrough(nanoClock.getAsLong());
        wheel.add(call, question.deadlineNanos());
        lane.add(call);
        if (drained) {
            // The close may not have seen this call.
            answers.giveAll(List.of(call), CLOSED);
        }
    }

    /** Answers calls whose time is up, and sends again what has waited for its reply long enough. */
    boolean tick() {
        List<DeadlineWheel.Entry> due = wheel.advance(nanoClock.getAsLong());
        for (DeadlineWheel.Entry entry : due) {
            if (entry instanceof Batch batch) {
                batch.lane().due(batch);
            }
        }
        answers.giveAll(callsIn(due), Answers.TOO_LATE);
        acquisitions.over(acquisitionsIn(due));
        return !wheel.isEmpty();
    }

    /** Handles the replies that are there, or come soon. */
    void poll(Duration timeout) {
        replies.poll(timeout);
    }

    /** Takes up the policies that are there, or come soon. */
    void follow(Duration timeout) {
        audit.look(nanoClock.getAsLong());
        policies.poll(timeout);
    }

    private static List<Acquisition> acquisitionsIn(List<DeadlineWheel.Entry> entries) {
        List<Acquisition> acquisitions = new ArrayList<>(0);
        for (DeadlineWheel.Entry entry : entries) {
            if (entry instanceof Acquisition acquisition) {
                acquisitions.add(acquisition);
            }
        }
        return acquisitions;
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
