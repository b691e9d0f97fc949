package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.shard.ShardSettings;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessorSettingsTest {

    private static Map<String, String> required() {
        Map<String, String> settings = new HashMap<>();
        settings.put("bootstrap.servers", "127.0.0.1:9092");
        settings.put("state.dir", "state");
        settings.put("control.keys.file", "control.keys");
        return settings;
    }

    private static ProcessorSettings with(String name, String value) {
        Map<String, String> settings = required();
        settings.put(name, value);
        return ProcessorSettings.of(settings);
    }

    @Test
    void what_is_required_is_enough() {
        ProcessorSettings settings = ProcessorSettings.of(required());

        assertThat(settings.effective())
                .containsEntry("bootstrap.servers", "127.0.0.1:9092")
                .containsEntry("commit.interval.ms", "500")
                .containsEntry("reply.topics", "admission-replies")
                .containsEntry("admin.address", "127.0.0.1")
                .hasSameSizeAs(ProcessorSettings.DEFINITION.names());
        assertThat(settings.initialSettings(8, "k")).isEqualTo(ShardSettings.initial(8, "k"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bootstrap.servers", "state.dir", "control.keys.file"})
    void what_is_required_is_named_when_it_is_missing(String name) {
        Map<String, String> settings = required();
        settings.remove(name);

        assertThatThrownBy(() -> ProcessorSettings.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(name);
    }

    @Test
    void an_unknown_setting_is_named_with_those_that_exist() {
        assertThatThrownBy(() -> with("commit.intervall.ms", "100"))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("unknown setting commit.intervall.ms; there are [admin.address,")
                .hasMessageContaining("commit.interval.ms");
    }

    @ParameterizedTest
    @CsvSource({
        "threads, 0",
        "threads, 257",
        "threads, two",
        "commit.interval.ms, 9",
        "commit.interval.ms, 10001",
        "session.timeout.ms, 999",
        "transaction.timeout.ms, 999",
        "tick.ms, 49",
        "admin.port, 65536",
        "admin.port, -1",
        "rocksdb.bytes, 1000",
        "cache.bytes, -1",
        "state.transactional, perhaps",
        "application.id, ''",
        "state.dir, ''",
    })
    void a_value_out_of_range_is_named_with_its_setting(String name, String value) {
        assertThatThrownBy(() -> with(name, value))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(value);
    }

    @ParameterizedTest
    @CsvSource({
        "shard.initial.attempt.retention.ms, 999, attemptRetentionMillis is 999",
        "shard.initial.attempts.per.session, 15, attemptsPerSession is 15",
        "shard.initial.max.sessions, 0, maxSessions is 0",
        "shard.initial.session.idle.ms, 29999, sessionIdleMillis is 29999",
        "shard.initial.sweep.entries.per.tick, 0, sweepEntriesPerTick is 0",
    })
    void what_a_new_shard_could_not_begin_with_is_refused_at_start(String name, String value, String told) {
        assertThatThrownBy(() -> with(name, value))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(told);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "processing.guarantee",
                "acks",
                "enable.idempotence",
                "transactional.id",
                "isolation.level",
                "auto.offset.reset",
                "group.id",
                "application.id",
                "default.timestamp.extractor"
            })
    void what_the_guarantees_rest_on_cannot_be_passed_to_kafka(String guarded) {
        assertThatThrownBy(() -> with("kafka." + guarded, "any"))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "setting kafka." + guarded + " cannot be set: what Headgate guarantees depends on its value");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "producer.acks",
                "producer.enable.idempotence",
                "consumer.isolation.level",
                "main.consumer.isolation.level",
                "main.consumer.auto.offset.reset",
                "restore.consumer.isolation.level",
            })
    void a_client_of_streams_cannot_be_given_what_all_clients_cannot(String guarded) {
        assertThatThrownBy(() -> with("kafka." + guarded, "any"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("kafka." + guarded);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "processing.exception.handler",
                "deserialization.exception.handler",
                "default.deserialization.exception.handler",
                "production.exception.handler",
                "default.production.exception.handler",
            })
    void nobody_can_have_failures_skipped(String handler) {
        String skips = "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler";

        assertThatThrownBy(() -> with("kafka." + handler, skips))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("kafka." + handler);
    }

    @Test
    void kafkas_own_settings_reach_every_client() {
        ProcessorSettings settings = with("kafka.security.protocol", "SSL");

        assertThat(StreamsConfiguration.streams(settings)).containsEntry("security.protocol", "SSL");
        assertThat(StreamsConfiguration.plainProducer(settings, "replies")).containsEntry("security.protocol", "SSL");
        assertThat(StreamsConfiguration.plainConsumer(settings, "plans")).containsEntry("security.protocol", "SSL");
        assertThat(StreamsConfiguration.admin(settings)).containsEntry("security.protocol", "SSL");
    }

    @Test
    void secrets_are_not_printed() {
        Map<String, String> settings = required();
        settings.put("kafka.ssl.keystore.password", "p1");
        settings.put("kafka.ssl.keystore.key", "p2");
        settings.put("kafka.sasl.jaas.config", "p3");
        settings.put("kafka.sasl.oauthbearer.client.credentials.client.secret", "p4");
        settings.put("kafka.sasl.oauthbearer.assertion.private.key.passphrase", "p5");
        settings.put("kafka.client.rack", "rack-a");

        Map<String, String> effective = ProcessorSettings.of(settings).effective();

        assertThat(effective.values()).doesNotContain("p1", "p2", "p3", "p4", "p5");
        assertThat(effective)
                .containsEntry("kafka.ssl.keystore.password", "[hidden]")
                .containsEntry("kafka.client.rack", "rack-a");
    }

    @Test
    void streams_is_set_up_for_exactly_once_with_a_reply_path_that_does_not_linger() {
        Properties streams = StreamsConfiguration.streams(ProcessorSettings.of(required()));

        assertThat(streams)
                .containsEntry(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2)
                .containsEntry(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0)
                .containsEntry(StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG), 3_000)
                .containsEntry(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 6_000);
    }

    /** Streams refuses to start otherwise, with an exception that names neither setting of ours. */
    @Test
    void a_transaction_may_last_at_least_from_commit_to_commit() {
        Map<String, String> settings = required();
        settings.put("commit.interval.ms", "3000");
        settings.put("transaction.timeout.ms", "2000");

        assertThatThrownBy(() -> ProcessorSettings.of(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("transaction.timeout.ms is 2000")
                .hasMessageContaining("commit.interval.ms, which is 3000");
    }

    @Test
    void every_setting_is_documented_in_one_line() {
        ProcessorSettings.DEFINITION
                .configKeys()
                .values()
                .forEach(key -> assertThat(key.documentation)
                        .as(key.name)
                        .isNotBlank()
                        .doesNotContain("\n")
                        .endsWith("."));
    }
}
