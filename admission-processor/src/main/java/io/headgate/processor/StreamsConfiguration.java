package io.headgate.processor;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;

/** How Kafka's clients and Kafka Streams are set up. */
final class StreamsConfiguration {

    /** Settings whose value is part of what is guaranteed; nobody may pass them through, to any client. */
    private static final Set<String> GUARDED = Set.of(
            StreamsConfig.PROCESSING_GUARANTEE_CONFIG,
            StreamsConfig.APPLICATION_ID_CONFIG,
            StreamsConfig.BOOTSTRAP_SERVERS_CONFIG,
            StreamsConfig.STATE_DIR_CONFIG,
            StreamsConfig.DEFAULT_TIMESTAMP_EXTRACTOR_CLASS_CONFIG,
            ProducerConfig.ACKS_CONFIG,
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            ProducerConfig.TRANSACTIONAL_ID_CONFIG,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            ConsumerConfig.GROUP_ID_CONFIG,
            // A failure that is skipped leaves half of a record's changes in the state.
            StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG,
            StreamsConfig.DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG,
            "default.deserialization.exception.handler",
            StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG,
            "default.production.exception.handler");

    /** What Streams takes before a setting that is for one of its clients only. */
    private static final List<String> CLIENT_PREFIXES = List.of(
            StreamsConfig.MAIN_CONSUMER_PREFIX,
            StreamsConfig.RESTORE_CONSUMER_PREFIX,
            StreamsConfig.GLOBAL_CONSUMER_PREFIX,
            StreamsConfig.CONSUMER_PREFIX,
            StreamsConfig.PRODUCER_PREFIX,
            StreamsConfig.ADMIN_CLIENT_PREFIX);

    /** A batch of 500 answers with everything in them stays below this. */
    static final int MAX_RECORD_BYTES = 4 * 1024 * 1024;

    /** What a consumer of the control feed may have in memory; a single record may be larger. */
    private static final int MAX_FETCH_BYTES = 4 * 1024 * 1024;

    private StreamsConfiguration() {}

    /** Whether a setting of Kafka's, for all clients or for one, is not to be passed through. */
    static boolean isGuarded(String name) {
        String bare = CLIENT_PREFIXES.stream()
                .filter(name::startsWith)
                .findFirst()
                .map(prefix -> name.substring(prefix.length()))
                .orElse(name);
        return GUARDED.contains(bare);
    }

    static Properties streams(ProcessorSettings settings) {
        Properties config = new Properties();
        config.putAll(settings.kafka());
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, settings.applicationId());
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        config.put(StreamsConfig.STATE_DIR_CONFIG, settings.stateDir().toString());
        config.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, settings.threads());
        config.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, settings.standbys());
        config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, settings.commitIntervalMillis());
        config.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, settings.cacheBytes());
        config.put("enable.transactional.statestores", settings.transactionalStore());
        config.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, BoundedRocksDb.class);
        config.put(BoundedRocksDb.TOTAL_BYTES, settings.rocksDbBytes());
        config.put(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG, true);
        config.put(StreamsConfig.TOPOLOGY_OPTIMIZATION_CONFIG, StreamsConfig.NO_OPTIMIZATION);
        config.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, StreamsConfig.MAX_TASK_IDLE_MS_DISABLED);
        config.put(StreamsConfig.POLL_MS_CONFIG, 10);
        config.put("processing.exception.handler.global.enabled", true);
        config.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0);
        config.put(
                StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG),
                settings.transactionTimeoutMillis());
        config.put(StreamsConfig.producerPrefix(ProducerConfig.MAX_REQUEST_SIZE_CONFIG), MAX_RECORD_BYTES);
        config.put(
                StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG),
                settings.sessionTimeoutMillis());
        config.put(
                StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG),
                Math.max(250, settings.sessionTimeoutMillis() / 4));
        config.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 500);
        return config;
    }

    /** A producer outside every transaction: what it sends is visible at once. */
    static Map<String, Object> plainProducer(ProcessorSettings settings, String purpose) {
        Map<String, Object> config = new HashMap<>(settings.kafka());
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        config.put(ProducerConfig.CLIENT_ID_CONFIG, settings.applicationId() + "-" + purpose);
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_RECORD_BYTES);
        return config;
    }

    /** A consumer without a group that reads from the beginning, and never more than a little at once. */
    static Map<String, Object> plainConsumer(ProcessorSettings settings, String purpose) {
        Map<String, Object> config = new HashMap<>(settings.kafka());
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 500);
        config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, MAX_FETCH_BYTES);
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        config.put(ConsumerConfig.CLIENT_ID_CONFIG, settings.applicationId() + "-" + purpose);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        return config;
    }

    static Map<String, Object> admin(ProcessorSettings settings) {
        Map<String, Object> config = new HashMap<>(settings.kafka());
        config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, settings.bootstrapServers());
        config.put(AdminClientConfig.CLIENT_ID_CONFIG, settings.applicationId() + "-admin");
        return config;
    }
}
