package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.shard.Control;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.trust.Permission;
import io.headgate.schemas.trust.SignedRecord;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.schemas.trust.TrustedKey;
import io.headgate.schemas.trust.TrustedKeys;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** The feed of plans that have to be signed, with a shard that really folds what it appends. */
class SignedSourceTest {

    private static final int SHARD = 2;
    private static final long NOW = 1_800_000_000_000L;
    private static final long MINUTE = 60_000;
    private static final String TENANT = SampleLog.tenantOf(SHARD, 0);
    private static final TopicPartition PARTITION = new TopicPartition(TopicCatalogue.TENANT_PLANS, SHARD);
    private static final SigningKey.Pair ANN = SigningKey.newPair("ann");

    private final TrustedKeys keys = new TrustedKeys(List.of(new TrustedKey(
            "ann",
            ANN.publicKey(),
            "",
            new TreeSet<>(),
            EnumSet.of(Permission.PLAN),
            new TreeSet<>(),
            TrustedKey.FOR_EVER)));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MockProducer<byte[], byte[]> log =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final ShardLogs logs = new ShardLogs(SampleLog.KEYS, log);
    private final FedShard shard = new FedShard(SHARD, log);
    private final Topic topic = new Topic();
    private SourceFeed<TenantPlan> feed = feed();

    /** The partition, which can be asked for times and read again. */
    private static final class Topic extends MockConsumer<byte[], byte[]> {

        private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();

        Topic() {
            super("earliest");
            updateBeginningOffsets(Map.of(PARTITION, 0L));
            updateEndOffsets(Map.of(PARTITION, 0L));
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            if (assignment().contains(PARTITION) && !paused().contains(PARTITION)) {
                long position = position(PARTITION);
                records.stream().filter(record -> record.offset() >= position).forEach(this::addRecord);
            }
            return super.poll(timeout);
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
                Map<TopicPartition, Long> times, Duration timeout) {
            return times.entrySet().stream()
                    .collect(Collectors.toMap(
                            Map.Entry::getKey,
                            entry -> records.stream()
                                    .filter(record -> record.timestamp() >= entry.getValue())
                                    .map(record -> new OffsetAndTimestamp(record.offset(), record.timestamp()))
                                    .findFirst()
                                    .orElseThrow()));
        }
    }

    private SourceFeed<TenantPlan> feed() {
        ProcessorMetrics metrics = new ProcessorMetrics(registry, new OwnedShards());
        return new SourceFeed<>(
                new SignedSource<>(new PlanSource(SampleLog.SHARDS, metrics), keys::refusal), topic, logs);
    }

    private static ProducerRecord<byte[], byte[]> signed(String plan, long issuedAtMillis) {
        PlanRecord record = new PlanRecord(TenantPlan.on(TENANT, plan), "ann", "test");
        ProducerRecord<byte[], byte[]> unsigned =
                new ProducerRecord<>(PARTITION.topic(), SHARD, record.key(), record.toBytes());
        ANN.signingKey()
                .sign(new SignedRecord(
                        PARTITION.topic(), issuedAtMillis, unsigned.key(), Optional.of(unsigned.value())))
                .writeTo(unsigned.headers());
        return unsigned;
    }

    private void append(ProducerRecord<byte[], byte[]> record, long atMillis) {
        append(record, atMillis, TimestampType.LOG_APPEND_TIME);
    }

    private void append(ProducerRecord<byte[], byte[]> record, long atMillis, TimestampType whose) {
        long offset = topic.records.size();
        topic.records.add(new ConsumerRecord<>(
                PARTITION.topic(),
                SHARD,
                offset,
                atMillis,
                whose,
                record.key().length,
                record.value().length,
                record.key(),
                record.value(),
                new RecordHeaders(record.headers()),
                Optional.empty()));
        topic.updateEndOffsets(Map.of(PARTITION, offset + 1));
    }

    private String plan() {
        for (int round = 0; round < 6; round++) {
            feed.feed(List.of(shard.owned()), it -> true, NOW);
            shard.foldAll();
        }
        return shard.shard().account(TENANT).plan();
    }

    private OptionalInt applied() {
        return shard.controls().stream()
                .filter(Control.ApplyPlans.class::isInstance)
                .mapToInt(piece -> ((Control.ApplyPlans) piece).plans().size())
                .reduce(Integer::sum);
    }

    private double refused() {
        return registry.get("ratelimit.plans.refused").counter().count();
    }

    @Test
    void what_is_signed_counts_and_what_is_not_does_not() {
        append(signed("gold", NOW), NOW);
        ProducerRecord<byte[], byte[]> bare = signed("free", NOW);
        bare.headers().remove("headgate-signature");
        append(bare, NOW + 1);
        ProducerRecord<byte[], byte[]> edited = signed("free", NOW);
        append(
                new ProducerRecord<>(
                        PARTITION.topic(),
                        SHARD,
                        edited.key(),
                        signed("silver", 0).value(),
                        edited.headers()),
                NOW + 2);

        assertThat(plan()).isEqualTo("gold");
        assertThat(refused()).isEqualTo(2);
    }

    @Test
    void a_time_that_its_writer_could_choose_is_not_believed() {
        append(signed("gold", NOW), NOW, TimestampType.CREATE_TIME);

        assertThat(plan()).isEqualTo(TenantPlan.DEFAULT);
        assertThat(refused()).isEqualTo(1);
    }

    @Test
    void a_genuine_record_that_is_appended_again_does_not_count_again() {
        ProducerRecord<byte[], byte[]> old = signed("gold", NOW);
        append(old, NOW);
        append(signed("free", NOW + MINUTE), NOW + MINUTE);
        append(old, NOW + 2 * MINUTE);
        append(old, NOW + 20 * MINUTE);

        assertThat(plan()).isEqualTo("free");
        assertThat(refused()).isEqualTo(2);
    }

    @Test
    void an_owner_that_takes_the_shard_over_knows_a_copy_too() {
        ProducerRecord<byte[], byte[]> old = signed("gold", NOW - 4 * MINUTE);
        append(old, NOW - 4 * MINUTE);
        append(signed("free", NOW - 3 * MINUTE), NOW - 3 * MINUTE);
        assertThat(plan()).isEqualTo("free");
        append(old, NOW);
        append(signed("silver", NOW + 1), NOW + 1);
        append(signed("silver", NOW + 1), NOW + 2);
        feed = feed();
        shard.takenOverAnew();

        assertThat(plan()).isEqualTo("silver");
        assertThat(applied()).hasValue(3);
        assertThat(refused()).isEqualTo(2);
    }

    @Test
    void what_is_read_again_after_a_loss_is_no_copy() {
        append(signed("gold", NOW), NOW);
        append(signed("free", NOW + 1), NOW + 1);
        feed.feed(List.of(shard.owned()), it -> true, NOW);
        feed.feed(List.of(shard.owned()), it -> true, NOW);
        shard.loseAll();
        feed.feed(List.of(shard.owned()), it -> true, NOW);
        for (int round = 0; round < 4; round++) {
            feed.feed(List.of(shard.owned()), it -> true, NOW + 1_000);
            shard.foldAll();
        }

        assertThat(shard.shard().account(TENANT).plan()).isEqualTo("free");
        assertThat(refused()).isZero();
    }

    @Test
    void of_records_of_a_tenant_the_one_that_was_issued_last_counts() {
        append(signed("gold", NOW + 10), NOW);
        append(signed("free", NOW + 5), NOW + 1);
        append(signed("silver", NOW + 10), NOW + 2);

        assertThat(plan()).isEqualTo("gold");
        assertThat(refused()).isEqualTo(2);
    }
}
