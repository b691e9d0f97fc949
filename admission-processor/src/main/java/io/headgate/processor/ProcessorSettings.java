package io.headgate.processor;

import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.PolicyStatusReports;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.trust.TrustSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigException;

/**
 * The settings of a processor. None of them can change a decision: those that begin with {@code shard.initial.} are
 * written into the log of a shard that has no settings yet, and are never looked at again.
 */
public final class ProcessorSettings {

    static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    static final String APPLICATION_ID = "application.id";
    static final String STATE_DIR = "state.dir";
    static final String CONTROL_KEYS = "control.keys.file";
    static final String REPLY_TOPICS = "reply.topics";
    static final String THREADS = "threads";
    static final String STANDBYS = "standbys";
    static final String COMMIT_INTERVAL = "commit.interval.ms";
    static final String SESSION_TIMEOUT = "session.timeout.ms";
    static final String TRANSACTION_TIMEOUT = "transaction.timeout.ms";
    static final String CACHE_BYTES = "cache.bytes";
    static final String ROCKSDB_BYTES = "rocksdb.bytes";
    static final String TRANSACTIONAL_STORE = "state.transactional";
    static final String TICK = "tick.ms";
    static final String TRACE_DENIALS = "trace.denials.per.second";
    static final String TRACE_ALLOWS = "trace.allows.one.in";
    static final String TRACE_REQUESTED = "trace.requested.per.second";
    static final String STATUS_INTERVAL = "status.interval.ms";
    static final String ADMIN_ADDRESS = "admin.address";
    static final String ADMIN_PORT = "admin.port";
    static final String INITIAL_ATTEMPT_RETENTION = "shard.initial.attempt.retention.ms";
    static final String INITIAL_ATTEMPTS = "shard.initial.attempts.per.session";
    static final String INITIAL_SESSIONS = "shard.initial.max.sessions";
    static final String INITIAL_SESSION_IDLE = "shard.initial.session.idle.ms";
    static final String INITIAL_SWEEP = "shard.initial.sweep.entries.per.tick";

    /** What begins with this goes to Kafka's clients as it is, without the prefix. */
    public static final String KAFKA_PREFIX = "kafka.";

    private static final ShardSettings INITIAL = ShardSettings.initial(1, "any");

