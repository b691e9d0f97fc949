package io.headgate.processor;

import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.PolicyStatusReports;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.Topics;
import io.headgate.schemas.trust.TrustSettings;
import io.headgate.schemas.trust.TrustedKeys;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A processor: owns some of the shards, folds their logs, answers, and appends to them what their owner has to append.
 */
public final class AdmissionProcessor implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AdmissionProcessor.class);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(8);

    private static final Duration LEARN_AT_START = Duration.ofSeconds(10);

    /** How soon a reply topic that was made or widened while this process runs is known to it. */
    private static final long RELEARN_SECONDS = 30;

    private static final long TRACE_BUFFER_BYTES = 8L * 1024 * 1024;

    private final OwnedShards shards = new OwnedShards();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final ScheduledExecutorService housekeeping =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "headgate-housekeeping"));
    private final KafkaStreams streams;
    private final ReplyOutbox outbox;
    private final TraceOutbox traces;
    private final ControlFeed feed;
    private final Thread feedThread;
    private final AdminServer admin;
    private final int shardCount;

    /**
     * Starts a processor; returns before it owns any shard.
     *
     * @throws StartException saying what is wrong with the settings, the folder, the port, the keys or the cluster
     */
    public static AdmissionProcessor start(ProcessorSettings settings) throws InterruptedException {
        Opened opened = new Opened();
        boolean started = false;
        try {
            AdmissionProcessor processor = new AdmissionProcessor(settings, opened);
            started = true;
            return processor;
        } catch (ExecutionException | KafkaException failed) {
            throw new StartException(
                    "the cluster at " + settings.bootstrapServers() + " cannot be used: "
                            + rootOf(failed).getMessage(),
                    failed);
        } finally {
            if (!started) {
                opened.close();
            }
        }
    }

    /** What a start has opened so far, to be closed again if it fails. */
    private static final class Opened {

        private final Deque<AutoCloseable> resources = new ArrayDeque<>();

        <T extends AutoCloseable> T add(T resource) {
            resources.push(resource);
            return resource;
        }

        void close() {
            resources.forEach(resource -> Utils.closeQuietly(resource, "what a failed start had opened"));
        }
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private AdmissionProcessor(ProcessorSettings settings, Opened opened)
            throws ExecutionException, InterruptedException {
        ControlKeys keys = readKeys(settings.controlKeysFile());
        Optional<TrustedKeys> trusted = readTrust(settings);
        makeFolder(settings.stateDir());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ProcessorMetrics metrics = new ProcessorMetrics(registry, shards);
        outbox = opened.add(new ReplyOutbox(producer(replyProducer(settings)), metrics));
        try (Admin cluster = Admin.create(StreamsConfiguration.admin(settings))) {
            shardCount = checkTopics(cluster);
        }
        outbox.learnPartitions(settings.replyTopics(), LEARN_AT_START);
        traces = opened.add(new TraceOutbox(producer(traceProducer(settings)), metrics));
        traces.learnPartitions();
        PerSecond denials = new PerSecond(settings.traceDenialsPerSecond(), System::currentTimeMillis);
        PerSecond requested = new PerSecond(settings.traceRequestedPerSecond(), System::currentTimeMillis);
        streams = opened.add(openStreams(
                settings,
                ShardTopology.build(() -> new ShardProcessor(
                        keys,
                        outbox,
                        shards,
                        metrics,
                        new SamplingTracer(denials, settings.traceAllowsOneIn(), requested, metrics, traces::send)))));
        streams.setUncaughtExceptionHandler(this::fail);
        ShardLogs logs = opened.add(new ShardLogs(keys, producer(controlProducer(settings))));
        SourceFeed<?> plans = opened.add(new SourceFeed<>(
                believed(new PlanSource(shardCount, metrics), trusted.map(believed -> believed::refusal)),
                consumer(settings, "plans"),
                logs));
        SourceFeed<?> actions = opened.add(new SourceFeed<>(
                believed(new ActionSource(shardCount, metrics), trusted.map(believed -> believed::refusal)),
                consumer(settings, "actions"),
                logs));
        metrics.watch(plans);
        metrics.watch(actions);
        feed = new ControlFeed(
                settings,
                shardCount,
                keys,
                trusted.<PolicyTrust>map(believed -> believed).orElse(PolicyTrust.ANYBODY),
                shards,
                metrics,
                opened.add(consumer(settings, "policies")),
                plans,
                actions,
                logs,
                opened.add(
                        new PolicyStatusReports(producer(statusProducer(settings)), settings.statusIntervalMillis())),
                Clock.systemUTC());
        admin = openAdmin(settings, registry, metrics.shadow());
        feedThread = new Thread(this::feedShards, "headgate-control-feed");
        LOG.atInfo().addKeyValue("settings", settings.effective()).log("processor starts");
        streams.start();
        feedThread.start();
        var unused = housekeeping.scheduleWithFixedDelay(
                () -> {
                    outbox.learnPartitions(settings.replyTopics(), Duration.ZERO);
                    traces.learnPartitions();
                },
                RELEARN_SECONDS,
                RELEARN_SECONDS,
                TimeUnit.SECONDS);
    }

    /** Whether every shard that this process owns decides; one that owns none only keeps itself ready. */
    public boolean ready() {
        return streams.state() == KafkaStreams.State.RUNNING
                && shards.all().stream().allMatch(OwnedShard::ready);
    }

    /** How many of the shards this process owns and answers for. */
    public long readyShards() {
        return shards.all().stream().filter(OwnedShard::ready).count();
    }

    /** How many shards there are. */
    public int shardCount() {
        return shardCount;
    }

    public int adminPort() {
        return admin.port();
    }

    /** Completes when the processor has failed for good, with the reason. */
    public CompletableFuture<Throwable> failure() {
        return failure;
    }

    /** Commits, leaves the group so that others take over at once, and stops. */
    @Override
    public void close() {
        admin.close();
        housekeeping.shutdownNow();
        feed.stop();
        boolean stopped =
                streams.close(CloseOptions.groupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP)
                        .withTimeout(STOP_TIMEOUT));
        outbox.close();
        traces.close();
        try {
            feedThread.join(STOP_TIMEOUT.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        LOG.atInfo().addKeyValue("clean", stopped).log("processor stopped");
    }

    /** Without its feed a shard gets no policy and no tick: better that the process ends. */
    private void feedShards() {
        try {
            feed.run();
        } catch (RuntimeException bug) {
            LOG.atError().setCause(bug).log("the control feed failed; the processor stops");
            failure.complete(bug);
        }
    }

    private StreamThreadExceptionResponse fail(Throwable reason) {
        if (lostItsTransaction(reason)) {
            LOG.atWarn()
                    .addKeyValue("reason", reason.getMessage())
                    .log("a thread stood still for longer than its transaction may last; another folds its shards again"
                            + " from the last commit");
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        }
        LOG.atError()
                .setCause(reason)
                .log("processor failed; it stops, and the log is folded again from the last commit");
        failure.complete(reason);
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }

    /**
     * Whether the broker ended a transaction before its thread did, as it does when a process was frozen or starved, or a
     * machine slept. Nothing is wrong with the log or the state then. Streams knows this only of older brokers, where it
     * shows as a fenced producer; with transactions of version 2 it lets the thread die.
     */
    static boolean lostItsTransaction(Throwable reason) {
        return Stream.iterate(reason, Objects::nonNull, Throwable::getCause)
                .anyMatch(InvalidTxnStateException.class::isInstance);
    }

    private boolean live() {
        return !failure.isDone()
                && streams.state() != KafkaStreams.State.ERROR
                && streams.state() != KafkaStreams.State.NOT_RUNNING
                && feedThread.isAlive();
    }

    /** Of what can go wrong with the folder, that it is in use is the likeliest by far. */
    private static KafkaStreams openStreams(ProcessorSettings settings, Topology topology) {
        try {
            return new KafkaStreams(topology, StreamsConfiguration.streams(settings), new LogAppendTimeClients());
        } catch (StreamsException unusable) {
            throw new StartException(
                    "state folder " + settings.stateDir() + " cannot be used; is another processor running on it? ("
                            + unusable.getMessage() + ")",
                    unusable);
        }
    }

    private AdminServer openAdmin(ProcessorSettings settings, PrometheusMeterRegistry registry, ShadowTally shadow) {
        try {
            return new AdminServer(
                    new InetSocketAddress(settings.adminAddress(), settings.adminPort()),
                    shards,
                    this::live,
                    this::ready,
                    registry,
                    shadow);
        } catch (IOException taken) {
            throw new StartException(
                    "admin port " + settings.adminAddress() + ":" + settings.adminPort() + " cannot be opened: "
                            + taken.getMessage() + "; set " + ProcessorSettings.ADMIN_PORT + " to another, or to 0",
                    taken);
        }
    }

    private static int checkTopics(Admin cluster) throws ExecutionException, InterruptedException {
        Optional<Integer> shards = Topics.partitions(cluster, TopicCatalogue.ADMISSION_REQUESTS);
        Optional<Integer> replyPartitions = Topics.partitions(cluster, TopicCatalogue.ADMISSION_REPLIES);
        List<String> differences = Topics.differences(
                cluster, new TopicCatalogue(shards.orElse(64), replyPartitions.orElse(128)).topics());
        if (!differences.isEmpty()) {
            throw new StartException(String.join("; ", differences), null);
        }
        return shards.orElseThrow();
    }

    private static <T> Source<T> believed(Source<T> source, Optional<SignedSource.Trust<T>> trust) {
        return trust.<Source<T>>map(present -> new SignedSource<>(source, present))
                .orElse(source);
    }

    private static Optional<TrustedKeys> readTrust(ProcessorSettings settings) {
        try {
            Optional<TrustedKeys> trusted = TrustSettings.trust(settings.trustedKeys(), settings.unsigned());
            if (trusted.isEmpty()) {
                LOG.atWarn()
                        .log("whoever can write the topics of policies, plans and actions sets the limits: for"
                                + " development only");
            }
            return trusted;
        } catch (IllegalArgumentException unusable) {
            throw new StartException(unusable.getMessage(), unusable);
        }
    }

    private static ControlKeys readKeys(Path file) {
        try {
            return ControlKeys.read(file);
        } catch (RuntimeException unusable) {
            throw new StartException(unusable.getMessage(), unusable);
        }
    }

    private static void makeFolder(Path folder) {
        try {
            Files.createDirectories(folder);
            if (!Files.isWritable(folder)) {
                throw new StartException("state folder " + folder + " cannot be written", null);
            }
        } catch (IOException unusable) {
            throw new StartException("state folder " + folder + " cannot be made: " + unusable, unusable);
        }
    }

    /** Replies never make a shard wait: with nowhere to put one at once, it is dropped. */
    private static Map<String, Object> replyProducer(ProcessorSettings settings) {
        Map<String, Object> config = StreamsConfiguration.plainProducer(settings, "replies");
        config.put("max.block.ms", 50);
        config.put("request.timeout.ms", 2_000);
        config.put("delivery.timeout.ms", 5_000);
        return config;
    }

    /**
     * One request at a time: where the leader of a new topic is not there yet, the first of several can be refused and the
     * second be taken, and then the broker takes the first no more for as long as it is sent.
     */
    private static Map<String, Object> controlProducer(ProcessorSettings settings) {
        Map<String, Object> config = StreamsConfiguration.plainProducer(settings, "control");
        config.put("max.in.flight.requests.per.connection", 1);
        return config;
    }

    /** Traces make a shard wait even less: there is no telling of a thing that is not known at once. */
    private static Map<String, Object> traceProducer(ProcessorSettings settings) {
        Map<String, Object> config = StreamsConfiguration.plainProducer(settings, "traces");
        config.put("max.block.ms", 0);
        config.put("linger.ms", 50);
        config.put("buffer.memory", TRACE_BUFFER_BYTES);
        config.put("request.timeout.ms", 2_000);
        config.put("delivery.timeout.ms", 5_000);
        return config;
    }

    private static Map<String, Object> statusProducer(ProcessorSettings settings) {
        Map<String, Object> config = StreamsConfiguration.plainProducer(settings, "status");
        config.putAll(PolicyStatusReports.producerSettings());
        return config;
    }

    private static KafkaConsumer<byte[], byte[]> consumer(ProcessorSettings settings, String purpose) {
        return new KafkaConsumer<>(
                StreamsConfiguration.plainConsumer(settings, purpose),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> config) {
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }
}
