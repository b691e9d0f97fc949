package io.headgate.gateway.client;

import io.headgate.core.policy.Stage;
import io.headgate.core.shard.LogRecord;
import io.headgate.schemas.PolicyStatusReports;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.Pseudonyms;
import io.headgate.schemas.trust.TrustSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The settings of a {@link HeadgateClient}, checked. None can be changed while it runs. A name that begins with {@value
 * #KAFKA_PREFIX} goes to the Kafka clients without it, unless the client's promises depend on that setting.
 */
public final class ClientSettings {

    public static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    public static final String GATEWAY_NAME = "gateway.name";
    public static final String REPLY_PARTITION = "reply.partition";
    public static final String PSEUDONYM_SECRET = "pseudonym.secret";
    public static final String PSEUDONYM_SECRET_FILE = "pseudonym.secret.file";
    public static final String IP_V4_PREFIX = "ip.v4.prefix";
    public static final String IP_V6_PREFIX = "ip.v6.prefix";
    public static final String STAGES_ALWAYS = "stages.always";
    public static final String DEADLINE_MS = "deadline.ms";
    public static final String DEADLINE_MARGIN_MS = "deadline.margin.ms";
    public static final String RESEND_INTERVAL_MS = "resend.interval.ms";
    public static final String PENDING_MAX = "pending.max";
    public static final String WAITING_MAX = "waiting.max";
    public static final String BATCH_MAX_COMMANDS = "batch.max.commands";
    public static final String ANSWER_THREADS = "answer.threads";
    public static final String START_TIMEOUT_MS = "start.timeout.ms";
    public static final String CLOSE_TIMEOUT_MS = "close.timeout.ms";
    public static final String STATUS_INTERVAL_MS = "status.interval.ms";
    public static final String COMPRESSION = "compression";
    public static final String PENDING_MAX_PER_TENANT = "pending.max.per.tenant";
    public static final String BREAKER_CALLS = "breaker.calls";
    public static final String BREAKER_OPEN_MS = "breaker.open.ms";
    public static final String BREAKER_PROBES = "breaker.probes";
    public static final String FALLBACK_BUCKETS_MAX = "fallback.buckets.max";
    public static final String DENIALS_MAX = "denials.max";

    /** What goes to the Kafka clients. */
    public static final String KAFKA_PREFIX = "kafka.";

    private static final int BY_HASH = -1;
    private static final int MAX_BLOCK_MILLIS = 50;
    private static final int RECONNECT_BACKOFF_MAX_MILLIS = 250;
    private static final int MIN_DEADLINE_MILLIS = 50;

    private static final String[] STAGE_LABELS =
            Arrays.stream(Stage.values()).map(Stage::label).toArray(String[]::new);

    private static final ConfigDef CONFIG = TrustSettings.addTo(new ConfigDef())
            .define(
                    BOOTSTRAP_SERVERS,
                    ConfigDef.Type.LIST,
                    ConfigDef.NO_DEFAULT_VALUE,
                    ConfigDef.ValidList.anyNonDuplicateValues(false, false),
                    Importance.HIGH,
                    "Brokers to begin with, as host:port, separated by commas.")
            .define(
                    GATEWAY_NAME,
                    ConfigDef.Type.STRING,
                    "gateway",
                    ConfigDef.LambdaValidator.with(
                            ClientSettings::checkGatewayName,
                            () -> "1 to " + LogRecord.Attempt.MAX_GATEWAY_LENGTH + " characters"),
                    Importance.HIGH,
                    "Names this gateway in its sessions. Two of one name do no harm, but share a reply partition.")
            .define(
                    REPLY_PARTITION,
                    ConfigDef.Type.INT,
                    BY_HASH,
                    ConfigDef.Range.between(BY_HASH, 9_999),
                    Importance.MEDIUM,
                    "Partition of admission-replies to read, best one of its own, such as the ordinal of the pod;"
                            + " -1 takes one by the hash of the gateway's name, which may be shared.")
            .define(
                    PSEUDONYM_SECRET,
                    ConfigDef.Type.PASSWORD,
                    null,
                    Importance.HIGH,
                    "Secret that pseudonyms are made with: 64 hexadecimal digits or more, the same for all gateways."
                            + " Another secret means fresh budgets per user, key and address.")
            .define(
                    PSEUDONYM_SECRET_FILE,
                    ConfigDef.Type.STRING,
                    "",
                    Importance.HIGH,
                    "File that holds the secret instead, as hexadecimal digits.")
            .define(
                    IP_V4_PREFIX,
                    ConfigDef.Type.INT,
                    32,
                    ConfigDef.Range.between(1, 32),
                    Importance.MEDIUM,
                    "Bits of an IPv4 address that count; addresses alike in them count as one. The same for all gateways.")
            .define(
                    IP_V6_PREFIX,
                    ConfigDef.Type.INT,
                    64,
                    ConfigDef.Range.between(1, 128),
                    Importance.MEDIUM,
                    "Bits of an IPv6 address that count; addresses alike in them count as one. The same for all gateways.")
            .define(
                    STAGES_ALWAYS,
                    ConfigDef.Type.LIST,
                    List.of(Stage.TENANT.label()),
                    ConfigDef.ValidList.in(true, STAGE_LABELS),
                    Importance.MEDIUM,
                    "Stages that are asked of every request that has their key, of "
                            + String.join(", ", STAGE_LABELS)
                            + ". Other stages are passed over where no rule speaks of a request, and with them a ban or a"
                            + " suspension that stands there.")
            .define(
                    DEADLINE_MS,
                    ConfigDef.Type.INT,
                    1_000,
                    ConfigDef.Range.between(MIN_DEADLINE_MILLIS, (int) Ask.MAX_DEADLINE_MILLIS),
                    Importance.HIGH,
                    "How long an answer is waited for unless the call says otherwise, in ms, all stages together. Kafka is"
                            + " given as long to take a record.")
            .define(
                    DEADLINE_MARGIN_MS,
                    ConfigDef.Type.INT,
                    100,
                    ConfigDef.Range.between(0, 10_000),
                    Importance.LOW,
                    "Added to deadlines in log time, in ms: how far clocks may drift apart in a minute.")
            .define(
                    RESEND_INTERVAL_MS,
                    ConfigDef.Type.INT,
                    400,
                    ConfigDef.Range.between(10, 10_000),
                    Importance.MEDIUM,
                    "How long after a batch is in the log it is sent again if no reply came, in ms. Nothing is ever"
                            + " debited twice.")
            .define(
                    PENDING_MAX,
                    ConfigDef.Type.INT,
                    20_000,
                    ConfigDef.Range.between(1, 1_000_000),
                    Importance.MEDIUM,
                    "Questions that may wait for an answer at a time; one more is answered OVERLOADED at once.")
            .define(
                    WAITING_MAX,
                    ConfigDef.Type.INT,
                    10_000,
                    ConfigDef.Range.between(0, 1_000_000),
                    Importance.LOW,
                    "Acquisitions that may wait for budget at a time; one more gets its denial at once.")
            .define(
                    BATCH_MAX_COMMANDS,
                    ConfigDef.Type.INT,
                    LogRecord.Requests.MAX_COMMANDS,
                    ConfigDef.Range.between(1, LogRecord.Requests.MAX_COMMANDS),
                    Importance.LOW,
                    "Commands of a batch, at most.")
            .define(
                    ANSWER_THREADS,
                    ConfigDef.Type.INT,
                    2,
                    ConfigDef.Range.between(1, 64),
                    Importance.LOW,
                    "Threads that complete the futures of calls.")
            .define(
                    START_TIMEOUT_MS,
                    ConfigDef.Type.INT,
                    30_000,
                    ConfigDef.Range.between(1, 600_000),
                    Importance.MEDIUM,
                    "How long the brokers and topics are waited for at start, in ms.")
            .define(
                    CLOSE_TIMEOUT_MS,
                    ConfigDef.Type.INT,
                    5_000,
                    ConfigDef.Range.between(0, 60_000),
                    Importance.MEDIUM,
                    "How long a close waits for answers before it answers CLOSED, in ms.")
            .define(
                    STATUS_INTERVAL_MS,
                    ConfigDef.Type.LONG,
                    10_000L,
                    ConfigDef.Range.between(
                            PolicyStatusReports.LEAST_INTERVAL_MILLIS, PolicyStatusReports.MOST_INTERVAL_MILLIS),
                    Importance.LOW,
                    "How often the client says on policy-status which policy it chooses stages by, in ms; a change is told"
                            + " at once.")
            .define(
                    COMPRESSION,
                    ConfigDef.Type.STRING,
                    "none",
                    ConfigDef.ValidString.in("none", "lz4"),
                    Importance.LOW,
                    "Compression of requests: none or lz4.")
            .define(
                    PENDING_MAX_PER_TENANT,
                    ConfigDef.Type.INT,
                    5_000,
                    ConfigDef.Range.between(1, 1_000_000),
                    Importance.MEDIUM,
                    "Questions of one tenant, or of one address before anybody is known, that may wait for an answer at a"
                            + " time; one more is answered OVERLOADED at once.")
            .define(
                    BREAKER_CALLS,
                    ConfigDef.Type.INT,
                    5,
                    ConfigDef.Range.between(1, ShardBreaker.WINDOW),
                    Importance.MEDIUM,
                    "How many calls to a shard have to have ended before it may be given up: half of its last "
                            + ShardBreaker.WINDOW + " without an answer, and it is not asked for a moment.")
            .define(
                    BREAKER_OPEN_MS,
                    ConfigDef.Type.INT,
                    1_000,
                    ConfigDef.Range.between(10, 60_000),
                    Importance.MEDIUM,
                    "How long a shard that was given up is not asked, in ms.")
            .define(
                    BREAKER_PROBES,
                    ConfigDef.Type.INT,
                    3,
                    ConfigDef.Range.between(1, 100),
                    Importance.LOW,
                    "How many calls are let through to it then; it is asked again when more than half of them are answered.")
            .define(
                    FALLBACK_BUCKETS_MAX,
                    ConfigDef.Type.INT,
                    100_000,
                    ConfigDef.Range.between(1, 10_000_000),
                    Importance.LOW,
                    "Counters that the client keeps for fail mode local-bounded and exempt routes; one that is dropped for"
                            + " want of room begins afresh.")
            .define(
                    DENIALS_MAX,
                    ConfigDef.Type.INT,
                    10_000,
                    ConfigDef.Range.between(0, 1_000_000),
                    Importance.LOW,
                    "Denials that may be repeated without asking, where the policy's responses.denyCache says so; 0 for"
                            + " none.");

    /** What {@code kafka.*} may not set, and why. */
    private static final Map<String, String> RESERVED = reserved();

    private final AbstractConfig config;
    private final Map<String, String> kafka;
    private final byte[] pseudonymSecret;
    private final PolicyTrust policyTrust;

    /**
     * Checks settings given by name.
     *
     * @throws IllegalArgumentException naming the setting, its value unless it is secret, and what would do
     */
    public ClientSettings(Map<String, String> given) {
        Map<String, String> own = new HashMap<>(given);
        own.keySet().removeIf(name -> name.startsWith(KAFKA_PREFIX));
        SettingNames.refuseUnknown(own.keySet(), CONFIG.names());
        this.kafka = Collections.unmodifiableMap(passedThrough(given));
        try {
            this.config = new AbstractConfig(CONFIG, own, false);
        } catch (ConfigException wrong) {
            throw new IllegalArgumentException(wrong.getMessage(), wrong);
        }
        this.pseudonymSecret = secret();
        this.policyTrust = TrustSettings.trust(
                        config.getString(TrustSettings.TRUSTED_KEYS), config.getString(TrustSettings.UNSIGNED))
                .<PolicyTrust>map(keys -> keys)
                .orElse(PolicyTrust.ANYBODY);
    }

    /** Every setting with its type, default, range and meaning; for generated documentation. */
    public static ConfigDef definition() {
        return new ConfigDef(CONFIG);
    }

    /** All settings by name, defaults included, secrets hidden. */
    public Map<String, String> effective() {
        Map<String, String> effective = new TreeMap<>();
        config.values().forEach((name, value) -> {
            String text = value == null ? "" : value.toString();
            effective.put(name, value instanceof List ? String.join(",", config.getList(name)) : text);
        });
        kafka.forEach((name, value) -> effective.put(KAFKA_PREFIX + name, isSecret(name) ? Password.HIDDEN : value));
        return effective;
    }

    @Override
    public String toString() {
        return "ClientSettings" + effective();
    }

    public String gatewayName() {
        return config.getString(GATEWAY_NAME);
    }

    /** The reply partition, if it is given. */
    OptionalInt replyPartition() {
        int given = config.getInt(REPLY_PARTITION);
        return given == BY_HASH ? OptionalInt.empty() : OptionalInt.of(given);
    }

    /** Whose policies count. */
    PolicyTrust policyTrust() {
        return policyTrust;
    }

    byte[] pseudonymSecret() {
        return pseudonymSecret.clone();
    }

    public int deadlineMillis() {
        return config.getInt(DEADLINE_MS);
    }

    int ipV4PrefixBits() {
        return config.getInt(IP_V4_PREFIX);
    }

    int ipV6PrefixBits() {
        return config.getInt(IP_V6_PREFIX);
    }

    /** The stages that are asked whether a rule speaks of a request or not. */
    Set<Stage> stagesAlways() {
        return config.getList(STAGES_ALWAYS).stream().map(Stage::labelled).collect(Collectors.toUnmodifiableSet());
    }

    int deadlineMarginMillis() {
        return config.getInt(DEADLINE_MARGIN_MS);
    }

    int resendIntervalMillis() {
        return config.getInt(RESEND_INTERVAL_MS);
    }

    int pendingMax() {
        return config.getInt(PENDING_MAX);
    }

    int pendingMaxPerTenant() {
        return config.getInt(PENDING_MAX_PER_TENANT);
    }

    int breakerCalls() {
        return config.getInt(BREAKER_CALLS);
    }

    int breakerOpenMillis() {
        return config.getInt(BREAKER_OPEN_MS);
    }

    int breakerProbes() {
        return config.getInt(BREAKER_PROBES);
    }

    int fallbackBucketsMax() {
        return config.getInt(FALLBACK_BUCKETS_MAX);
    }

    int denialsMax() {
        return config.getInt(DENIALS_MAX);
    }

    int waitingMax() {
        return config.getInt(WAITING_MAX);
    }

    int batchMaxCommands() {
        return config.getInt(BATCH_MAX_COMMANDS);
    }

    int answerThreads() {
        return config.getInt(ANSWER_THREADS);
    }

    int startTimeoutMillis() {
        return config.getInt(START_TIMEOUT_MS);
    }

    public int closeTimeoutMillis() {
        return config.getInt(CLOSE_TIMEOUT_MS);
    }

    /** Settings of the producer of requests. */
    public Map<String, Object> producer() {
        Map<String, Object> settings = common(ProducerConfig.configNames());
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, gatewayName() + "-requests");
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.ACKS_CONFIG, "all");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MILLIS);
        settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deadlineMillis());
        settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.max(MIN_DEADLINE_MILLIS, deadlineMillis() / 2));
        settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, config.getString(COMPRESSION));
        return settings;
    }

    /** Settings of the consumer of replies. */
    public Map<String, Object> consumer() {
        Map<String, Object> settings = common(ConsumerConfig.configNames());
        settings.put(ConsumerConfig.CLIENT_ID_CONFIG, gatewayName() + "-replies");
        settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        settings.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest");
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
        settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        return settings;
    }

    /** Settings of the consumer of policies: what shards read, from the beginning. */
    Map<String, Object> policies() {
        Map<String, Object> settings = consumer();
        settings.put(ConsumerConfig.CLIENT_ID_CONFIG, gatewayName() + "-policies");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        return settings;
    }

    /** Settings of the producer of words about policy versions. */
    Map<String, Object> status() {
        Map<String, Object> settings = common(ProducerConfig.configNames());
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, gatewayName() + "-status");
        settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        settings.putAll(PolicyStatusReports.producerSettings());
        return settings;
    }

    long statusIntervalMillis() {
        return config.getLong(STATUS_INTERVAL_MS);
    }

    private Map<String, Object> common(Set<String> known) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_BACKOFF_MAX_MILLIS);
        kafka.forEach((name, value) -> {
            if (known.contains(name)) {
                settings.put(name, value);
            }
        });
        settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, config.getList(BOOTSTRAP_SERVERS));
        return settings;
    }

    private static Map<String, String> passedThrough(Map<String, String> given) {
        Map<String, String> kafka = new TreeMap<>();
        given.forEach((name, value) -> {
            if (name.startsWith(KAFKA_PREFIX)) {
                kafka.put(name.substring(KAFKA_PREFIX.length()), value);
            }
        });
        kafka.keySet().stream().filter(RESERVED::containsKey).findFirst().ifPresent(name -> {
            throw new IllegalArgumentException(
                    "setting '" + KAFKA_PREFIX + name + "' cannot be given: " + RESERVED.get(name));
        });
        Set<String> known = new TreeSet<>();
        kafkaNames().forEach(name -> known.add(KAFKA_PREFIX + name));
        SettingNames.refuseUnknown(
                kafka.keySet().stream().map(name -> KAFKA_PREFIX + name).toList(), known);
        return kafka;
    }

    private static Set<String> kafkaNames() {
        Set<String> names = new HashSet<>(ProducerConfig.configNames());
        names.addAll(ConsumerConfig.configNames());
        names.removeAll(RESERVED.keySet());
        return names;
    }

    private static Map<String, String> reserved() {
        Map<String, String> reserved = new HashMap<>();
        String once = "a batch is in the log once, in order and replicated, only with acks=all and idempotence";
        reserved.put(ProducerConfig.ACKS_CONFIG, once);
        reserved.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, once);
        reserved.put(ProducerConfig.RETRIES_CONFIG, once);
        reserved.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, once);
        String open = "an open transaction on admission-requests would stop the shard";
        reserved.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, open);
        reserved.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, open);
        reserved.put(ProducerConfig.TRANSACTION_TWO_PHASE_COMMIT_ENABLE_CONFIG, open);
        String deadline = "it follows from " + DEADLINE_MS;
        reserved.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, deadline);
        reserved.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, deadline);
        reserved.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, deadline);
        reserved.put(ProducerConfig.LINGER_MS_CONFIG, "the client makes its batches itself, without a wait");
        reserved.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "give " + COMPRESSION);
        reserved.put(ProducerConfig.PARTITIONER_CLASS_CONFIG, "the shard follows from the request");
        String bytes = "records are bytes";
        reserved.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, bytes);
        reserved.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, bytes);
        reserved.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, bytes);
        reserved.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, bytes);
        reserved.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "give " + BOOTSTRAP_SERVERS);
        reserved.put(CommonClientConfigs.CLIENT_ID_CONFIG, "it follows from " + GATEWAY_NAME);
        String noGroup = "replies are read without a group, from the end of one partition";
        reserved.put(ConsumerConfig.GROUP_ID_CONFIG, noGroup);
        reserved.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, noGroup);
        reserved.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, noGroup);
        reserved.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, noGroup);
        reserved.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, noGroup);
        String atOnce = "replies are read as soon as they are there";
        reserved.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, atOnce);
        reserved.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, atOnce);
        reserved.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "topics are made from the catalogue");
        return Collections.unmodifiableMap(reserved);
    }

    private static boolean isSecret(String kafkaName) {
        return passwordIn(ProducerConfig.configDef(), kafkaName) || passwordIn(ConsumerConfig.configDef(), kafkaName);
    }

    private static boolean passwordIn(ConfigDef definition, String name) {
        ConfigDef.ConfigKey key = definition.configKeys().get(name);
        return key != null && key.type() == ConfigDef.Type.PASSWORD;
    }

    private static void checkGatewayName(String name, Object value) {
        String gateway = (String) value;
        if (gateway.isBlank() || gateway.length() > LogRecord.Attempt.MAX_GATEWAY_LENGTH) {
            throw new ConfigException(
                    name, gateway, "it must have 1 to " + LogRecord.Attempt.MAX_GATEWAY_LENGTH + " characters");
        }
    }

    private byte[] secret() {
        Password given = config.getPassword(PSEUDONYM_SECRET);
        String file = config.getString(PSEUDONYM_SECRET_FILE);
        if ((given == null) == file.isEmpty()) {
            throw new IllegalArgumentException("give either " + PSEUDONYM_SECRET + " or " + PSEUDONYM_SECRET_FILE
                    + ", one of them: without a secret there are no pseudonyms");
        }
        String name = given == null ? PSEUDONYM_SECRET_FILE : PSEUDONYM_SECRET;
        String hex = given == null ? read(Path.of(file)) : given.value();
        try {
            byte[] secret = HexFormat.of().parseHex(hex.strip());
            if (secret.length >= Pseudonyms.MIN_SECRET_LENGTH) {
                return secret;
            }
        } catch (IllegalArgumentException notHex) {
            // said below, without the text
        }
        throw new IllegalArgumentException("setting '" + name + "' must hold " + 2 * Pseudonyms.MIN_SECRET_LENGTH
                + " hexadecimal digits or more, an even number; what it holds is secret and not shown");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    "setting '" + PSEUDONYM_SECRET_FILE + "' names " + file + ", which cannot be read: "
                            + unreadable.getClass().getSimpleName(),
                    unreadable);
        }
    }
}