    /** Every setting: its type, default, range, and what it does. None is picked up by a running process. */
    public static final ConfigDef DEFINITION = TrustSettings.addTo(new ConfigDef())
            .define(
                    BOOTSTRAP_SERVERS,
                    ConfigDef.Type.LIST,
                    ConfigDef.NO_DEFAULT_VALUE,
                    Importance.HIGH,
                    "The Kafka cluster, host:port, separated by commas.")
            .define(
                    STATE_DIR,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new NonEmptyString(),
                    Importance.HIGH,
                    "Folder for the local state. Kept between runs; one process a folder.")
            .define(
                    CONTROL_KEYS,
                    ConfigDef.Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    new NonEmptyString(),
                    Importance.HIGH,
                    "Properties file with the keys of control records, a line id=hexadecimal a key. Processors only.")
            .define(
                    APPLICATION_ID,
                    ConfigDef.Type.STRING,
                    "headgate-admission",
                    new NonEmptyString(),
                    Importance.HIGH,
                    "Names the group of processors, their transactions and their changelog topic.")
            .define(
                    REPLY_TOPICS,
                    ConfigDef.Type.LIST,
                    TopicCatalogue.ADMISSION_REPLIES,
                    Importance.MEDIUM,
                    "Topics that requests may name for their replies. A reply to any other is dropped and counted.")
            .define(
                    THREADS,
                    ConfigDef.Type.INT,
                    2,
                    Range.between(1, 256),
                    Importance.MEDIUM,
                    "Threads that fold shards.")
            .define(
                    STANDBYS,
                    ConfigDef.Type.INT,
                    0,
                    Range.between(0, 5),
                    Importance.MEDIUM,
                    "Other processors that keep a copy of each shard's state, so that one can take over at once.")
            .define(
                    COMMIT_INTERVAL,
                    ConfigDef.Type.LONG,
                    500L,
                    Range.between(10, 10_000),
                    Importance.MEDIUM,
                    "Time between commits of state, in ms. Replies do not wait for it; after a crash this much is folded again.")
            .define(
                    SESSION_TIMEOUT,
                    ConfigDef.Type.INT,
                    6_000,
                    Range.between(1_000, 300_000),
                    Importance.MEDIUM,
                    "Time after which a silent processor loses its shards, in ms. Below 6000 the brokers must allow it.")
            .define(
                    TRANSACTION_TIMEOUT,
                    ConfigDef.Type.INT,
                    3_000,
                    Range.between(1_000, 60_000),
                    Importance.MEDIUM,
                    "Time after which a dead processor's transaction is aborted, in ms; a take-over waits for it.")
            .define(
                    CACHE_BYTES,
                    ConfigDef.Type.LONG,
                    64L * 1024 * 1024,
                    Range.atLeast(0),
                    Importance.MEDIUM,
                    "Heap for entries changed since the last commit, over all shards of the process.")
            .define(
                    ROCKSDB_BYTES,
                    ConfigDef.Type.LONG,
                    256L * 1024 * 1024,
                    Range.atLeast(32L * 1024 * 1024),
                    Importance.MEDIUM,
                    "Memory outside the heap for RocksDB's blocks and write buffers, over all shards of the process.")
            .define(
                    TRANSACTIONAL_STORE,
                    ConfigDef.Type.BOOLEAN,
                    false,
                    Importance.LOW,
                    "Keep the local state over a crash (new in Kafka 4.4) instead of restoring it from the changelog.")
            .define(
                    TICK,
                    ConfigDef.Type.LONG,
                    1_000L,
                    Range.between(50, 10_000),
                    Importance.LOW,
                    "Time between ticks appended to each shard log, in ms.")
            .define(
                    TRACE_DENIALS,
                    ConfigDef.Type.INT,
                    100,
                    Range.between(0, 100_000),
                    Importance.LOW,
                    "Denials a second that the process describes on decision-trace; 0 for none.")
            .define(
                    TRACE_ALLOWS,
                    ConfigDef.Type.INT,
                    0,
                    Range.between(0, 1_000_000_000),
                    Importance.LOW,
                    "Of so many admitted requests one is described on decision-trace, the same on every node; 0 for none.")
            .define(
                    TRACE_REQUESTED,
                    ConfigDef.Type.INT,
                    100,
                    Range.between(0, 100_000),
                    Importance.LOW,
                    "Decisions a second that the process describes because the request asks for it; 0 for none.")
            .define(
                    STATUS_INTERVAL,
                    ConfigDef.Type.LONG,
                    10_000L,
                    Range.between(PolicyStatusReports.LEAST_INTERVAL_MILLIS, PolicyStatusReports.MOST_INTERVAL_MILLIS),
                    Importance.LOW,
                    "Time between words on policy-status about each shard's policy versions, in ms; a change is told at once.")
            .define(
                    ADMIN_ADDRESS,
                    ConfigDef.Type.STRING,
                    "127.0.0.1",
                    new NonEmptyString(),
                    Importance.MEDIUM,
                    "Address of the admin port. It can accept losses of log: never expose it to strangers.")
            .define(
                    ADMIN_PORT,
                    ConfigDef.Type.INT,
                    8081,
                    Range.between(0, 65_535),
                    Importance.MEDIUM,
                    "Port for health, metrics, shards, accounts and accept-loss; 0 picks a free one.")
            .define(
                    INITIAL_ATTEMPT_RETENTION,
                    ConfigDef.Type.LONG,
                    INITIAL.attemptRetentionMillis(),
                    Importance.LOW,
                    "New shards: how long an answer is remembered for a resent batch; twice the longest deadline or more.")
            .define(
                    INITIAL_ATTEMPTS,
                    ConfigDef.Type.INT,
                    INITIAL.attemptsPerSession(),
                    Importance.LOW,
                    "New shards: how many batches of a session are remembered.")
            .define(
                    INITIAL_SESSIONS,
                    ConfigDef.Type.INT,
                    INITIAL.maxSessions(),
                    Importance.LOW,
                    "New shards: how many sessions of gateways are remembered.")
            .define(
                    INITIAL_SESSION_IDLE,
                    ConfigDef.Type.LONG,
                    INITIAL.sessionIdleMillis(),
                    Importance.LOW,
                    "New shards: how long an idle session is remembered, in ms.")
            .define(
                    INITIAL_SWEEP,
                    ConfigDef.Type.INT,
                    INITIAL.sweepEntriesPerTick(),
                    Importance.LOW,
                    "New shards: how many entries the sweep looks at each tick.");

    private final Map<String, Object> values;
    private final Map<String, String> kafka;

    private ProcessorSettings(Map<String, Object> values, Map<String, String> kafka) {
        this.values = values;
        this.kafka = kafka;
    }

