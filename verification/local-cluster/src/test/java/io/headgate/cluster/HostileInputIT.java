package io.headgate.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.processor.AdmissionProcessor;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.DeadLetterRecord;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.wire.Command;
import io.headgate.schemas.wire.ControlKind;
import io.headgate.schemas.wire.ControlRecord;
import io.headgate.schemas.wire.Op;
import io.headgate.schemas.wire.RequestBatch;
import io.headgate.schemas.wire.StageName;
import io.headgate.tools.PolicyTopic;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whoever may write to the shard logs may write anything. Each such record gets its error or its dead letter with the
 * reason, and the next good request is answered.
 */
class HostileInputIT {

    private static final int SHARD = 5;

    @TempDir
    private static Path folder;

    private static LocalBroker broker;
    private static AdmissionProcessor processor;
    private static PlainGateway gateway;
    private static DeadLetterBox deadLetters;

    @BeforeAll
    static void start() throws Exception {
        broker = LocalBroker.start(LocalBroker.Settings.in(folder.resolve("broker")));
        LocalShards.createTopics(broker.bootstrapServers());
        new PolicyTopic(broker.bootstrapServers()).publish(LoadPolicy.version(1), "test", "first");
        processor = LocalShards.startProcessor(broker.bootstrapServers(), folder);
        LocalShards.awaitReady(processor);
        gateway = new PlainGateway(broker.bootstrapServers());
        deadLetters = new DeadLetterBox(broker.bootstrapServers());
    }

    @AfterAll
    static void stop() {
        deadLetters.close();
        gateway.close();
        processor.close();
        broker.close();
    }

    @AfterEach
    void the_next_good_request_is_answered(TestInfo test) throws Exception {
        Reply reply = gateway.ask(Asks.spend(Asks.tenantOf(SHARD, test.getDisplayName()), 1));

        assertThat(reply.decisions()).extracting(Decision::verdict).containsExactly(Verdict.ALLOW);
        assertThat(processor.failure()).isNotDone();
    }

    private static Requests good() {
        return Asks.spend(Asks.tenantOf(SHARD, "good"), 1);
    }

    /** The error that answers bytes which are no batch, and their dead letter. */
    private static void assertRefused(byte[] value, String told) throws Exception {
        long offset = endOf(SHARD);
        Reply reply = gateway.ask(SHARD, value).orElseThrow();

        assertThat(reply.decisions()).isEmpty();
        assertThat(reply.problem()).contains(told);
        // Ticks of the owner may have come between.
        DeadLetterRecord letter = firstLetterFrom(offset);
        assertThat(letter.reason()).contains(told);
        assertThat(letter.topic()).isEqualTo(TopicCatalogue.ADMISSION_REQUESTS);
        assertThat(letter.partition()).isEqualTo(SHARD);
        assertThat(letter.size()).isEqualTo(value == null ? 0 : value.length);
    }

    private static DeadLetterRecord firstLetterFrom(long offset) throws Exception {
        return deadLetters.awaitFirst(SHARD, offset, endOf(SHARD));
    }

    private static long endOf(int shard) throws ExecutionException, InterruptedException {
        return endOf(new TopicPartition(TopicCatalogue.ADMISSION_REQUESTS, shard));
    }

