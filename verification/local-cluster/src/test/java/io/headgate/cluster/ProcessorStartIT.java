package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.processor.AdmissionProcessor;
import io.headgate.processor.ProcessorSettings;
import io.headgate.processor.StartException;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.TopicSpec;
import io.headgate.schemas.Topics;
import io.headgate.tools.PolicyTopic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a processor refuses to run on, in one clear message. */
class ProcessorStartIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private LocalBroker broker;

    @BeforeEach
    void start() {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private Map<String, String> settings() throws IOException {
        return LocalShards.processorSettings(broker.bootstrapServers(), folder);
    }

    private Map<String, String> settingsWith(String name, String value) throws IOException {
        Map<String, String> settings = settings();
        settings.put(name, value);
        return settings;
    }

    private static void assertRefuses(Map<String, String> settings, String... told) {
        assertThatThrownBy(() -> {
                    try (AdmissionProcessor started = AdmissionProcessor.start(ProcessorSettings.of(settings))) {
                        assertThat(started.adminPort()).isNull();
                    }
                })
                .isInstanceOf(StartException.class)
                .message()
                .contains(told)
                .hasLineCount(1);
    }

    /** The topics of the catalogue, one of them changed. */
    private void createTopics(TopicSpec changed) throws Exception {
        List<TopicSpec> specs = new TopicCatalogue(LocalShards.SHARDS, LocalShards.REPLY_PARTITIONS)
                .topics().stream()
                        .map(spec -> spec.name().equals(changed.name()) ? changed : spec)
                        .toList();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            Topics.create(admin, specs);
        }
    }

    private static TopicSpec spec(String name) {
        return new TopicCatalogue(LocalShards.SHARDS, LocalShards.REPLY_PARTITIONS)
                .topics().stream()
                        .filter(spec -> spec.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }

    private void setTimestampType(String type) throws Exception {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, TopicCatalogue.ADMISSION_REQUESTS);
        ConfigEntry entry = new ConfigEntry(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, type);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.incrementalAlterConfigs(Map.of(topic, List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    @Test
    void missing_topics_are_all_named_with_how_to_make_them() throws Exception {
        assertRefuses(
                settings(),
                "topic admission-requests is missing; create it with 64 partitions and {",
                "message.timestamp.type=LogAppendTime",
                "topic policies is missing",
                "topic tenant-plans is missing; create it with 64 partitions",
                "topic quota-adjustments is missing; create it with 64 partitions",
                "topic decision-trace is missing",
                "topic dead-letters is missing");
    }

    @Test
    void a_topic_with_another_number_of_partitions_is_named() throws Exception {
        TopicSpec policies = spec(TopicCatalogue.POLICIES);
        createTopics(new TopicSpec(policies.name(), 3, policies.config()));

        assertRefuses(settings(), "topic policies has 3 partitions; it must have 1");
    }

    @Test
    void a_log_whose_times_are_its_senders_is_refused_at_start() throws Exception {
        TopicSpec requests = spec(TopicCatalogue.ADMISSION_REQUESTS);
        Map<String, String> config = new HashMap<>(requests.config());
        config.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "CreateTime");
        createTopics(new TopicSpec(requests.name(), requests.partitions(), config));

        assertRefuses(
                settings(), "topic admission-requests has message.timestamp.type=CreateTime; it must be LogAppendTime");
    }

    @Test
    void a_record_whose_time_is_its_senders_is_refused_while_running() throws Exception {
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers()).publish(LoadPolicy.version(1), "test", "first");
        try (AdmissionProcessor processor = AdmissionProcessor.start(ProcessorSettings.of(settings()));
                PlainGateway gateway = new PlainGateway(broker.bootstrapServers())) {
            LocalShards.awaitReady(processor);
            setTimestampType("CreateTime");

            gateway.send(2, RequestRecords.encode(Asks.spend(Asks.tenantOf(2, "t"), 1)), new RecordHeaders());

            Throwable failure = processor.failure().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(failure)
                    .rootCause()
                    .hasMessageContaining("has time of type CreateTime; set message.timestamp.type=LogAppendTime");
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(processor.ready()).isFalse());
        }
    }

    @Test
    void a_key_file_that_is_missing_or_wrong_is_named() throws Exception {
        Path missing = folder.resolve("no.keys");
        assertRefuses(settingsWith("control.keys.file", missing.toString()), "control key file " + missing);

        Path wrong = Files.writeString(folder.resolve("wrong.keys"), "k1=abc\n");
        assertRefuses(
                settingsWith("control.keys.file", wrong.toString()),
                "control key file " + wrong,
                "the secret of 'k1' is not an even number of hexadecimal digits");

        Path weak = Files.writeString(folder.resolve("weak.keys"), "k1=abcd\n");
        assertRefuses(settingsWith("control.keys.file", weak.toString()), "it must have 32 or more");
    }

    @Test
    void a_state_folder_that_cannot_be_made_is_named() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");

        assertRefuses(settingsWith("state.dir", file.resolve("state").toString()), "state folder " + file);
    }

    @Test
    void a_cluster_that_does_not_answer_is_named() throws Exception {
        Map<String, String> settings = settings();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            settings.put("bootstrap.servers", "127.0.0.1:" + silent.getLocalPort());
            settings.put("kafka.default.api.timeout.ms", "1500");
            settings.put("kafka.request.timeout.ms", "1000");

            assertRefuses(settings, "the cluster at 127.0.0.1:" + silent.getLocalPort() + " cannot be used");
        }
    }

    @Test
    void an_address_that_makes_no_sense_is_named() throws Exception {
        assertRefuses(settingsWith("bootstrap.servers", "nonsense"), "nonsense");
        assertRefuses(settingsWith("bootstrap.servers", "no-such-host.invalid:9092"), "no-such-host.invalid:9092");
    }

    @Test
    void a_start_that_failed_leaves_nothing_that_hinders_the_next() throws Exception {
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers()).publish(LoadPolicy.version(1), "test", "first");
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertRefuses(
                    settingsWith("admin.port", Integer.toString(other.getLocalPort())),
                    "admin port 127.0.0.1:" + other.getLocalPort() + " cannot be opened",
                    "set admin.port to another, or to 0");
        }

        try (AdmissionProcessor processor = AdmissionProcessor.start(ProcessorSettings.of(settings()))) {
            LocalShards.awaitReady(processor);
        }
    }

    @Test
    void a_state_folder_that_another_processor_uses_is_named() throws Exception {
        LocalShards.createTopics(broker.bootstrapServers());
        try (ProcessorProcess first = ProcessorProcess.start(folder.resolve("first.log"), settings());
                ProcessorProcess second = ProcessorProcess.launch(folder.resolve("second.log"), settings())) {
            String line = second.awaitLine("headgate processor: ");

            assertThat(line).contains("state folder " + folder.resolve("state")).contains("another processor");
            Awaitility.await().atMost(PATIENCE).until(() -> !second.isAlive());
            assertThat(first.isAlive()).isTrue();
        }
    }

    @Test
    void the_program_says_it_in_one_line_and_ends_with_code_2() throws Exception {
        Path missing = folder.resolve("no.keys");
        try (ProcessorProcess process = ProcessorProcess.launch(
                folder.resolve("out.log"), settingsWith("control.keys.file", missing.toString()))) {
            assertThat(process.awaitLine("headgate processor: "))
                    .isEqualTo("headgate processor: control key file " + missing + " cannot be read");
            assertThat(process.awaitExitCode()).isEqualTo(2);
        }
        assertThat(Files.readString(folder.resolve("out.log"))).doesNotContain("\tat ");
    }
}