    /**
     * Reads settings by name.
     *
     * @throws ConfigException naming the setting, its value and what would do
     */
    public static ProcessorSettings of(Map<String, String> settings) {
        Map<String, String> own = new TreeMap<>();
        Map<String, String> kafka = new TreeMap<>();
        settings.forEach((name, value) -> {
            if (name.startsWith(KAFKA_PREFIX)) {
                kafka.put(name.substring(KAFKA_PREFIX.length()), value);
            } else if (DEFINITION.names().contains(name)) {
                own.put(name, value);
            } else {
                throw new ConfigException("unknown setting " + name + "; there are " + new TreeSet<>(DEFINITION.names())
                        + ", and those of Kafka's clients behind " + KAFKA_PREFIX);
            }
        });
        for (String name : kafka.keySet()) {
            if (StreamsConfiguration.isGuarded(name)) {
                throw new ConfigException("setting " + KAFKA_PREFIX + name
                        + " cannot be set: what Headgate guarantees depends on its value");
            }
        }
        ProcessorSettings parsed = new ProcessorSettings(DEFINITION.parse(own), kafka);
        parsed.initialSettings(1, "any");
        parsed.checkTransactionOutlastsCommit();
        return parsed;
    }

    private void checkTransactionOutlastsCommit() {
        if (transactionTimeoutMillis() < commitIntervalMillis()) {
            throw new ConfigException(TRANSACTION_TIMEOUT + " is " + transactionTimeoutMillis()
                    + "; it must not be below " + COMMIT_INTERVAL + ", which is " + commitIntervalMillis());
        }
    }

    /** Every setting in force, sorted by name. Values of Kafka's own settings are left out where they may be secret. */
    public Map<String, String> effective() {
        Map<String, String> effective = new TreeMap<>();
        values.forEach((name, value) -> effective.put(
                name, ConfigDef.convertToString(value, DEFINITION.configKeys().get(name).type)));
        kafka.forEach((name, value) -> effective.put(KAFKA_PREFIX + name, isSecret(name) ? "[hidden]" : value));
        return effective;
    }

    private static boolean isSecret(String name) {
        return name.contains("password") || name.contains("secret") || name.contains("jaas") || name.contains("key");
    }

    String bootstrapServers() {
        return String.join(",", list(BOOTSTRAP_SERVERS));
    }

    String applicationId() {
        return string(APPLICATION_ID);
    }

    Path stateDir() {
        return Path.of(string(STATE_DIR));
    }

    Path controlKeysFile() {
        return Path.of(string(CONTROL_KEYS));
    }

    String trustedKeys() {
        return string(TrustSettings.TRUSTED_KEYS);
    }

    String unsigned() {
        return string(TrustSettings.UNSIGNED);
    }

    Set<String> replyTopics() {
        return new TreeSet<>(list(REPLY_TOPICS));
    }

    int threads() {
        return integer(THREADS);
    }

    int standbys() {
        return integer(STANDBYS);
    }

    long commitIntervalMillis() {
        return number(COMMIT_INTERVAL);
    }

    int sessionTimeoutMillis() {
        return integer(SESSION_TIMEOUT);
    }

    int transactionTimeoutMillis() {
        return integer(TRANSACTION_TIMEOUT);
    }

    long cacheBytes() {
        return number(CACHE_BYTES);
    }

    long rocksDbBytes() {
        return number(ROCKSDB_BYTES);
    }

    boolean transactionalStore() {
        return (Boolean) values.get(TRANSACTIONAL_STORE);
    }

    long tickMillis() {
        return number(TICK);
    }

    int traceDenialsPerSecond() {
        return integer(TRACE_DENIALS);
    }

    int traceAllowsOneIn() {
        return integer(TRACE_ALLOWS);
    }

    int traceRequestedPerSecond() {
        return integer(TRACE_REQUESTED);
    }

    long statusIntervalMillis() {
        return number(STATUS_INTERVAL);
    }

    String adminAddress() {
        return string(ADMIN_ADDRESS);
    }

    int adminPort() {
        return integer(ADMIN_PORT);
    }

    /** What a new shard begins with. */
    ShardSettings initialSettings(int shards, String controlKeyId) {
        try {
            return new ShardSettings(
                    ShardSettings.NEWEST_SEMANTICS,
                    shards,
                    controlKeyId,
                    number(INITIAL_ATTEMPT_RETENTION),
                    integer(INITIAL_ATTEMPTS),
                    integer(INITIAL_SESSIONS),
                    number(INITIAL_SESSION_IDLE),
                    integer(INITIAL_SWEEP));
        } catch (IllegalArgumentException outOfRange) {
            throw new ConfigException("shard.initial: " + outOfRange.getMessage());
        }
    }

    /** What is passed on to Kafka's clients. */
    Map<String, String> kafka() {
        return kafka;
    }

    private String string(String name) {
        return (String) values.get(name);
    }

    private int integer(String name) {
        return (Integer) values.get(name);
    }

    private long number(String name) {
        return (Long) values.get(name);
    }

    @SuppressWarnings("unchecked")
    private List<String> list(String name) {
        return (List<String>) values.get(name);
    }
}