    private static long endOf(TopicPartition partition) throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        }
    }

    // ---- values

    @Test
    void random_bytes() throws Exception {
        byte[] random = new byte[5_000];
        new Random(3).nextBytes(random);

        assertRefused(random, "value of 5000 bytes cannot be read");
    }

    @Test
    void truncated_avro() throws Exception {
        byte[] good = RequestRecords.encode(good());

        assertRefused(Arrays.copyOf(good, good.length - 5), "cannot be read");
    }

    @Test
    void avro_that_claims_2_to_the_40_commands() throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(17);
        bytes.put(RequestRecords.encode(good()), 0, 10);
        bytes.put((byte) 0); // no attempt
        bytes.put(new byte[] {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 0x40});

        assertRefused(bytes.array(), "cannot be read");
    }

    @Test
    void a_null_value() throws Exception {
        assertRefused(null, "value is null");
    }

    @Test
    void an_empty_value() throws Exception {
        assertRefused(new byte[0], "value has 0 bytes");
    }

    @Test
    void more_than_500_commands() throws Exception {
        assertRefused(
                batch(Collections.nCopies(501, command("t", 1))), "batch has 501 commands; it must have 1 to 500");
    }

    @Test
    void no_commands_at_all() throws Exception {
        assertRefused(batch(List.of()), "batch has 0 commands");
    }

    /** The producer of an honest client refuses it; the broker refuses one that does not. */
    @Test
    void a_batch_of_10_megabytes() {
        try (KafkaProducer<byte[], byte[]> producer = reckless("none")) {
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>(
                                    TopicCatalogue.ADMISSION_REQUESTS, SHARD, null, null, new byte[10_000_000]))
                            .get())
                    .hasCauseInstanceOf(RecordTooLargeException.class);
        }
    }

    /** Unpacked by the processor it would be the end of it, and of the next one that takes the shard. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "snappy", "lz4", "zstd"})
    void a_small_record_that_unpacks_to_a_large_one(String compression) {
        try (KafkaProducer<byte[], byte[]> producer = reckless(compression)) {
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>(
                                    TopicCatalogue.ADMISSION_REQUESTS, SHARD, null, null, new byte[10_000_000]))
                            .get())
                    .hasCauseInstanceOf(RecordTooLargeException.class);
        }
    }

    @Test
    void an_honest_batch_may_be_compressed() throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = reckless("lz4")) {
            String tenant = Asks.tenantOf(SHARD, "packed");
            producer.send(new ProducerRecord<>(
                            TopicCatalogue.ADMISSION_REQUESTS,
                            SHARD,
                            null,
                            null,
                            RequestRecords.encode(Asks.spend(tenant, Math.toIntExact(LoadPolicy.BUDGET)))))
                    .get();

            assertThat(gateway.ask(Asks.spend(tenant, 1)).decisions())
                    .extracting(Decision::verdict)
                    .containsExactly(Verdict.DENY);
        }
    }

    private static KafkaProducer<byte[], byte[]> reckless(String compression) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "max.request.size",
                        20_000_000,
                        "compression.type",
                        compression),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    // ---- commands

    private static Command command(String tenant, long cost) {
        return Command.newBuilder()
                .setOp(Op.ADMIT)
                .setStage(StageName.TENANT)
                .setTenant(tenant)
                .setRoute(LoadPolicy.SPEND)
                .setCost(cost)
                .build();
    }

    private static byte[] batch(List<Command> commands) throws IOException {
        return bytes(new RequestBatch(null, commands).toByteBuffer());
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static void assertError(Command hostile, String told) throws Exception {
        Command neighbour = command(Asks.tenantOf(SHARD, "neighbour"), 1);
        Reply reply = gateway.ask(SHARD, batch(List.of(neighbour, hostile, neighbour)))
                .orElseThrow();

        assertThat(reply.decisions())
                .extracting(Decision::verdict)
                .containsExactly(Verdict.ALLOW, Verdict.ERROR, Verdict.ALLOW);
        assertThat(reply.decisions().get(1).reason()).contains(told);
    }

    @Test
    void a_cost_of_minus_one() throws Exception {
        assertError(command("t", -1), "cost is -1; it must be 0 to 1000000000000");
    }

    @Test
    void a_cost_of_2_to_the_62() throws Exception {
        assertError(command("t", 1L << 62), "cost is 4611686018427387904; it must be 0 to 1000000000000");
    }

    @Test
    void a_tenant_of_10000_characters() throws Exception {
        assertError(command("x".repeat(10_000), 1), "tenant has 10000 characters; at most 256 are allowed");
    }

    @Test
    void a_tenant_without_a_name() throws Exception {
        assertError(command("", 1), "tenant is missing");
    }

    @Test
    void an_operation_of_a_later_release() throws Exception {
        Command later = Command.newBuilder(command("t", 1)).setOp(Op.UNKNOWN).build();

        assertError(later, "op is not one that this version knows");
    }

    @Test
    void a_request_in_the_wrong_shard() throws Exception {
        Reply reply = gateway.ask(SHARD, RequestRecords.encode(Asks.spend(Asks.tenantOf(6, "stray"), 1)))
                .orElseThrow();

        assertThat(reply.decisions()).extracting(Decision::verdict).containsExactly(Verdict.MISROUTED);
        assertThat(reply.decisions().get(0).reason()).contains("belongs to shard 6 of 8");
    }

    // ---- reply addresses

    /** It is decided like any other; only its answer is lost. */
    private static void assertOnlyTheReplyIsLost(String tenant, RecordHeaders headers) throws Exception {
        long policiesEnd = endOf(new TopicPartition(TopicCatalogue.POLICIES, 0));
        byte[] all = RequestRecords.encode(Asks.spend(tenant, Math.toIntExact(LoadPolicy.BUDGET)));

        long offset = gateway.send(SHARD, all, headers);

        Reply after = gateway.ask(Asks.spend(tenant, 1));
        assertThat(after.decisions()).extracting(Decision::verdict).containsExactly(Verdict.DENY);
        assertThat(deadLetters.has(SHARD, offset)).isFalse();
        assertThat(endOf(new TopicPartition(TopicCatalogue.POLICIES, 0))).isEqualTo(policiesEnd);
    }

    private static RecordHeaders address(String topic, int partition, byte[] correlationId) {
        RecordHeaders headers = new RecordHeaders();
        new ReplyAddress(topic, OptionalInt.of(partition), correlationId).writeTo(headers);
        return headers;
    }

    @Test
    void a_reply_partition_of_2_to_the_31_minus_1() throws Exception {
        assertOnlyTheReplyIsLost(
                Asks.tenantOf(SHARD, "p1"), address(TopicCatalogue.ADMISSION_REPLIES, Integer.MAX_VALUE, new byte[8]));
    }

    @Test
    void a_negative_reply_partition() throws Exception {
        assertOnlyTheReplyIsLost(
                Asks.tenantOf(SHARD, "p2"), address(TopicCatalogue.ADMISSION_REPLIES, -1, new byte[8]));
    }

    @Test
    void a_reply_partition_of_3_bytes() throws Exception {
        RecordHeaders headers = address(TopicCatalogue.ADMISSION_REPLIES, 1, new byte[8]);
        headers.add(ReplyAddress.REPLY_PARTITION, new byte[3]);

        assertOnlyTheReplyIsLost(Asks.tenantOf(SHARD, "p3"), headers);
    }

    @Test
    void a_reply_topic_outside_the_list() throws Exception {
        assertOnlyTheReplyIsLost(Asks.tenantOf(SHARD, "p4"), address(TopicCatalogue.POLICIES, 0, new byte[8]));
    }

    @Test
    void a_reply_topic_that_does_not_exist() throws Exception {
        assertOnlyTheReplyIsLost(Asks.tenantOf(SHARD, "p5"), address("no-such-topic", 0, new byte[8]));
    }

    @Test
    void a_correlation_id_of_a_megabyte() throws Exception {
        assertOnlyTheReplyIsLost(
                Asks.tenantOf(SHARD, "p6"), address(TopicCatalogue.ADMISSION_REPLIES, 1, new byte[1_000_000]));
    }

    // ---- control

    private static ControlKey genuineKey() throws IOException {
        return ControlKeys.read(Secrets.controlKeys(folder)).first();
    }

    private static Control generousPolicy() {
        byte[] document = new String(LoadPolicy.version(2).canonicalBytes(), StandardCharsets.UTF_8)
                .replace("\"capacity\":" + LoadPolicy.BUDGET, "\"capacity\":1000000")
                .getBytes(StandardCharsets.UTF_8);
        return new Control.ApplyPolicy(1, 0, document);
    }

    private static void assertForged(byte[] forged, String told) throws Exception {
        String tenant = Asks.tenantOf(SHARD, "forger-" + told.hashCode());
        gateway.ask(Asks.spend(tenant, Math.toIntExact(LoadPolicy.BUDGET)));

        assertRefused(forged, told);

        Decision after = gateway.ask(Asks.spend(tenant, 1)).decisions().get(0);
        assertThat(after.verdict()).isEqualTo(Verdict.DENY);
        assertThat(after.policyVersion()).isEqualTo(1);
    }

    @Test
    void a_control_record_without_a_code() throws Exception {
        Control.ApplyPolicy policy = (Control.ApplyPolicy) generousPolicy();
        ControlRecord record = new ControlRecord(
                SHARD,
                ControlKind.POLICY,
                policy.source(),
                policy.previous(),
                ByteBuffer.wrap(policy.document()),
                genuineKey().id(),
                ByteBuffer.allocate(0));

        assertForged(bytes(record.toByteBuffer()), "control record is not genuine: its code does not fit");
    }

    @Test
    void a_control_record_with_a_wrong_code() throws Exception {
        ControlKey forger = new ControlKey(genuineKey().id(), new byte[ControlKey.MIN_SECRET_LENGTH]);

        assertForged(
                ControlRecords.encode(SHARD, generousPolicy(), forger),
                "control record is not genuine: its code does not fit");
    }

    @Test
    void a_control_record_of_a_key_that_is_not_pinned() throws Exception {
        ControlKey own = new ControlKey("own", new byte[ControlKey.MIN_SECRET_LENGTH]);

        assertForged(ControlRecords.encode(SHARD, generousPolicy(), own), "it names key 'own'; this shard accepts");
    }

    @Test
    void a_genuine_control_record_of_another_shard() throws Exception {
        assertForged(
                ControlRecords.encode(SHARD + 1, generousPolicy(), genuineKey()),
                "control record is for shard 6, not for shard 5");
    }

    @Test
    void a_control_record_that_names_a_key_of_a_megabyte_gets_a_short_answer() throws Exception {
        ControlRecord record = new ControlRecord(
                SHARD,
                ControlKind.CAUGHT_UP,
                -1L,
                -1L,
                ByteBuffer.allocate(0),
                "k".repeat(1_000_000),
                ByteBuffer.allocate(32));

        Reply reply = gateway.ask(SHARD, bytes(record.toByteBuffer())).orElseThrow();

        assertThat(reply.problem()).contains("not genuine").hasSizeLessThan(500);
    }

    /** Nobody but a processor can read the log, but suppose. */
    @Test
    void a_genuine_control_record_that_is_sent_again_changes_nothing() throws Exception {
        byte[] first = ControlRecords.encode(
                SHARD, new Control.ApplyPolicy(0, -1, LoadPolicy.version(1).canonicalBytes()), genuineKey());
        String tenant = Asks.tenantOf(SHARD, "replayer");
        gateway.ask(Asks.spend(tenant, Math.toIntExact(LoadPolicy.BUDGET)));

        long offset = gateway.send(SHARD, first, new RecordHeaders());

        Decision after = gateway.ask(Asks.spend(tenant, 1)).decisions().get(0);
        assertThat(after.verdict()).isEqualTo(Verdict.DENY);
        assertThat(deadLetters.has(SHARD, offset)).isFalse();
    }
}
