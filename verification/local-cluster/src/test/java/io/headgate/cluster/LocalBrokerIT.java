package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidSessionTimeoutException;
import org.apache.kafka.common.record.TimestampType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalBrokerIT {

    private static final Duration CHILD_START_TIMEOUT = Duration.ofSeconds(60);
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    @TempDir
    private Path scratch;

    private final List<AutoCloseable> running = new ArrayList<>();

    @AfterEach
    void end_what_still_runs() throws Exception {
        for (AutoCloseable each : running) {
            each.close();
        }
    }

    @Test
    void a_produced_record_can_be_consumed() {
        PlainClient client = client(start(settings("data")));
        client.createTopic(ORDERS.topic(), 1, Map.of());

        client.produce(List.of(order("key", "value")));

        assertThat(client.readAll(ORDERS)).singleElement().satisfies(record -> {
            assertThat(record.key()).isEqualTo("key");
            assertThat(record.value()).isEqualTo("value");
        });
    }

    @Test
    void an_aborted_transaction_is_not_read_and_a_committed_one_is() {
        PlainClient client = client(start(settings("data")));
        client.createTopic(ORDERS.topic(), 1, Map.of());

        try (Producer<String, String> producer = client.producer(Map.of("transactional.id", "clerk"))) {
            producer.initTransactions();
            producer.beginTransaction();
            var unused = producer.send(order("key", "aborted"));
            producer.abortTransaction();
            producer.beginTransaction();
            unused = producer.send(order("key", "committed"));
            producer.commitTransaction();
        }

        assertThat(values(client.readAll(ORDERS))).containsExactly("committed");
    }

    @Test
    void a_restart_on_the_same_folder_keeps_topics_records_and_committed_offsets() {
        List<String> written = numbered(200);
        LocalBroker before = start(settings("data"));
        client(before).createTopic(ORDERS.topic(), 3, Map.of());
        client(before).produce(orders(written));
        long consumed = consumeAndCommitSome(client(before), "clerks");
        before.close();

        LocalBroker after = start(settings("data"));

        PlainClient client = client(after);
        assertThat(after.clusterId()).isEqualTo(before.clusterId());
        assertThat(client.topics()).contains(ORDERS.topic());
        assertThat(values(client.readAll(ORDERS))).isEqualTo(written);
        assertThat(client.committedOffset("clerks", ORDERS)).isEqualTo(consumed).isPositive();
        client.produce(orders(List.of("after the restart")));
        assertThat(values(client.readAll(ORDERS))).endsWith("after the restart");
    }

    @Test
    void a_killed_broker_keeps_what_it_acknowledged() {
        List<String> written = numbered(200);
        ChildJvm child = startProcess("data");
        client(child).createTopic(ORDERS.topic(), 1, Map.of());
        client(child).produce(orders(written));
        child.kill9();

        LocalBroker after = start(settings("data"));

        assertThat(values(client(after).readAll(ORDERS))).isEqualTo(written);
    }

    @Test
    void two_brokers_run_side_by_side_and_share_nothing() {
        LocalBroker one = start(settings("one"));
        LocalBroker other = start(settings("other"));

        client(one).createTopic("only-here", 1, Map.of());

        assertThat(client(one).topics()).contains("only-here");
        assertThat(client(other).topics()).doesNotContain("only-here");
        assertThat(one.clusterId()).isNotEqualTo(other.clusterId());
    }

    @Test
    void one_of_two_brokers_goes_on_when_the_other_stops() {
        LocalBroker one = start(settings("one"));
        LocalBroker other = start(settings("other"));

        other.close();

        client(one).createTopic(ORDERS.topic(), 1, Map.of());
        client(one).produce(orders(List.of("still here")));
        assertThat(values(client(one).readAll(ORDERS))).containsExactly("still here");
    }

    @Test
    void a_taken_port_is_refused_by_number_and_leaves_the_folder_free() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int taken = other.getLocalPort();

            assertThatThrownBy(() -> start(settings("data").onPort(taken)))
                    .isInstanceOf(PortTakenException.class)
                    .hasMessage("port " + taken + " on 127.0.0.1 is taken; stop the program that listens there or"
                            + " choose another port (0 picks a free one)");
        }
        assertStarts(settings("data"));
    }

    @Test
    void a_port_taken_on_every_address_is_refused_as_well() throws IOException {
        try (ServerSocket other = new ServerSocket(0)) {
            int taken = other.getLocalPort();

            assertThatThrownBy(() -> start(settings("data").onPort(taken))).isInstanceOf(PortTakenException.class);
        }
    }

    @Test
    void a_port_can_be_used_again_right_after_close() {
        LocalBroker first = start(settings("data"));
        client(first).createTopic(ORDERS.topic(), 1, Map.of());
        first.close();

        LocalBroker second = start(settings("data").onPort(first.clientPort()));

        assertThat(second.bootstrapServers()).isEqualTo(first.bootstrapServers());
        assertThat(client(second).topics()).contains(ORDERS.topic());
    }

    @Test
    void a_folder_under_a_regular_file_is_refused_by_name() throws IOException {
        Path folder = Files.createFile(scratch.resolve("file")).resolve("data");

        assertThatThrownBy(() -> start(LocalBroker.Settings.in(folder)))
                .isInstanceOf(BrokerStartException.class)
                .hasMessage("data folder " + folder + " cannot be written: Not a directory");
    }

    @Test
    void a_folder_in_use_in_this_jvm_is_refused_by_name() {
        LocalBroker first = start(settings("data"));

        assertThatThrownBy(() -> start(settings("data")))
                .isInstanceOf(FolderInUseException.class)
                .hasMessage("data folder " + scratch.resolve("data")
                        + " is in use by another broker; stop that one or choose another folder");

        assertThat(client(first).topics()).isEmpty();
    }

    @Test
    void a_folder_in_use_in_another_jvm_is_refused_until_that_one_ends() {
        ChildJvm child = startProcess("data");
        PlainClient client = client(child);

        assertThatThrownBy(() -> start(settings("data"))).isInstanceOf(FolderInUseException.class);

        assertThat(client.topics()).isEmpty();
        child.close();
        assertStarts(settings("data"));
    }

    @Test
    void a_wrong_setting_is_refused_and_leaves_the_folder_free() {
        assertThatThrownBy(() -> start(settings("data").with("num.io.threads", "0")))
                .isInstanceOf(BrokerStartException.class)
                .hasMessageContaining("num.io.threads")
                .message()
                .hasLineCount(1);

        assertStarts(settings("data"));
    }

    @Test
    void a_log_append_time_topic_gets_the_brokers_time() {
        PlainClient client = client(start(settings("data")));
        client.createTopic(ORDERS.topic(), 1, Map.of("message.timestamp.type", "LogAppendTime"));
        long longAgoMillis = 1_000L;

        long beforeMillis = System.currentTimeMillis();
        client.produce(List.of(new ProducerRecord<>(ORDERS.topic(), 0, longAgoMillis, "key", "value")));
        long afterMillis = System.currentTimeMillis();

        assertThat(client.readAll(ORDERS)).singleElement().satisfies(record -> {
            assertThat(record.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
            assertThat(record.timestamp()).isBetween(beforeMillis, afterMillis);
        });
    }

    @Test
    void a_topic_does_not_come_into_being_by_use() {
        PlainClient client = client(start(settings("data")));

        try (Producer<String, String> producer = client.producer(Map.of("max.block.ms", 1_000))) {
            assertThatThrownBy(() -> producer.send(order("key", "value")).get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("not present in metadata");
        }

        assertThat(client.topics()).isEmpty();
    }

    @Test
    void a_consumer_session_of_one_second_is_accepted_and_a_shorter_one_is_not() {
        PlainClient client = client(start(settings("data")));
        client.createTopic(ORDERS.topic(), 1, Map.of());

        try (Consumer<String, String> consumer = member(client, "quick", 1_000)) {
            awaitAssignment(consumer);
        }
        try (Consumer<String, String> consumer = member(client, "too-quick", 999)) {
            assertThatThrownBy(() -> awaitAssignment(consumer)).isInstanceOf(InvalidSessionTimeoutException.class);
        }
    }

    @Test
    void a_transaction_of_a_minute_is_accepted_and_a_longer_one_is_not() {
        PlainClient client = client(start(settings("data")));

        assertThatCode(() -> initTransactions(client, NodeSettings.LONGEST_TRANSACTION_MILLIS))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> initTransactions(client, NodeSettings.LONGEST_TRANSACTION_MILLIS + 1))
                .hasMessageContaining("timeout");
    }

    @Test
    void nobody_listens_after_close_and_a_second_close_does_nothing() {
        LocalBroker broker = start(settings("data"));
        broker.close();

        assertThatCode(broker::close).doesNotThrowAnyException();

        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), broker.clientPort()).close())
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void a_broker_with_an_open_transaction_and_a_group_member_stops_in_time() {
        LocalBroker broker = start(settings("data"));
        PlainClient client = client(broker);
        client.createTopic(ORDERS.topic(), 1, Map.of());
        Producer<String, String> producer = client.producer(Map.of("transactional.id", "clerk"));
        running.add(() -> producer.close(Duration.ZERO));
        Consumer<String, String> consumer = member(client, "clerks", 6_000);
        running.add(() -> consumer.close(CloseOptions.timeout(Duration.ZERO)));
        awaitAssignment(consumer);
        producer.initTransactions();
        producer.beginTransaction();
        var unused = producer.send(order("key", "never committed"));
        producer.flush();

        assertThatCode(broker::close).doesNotThrowAnyException();
    }

    private LocalBroker start(LocalBroker.Settings settings) {
        LocalBroker broker = LocalBroker.start(settings);
        running.add(broker);
        return broker;
    }

    private LocalBroker.Settings settings(String folder) {
        return LocalBroker.Settings.in(scratch.resolve(folder));
    }

    private void assertStarts(LocalBroker.Settings settings) {
        assertThatCode(() -> start(settings)).doesNotThrowAnyException();
    }

    private ChildJvm startProcess(String folder) {
        ChildJvm process = ChildJvm.start(
                scratch.resolve(folder + ".out"),
                List.of("-Xmx256m"),
                BrokerProcess.class,
                scratch.resolve(folder).toString(),
                "0");
        running.add(process);
        return process;
    }

    private static PlainClient client(LocalBroker broker) {
        return new PlainClient(broker.bootstrapServers());
    }

    private static PlainClient client(ChildJvm brokerProcess) {
        String line = brokerProcess.awaitLine(BrokerProcess.READY, CHILD_START_TIMEOUT);
        return new PlainClient(line.substring(BrokerProcess.READY.length()));
    }

    private static void initTransactions(PlainClient client, int timeoutMillis) {
        Map<String, Object> configs = Map.of("transactional.id", "clerk", "transaction.timeout.ms", timeoutMillis);
        try (Producer<String, String> producer = client.producer(configs)) {
            producer.initTransactions();
        }
    }

    /** Commits after the first few records, and returns how many these were. */
    private static long consumeAndCommitSome(PlainClient client, String group) {
        Map<String, Object> configs = Map.of(
                "group.id",
                group,
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                false,
                "max.poll.records",
                50);
        try (Consumer<String, String> consumer = client.consumer(configs)) {
            consumer.subscribe(List.of(ORDERS.topic()));
            ConsumerRecords<String, String> records = Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> consumer.poll(Duration.ofMillis(100)), polled -> !polled.isEmpty());
            consumer.commitSync();
            return records.count();
        }
    }

    private static Consumer<String, String> member(PlainClient client, String group, int sessionTimeoutMillis) {
        Consumer<String, String> consumer = client.consumer(
                Map.of("group.id", group, "session.timeout.ms", sessionTimeoutMillis, "heartbeat.interval.ms", 300));
        consumer.subscribe(List.of(ORDERS.topic()));
        return consumer;
    }

    private static void awaitAssignment(Consumer<String, String> consumer) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
            consumer.poll(Duration.ofMillis(100));
            return !consumer.assignment().isEmpty();
        });
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "order " + i).toList();
    }

    private static List<ProducerRecord<String, String>> orders(List<String> values) {
        return values.stream().map(value -> order("key", value)).toList();
    }

    private static ProducerRecord<String, String> order(String key, String value) {
        return new ProducerRecord<>(ORDERS.topic(), ORDERS.partition(), key, value);
    }

    private static List<String> values(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(ConsumerRecord::value).toList();
    }
}
