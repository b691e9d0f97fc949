package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Scope;
import io.headgate.core.shard.Account;
import io.headgate.core.shard.Control;
import io.headgate.schemas.ActionRecords;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The feed of plans and actions, with shards that really fold what it appends. */
@Timeout(30)
class SourceFeedTest {

    private static final int SHARD = 2;
    private static final long NOW = 1_800_000_000_000L;
    private static final String TENANT = SampleLog.tenantOf(SHARD, 0);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ProcessorMetrics metrics = new ProcessorMetrics(registry, new OwnedShards());
    private final FailingProducer log = new FailingProducer();
    private final ShardLogs logs = new ShardLogs(SampleLog.KEYS, log);
    private final FedShard shard = new FedShard(SHARD, log);
    private final Side<TenantPlan> plans = new Side<>(new PlanSource(SampleLog.SHARDS, metrics));
    private final Side<Action> actions = new Side<>(new ActionSource(SampleLog.SHARDS, metrics));
    private long nowMillis = NOW;

    /** Fails to send as often as it is told to. */
    private static final class FailingProducer extends MockProducer<byte[], byte[]> {

        private int failures;

        FailingProducer() {
            super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            if (failures > 0) {
                failures--;
                throw new KafkaException("no room");
            }
            return super.send(record, callback);
        }
    }

    /** Gives what it has again after a seek, unlike the one that it is made of. */
    private static final class RereadingConsumer extends MockConsumer<byte[], byte[]> {

        private static final int MOST_AT_ONCE = 500;

        private final List<ConsumerRecord<byte[], byte[]>> topic = new ArrayList<>();

        RereadingConsumer() {
            super("earliest");
        }

        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
            for (TopicPartition partition : assignment()) {
                if (!paused().contains(partition)) {
                    long position = position(partition);
                    topic.stream()
                            .filter(record ->
                                    record.partition() == partition.partition() && record.offset() >= position)
                            .limit(MOST_AT_ONCE)
                            .forEach(this::addRecord);
                }
            }
            return super.poll(timeout);
        }
    }

    /** A feed and its topic. */
    private final class Side<T> {

        private final Source<T> source;
        private final RereadingConsumer consumer = new RereadingConsumer();
        private final SourceFeed<T> feed;
        private final Map<Integer, Long> ends = new TreeMap<>();

        Side(Source<T> source) {
            this.source = source;
            this.feed = new SourceFeed<>(source, consumer, logs);
            IntStream.range(0, SampleLog.SHARDS).forEach(partition -> ends.put(partition, 0L));
            tellEnds();
        }

        private void tellEnds() {
            ends.forEach((partition, end) -> {
                TopicPartition it = new TopicPartition(source.topic(), partition);
                consumer.updateEndOffsets(Map.of(it, end));
                consumer.updateBeginningOffsets(Map.of(it, 0L));
            });
        }

        void add(long offset, byte[] key, byte[] value) {
            consumer.topic.add(new ConsumerRecord<>(
                    source.topic(),
                    SHARD,
                    offset,
                    0L,
                    TimestampType.CREATE_TIME,
                    key == null ? -1 : key.length,
                    value == null ? -1 : value.length,
                    key,
                    value,
                    new RecordHeaders(),
                    Optional.empty()));
            ends.put(SHARD, Math.max(ends.get(SHARD), offset + 1));
            tellEnds();
        }

        boolean round() {
            return feed.feed(List.of(shard.owned()), it -> true, nowMillis);
        }

        /** Rounds in each of which the shard folds what was appended in the one before. */
        void rounds(int count) {
            for (int i = 0; i < count; i++) {
                round();
                shard.foldAll();
            }
        }
    }

    private static TenantPlan plan(String tenant, String plan) {
        return TenantPlan.on(tenant, plan);
    }

    private void publish(long offset, TenantPlan plan) {
        PlanRecord record = new PlanRecord(plan, "ada", "test");
        plans.add(offset, record.key(), record.toBytes());
    }

    private static TenantPlan overriding(String tenant, Optional<String> zone, Map<String, Limit> overrides) {
        return new TenantPlan(
                tenant, TenantPlan.Status.ACTIVE, "gold", false, zone, Optional.empty(), new TreeMap<>(overrides));
    }

    private void act(long offset, Action action) {
        actions.add(offset, ActionRecords.key(action), ActionRecords.encode(action));
    }

    private static Action ban(String id, String tenant) {
        return SampleLog.act(id, tenant, new Action.Ban(Scope.TENANT, NOW + 60_000));
    }

    private List<Control.ApplyPlans> pieces() {
        return shard.controls().stream()
                .filter(Control.ApplyPlans.class::isInstance)
                .map(Control.ApplyPlans.class::cast)
                .toList();
    }

    private String planOf(String tenant) {
        return shard.shard().account(tenant).plan();
    }

    private double count(String meter) {
        return registry.get(meter).counter().count();
    }

    // ---- plans

    @Test
    void plans_come_in_pieces_each_naming_the_one_before() {
        plans.round();
        publish(0, plan(TENANT, "free"));
        publish(3, plan(SampleLog.tenantOf(SHARD, 1), "gold"));
        plans.rounds(1);
        publish(4, plan(TENANT, "gold"));

        plans.rounds(1);

        assertThat(pieces()).hasSize(2);
        assertThat(pieces().get(0).previous()).isEqualTo(-1);
        assertThat(pieces().get(0).source()).isEqualTo(3);
        assertThat(pieces().get(1).previous()).isEqualTo(3);
        assertThat(pieces().get(1).source()).isEqualTo(4);
        assertThat(planOf(TENANT)).isEqualTo("gold");
    }

    @Test
    void a_shard_has_no_more_than_four_pieces_before_it() {
        plans.round();
        for (int i = 0; i < 5_000; i++) {
            publish(i, plan(SampleLog.tenantOf(SHARD, i % 10), "p" + i));
        }
        IntStream.range(0, 20).forEach(round -> plans.round());
        assertThat(pieces()).hasSize(4).allMatch(piece -> piece.plans().size() == Control.MAX_PLANS);

        plans.rounds(20);

        assertThat(pieces()).hasSize(10);
        assertThat(shard.owned().view().planSource()).isEqualTo(4_999);
        assertThat(planOf(SampleLog.tenantOf(SHARD, 9))).isEqualTo("p4999");
    }

    @Test
    void a_piece_never_comes_near_what_a_record_of_the_log_may_have() {
        Map<String, Limit> many = new TreeMap<>();
        IntStream.range(0, TenantPlan.MAX_OVERRIDES)
                .forEach(i -> many.put("r".repeat(60) + i, new SlidingWindowLimit(1_000_000_000L, 86_400_000L)));
        plans.round();
        IntStream.range(0, 100).forEach(i -> publish(i, overriding(TENANT, Optional.empty(), many)));

        plans.rounds(30);

        assertThat(shard.owned().view().planSource()).isEqualTo(99);
        assertThat(shard.sent()).allMatch(value -> value.length < 2 * PartitionFollower.MAX_PIECE_BYTES);
    }

    @Test
    void a_shard_is_brought_up_when_it_has_applied_all_that_stood_there_and_not_before() {
        publish(0, plan(TENANT, "free"));
        publish(1, plan(TENANT, "gold"));
        assertThat(plans.feed.broughtUp(shard.owned())).isFalse();
        plans.round();
        plans.round();
        assertThat(plans.feed.broughtUp(shard.owned())).isFalse();

        shard.foldAll();
        plans.round();

        assertThat(plans.feed.broughtUp(shard.owned())).isTrue();
        publish(2, plan(TENANT, "free"));
        plans.round();
        assertThat(plans.feed.broughtUp(shard.owned()))
                .as("later ones do not matter")
                .isTrue();
        assertThat(plans.feed.broughtUp(shard.takenOverAnew())).isFalse();
    }

    @Test
    void a_shard_whose_partition_is_empty_is_brought_up_at_once() {
        plans.round();

        assertThat(plans.feed.broughtUp(shard.owned())).isTrue();
    }

    @Test
    void what_the_shard_came_past_without_applying_it_is_appended_again_a_second_later() {
        plans.round();
        publish(0, plan(TENANT, "free"));
        publish(1, plan(TENANT, "gold"));
        plans.round();
        shard.loseAll();

        plans.rounds(2);
        assertThat(pieces()).hasSize(1);
        nowMillis += 1_000;
        plans.rounds(2);

        assertThat(pieces()).hasSize(2);
        assertThat(planOf(TENANT)).isEqualTo("gold");
        plans.rounds(3);
        assertThat(pieces()).hasSize(2);
    }

    @Test
    void what_could_not_be_appended_is_read_again_and_nothing_behind_it_is_missed() {
        plans.round();
        publish(0, plan(TENANT, "free"));
        publish(1, plan(SampleLog.tenantOf(SHARD, 1), "gold"));
        log.failures = 1;
        assertThat(plans.round()).isFalse();
        plans.rounds(3);
        assertThat(pieces()).as("a second has not passed").isEmpty();

        nowMillis += 1_000;
        plans.rounds(2);

        assertThat(planOf(TENANT)).isEqualTo("free");
        assertThat(planOf(SampleLog.tenantOf(SHARD, 1))).isEqualTo("gold");
    }

    @Test
    void another_owners_work_is_not_done_again() {
        plans.round();
        publish(0, plan(TENANT, "free"));
        publish(1, plan(TENANT, "gold"));
        publish(2, plan(TENANT, "silver"));
        shard.append(new Control.ApplyPlans(1, -1, List.of(plan(TENANT, "free"), plan(TENANT, "gold"))));

        plans.rounds(2);

        assertThat(pieces()).hasSize(1);
        assertThat(pieces().get(0).plans()).containsExactly(plan(TENANT, "silver"));
        assertThat(pieces().get(0).previous()).isEqualTo(1);
    }

    @Test
    void a_shard_that_is_taken_over_is_fed_from_where_it_stands() {
        publish(0, plan(TENANT, "free"));
        plans.rounds(3);
        publish(1, plan(TENANT, "gold"));
        shard.takenOverAnew();

        plans.rounds(3);

        assertThat(pieces()).hasSize(2);
        assertThat(pieces().get(1).plans()).containsExactly(plan(TENANT, "gold"));
    }

    @Test
    void a_shard_that_left_while_the_ends_of_another_were_not_to_be_had_is_not_read_any_more() {
        OwnedShard stays = new OwnedShard(0, shard.owned().view());
        OwnedShard comesAndGoes = new OwnedShard(1, shard.owned().view());
        plans.feed.feed(List.of(stays, shard.owned()), it -> true, nowMillis);
        plans.consumer.setOffsetsException(new KafkaException("no leader"));
        plans.feed.feed(List.of(stays, comesAndGoes), it -> true, nowMillis);
        publish(0, plan(TENANT, "free"));
        nowMillis += PartitionFollower.RETRY_MILLIS;

        boolean read = plans.feed.feed(List.of(stays), it -> true, nowMillis);

        assertThat(read).isFalse();
        assertThat(plans.consumer.assignment())
                .containsExactly(new TopicPartition(TopicCatalogue.TENANT_PLANS, stays.number()));
    }

    @Test
    void a_halted_shard_is_not_fed() {
        plans.round();
        publish(0, plan(TENANT, "gold"));
        shard.owned().reportHalted(Optional.of("a gap"));
        plans.rounds(3);
        assertThat(pieces()).isEmpty();

        shard.owned().reportHalted(Optional.empty());
        plans.rounds(2);

        assertThat(planOf(TENANT)).isEqualTo("gold");
    }

    @Test
    void a_shard_whose_turn_has_not_come_is_not_fed() {
        publish(0, plan(TENANT, "gold"));

        plans.feed.feed(List.of(shard.owned()), it -> false, nowMillis);
        plans.feed.feed(List.of(shard.owned()), it -> false, nowMillis);

        assertThat(pieces()).isEmpty();
    }

    @Test
    void a_null_removes_the_tenant_that_the_key_names() {
        plans.round();
        publish(0, overriding(TENANT, Optional.empty(), Map.of()));
        plans.add(1, TENANT.getBytes(StandardCharsets.UTF_8), null);

        plans.rounds(2);

        assertThat(pieces().get(0).plans())
                .extracting(TenantPlan::status)
                .containsExactly(TenantPlan.Status.ACTIVE, TenantPlan.Status.REMOVED);
        assertThat(shard.shard().account(TENANT).known()).isFalse();
    }

    @Test
    void bad_plans_are_counted_and_left_out_and_the_good_ones_applied() {
        String elsewhere = SampleLog.tenantOf(SHARD + 1, 0);
        PlanRecord good = new PlanRecord(plan(TENANT, "gold"), "ada", "test");
        plans.round();
        plans.add(0, good.key(), "hostile".getBytes(StandardCharsets.UTF_8));
        plans.add(1, SampleLog.tenantOf(SHARD, 1).getBytes(StandardCharsets.UTF_8), good.toBytes());
        plans.add(2, null, good.toBytes());
        plans.add(3, new byte[] {(byte) 0xc3, 0x28}, good.toBytes());
        publish(4, plan(elsewhere, "gold"));
        plans.add(5, elsewhere.getBytes(StandardCharsets.UTF_8), null);
        plans.add(6, "x".repeat(257).getBytes(StandardCharsets.UTF_8), null);
        plans.add(7, new byte[0], null);
        plans.add(8, good.key(), new byte[0]);
        plans.add(9, good.key(), good.toBytes());
        plans.add(10, good.key(), new byte[2_000]);

        plans.rounds(3);

        assertThat(count("ratelimit.plans.refused")).isEqualTo(10);
        assertThat(pieces()).singleElement().satisfies(piece -> {
            assertThat(piece.source()).isEqualTo(9);
            assertThat(piece.plans()).containsExactly(good.plan());
        });
    }

    @Test
    void a_feed_that_read_only_bad_plans_is_done_with_them() {
        plans.add(0, null, null);

        plans.rounds(3);

        assertThat(plans.feed.broughtUp(shard.owned())).isTrue();
        assertThat(pieces()).isEmpty();
    }

    @Test
    void tells_how_far_the_shards_are_behind() {
        plans.round();
        publish(0, plan(TENANT, "free"));
        publish(1, plan(TENANT, "gold"));
        plans.round();
        plans.round();
        assertThat(plans.feed.behind()).isEqualTo(2);

        shard.foldAll();
        plans.round();

        assertThat(plans.feed.behind()).isZero();
    }

    // ---- zones

    @Test
    void the_tables_of_zones_come_before_the_plan_that_names_them() {
        Limit daily = new FixedWindowLimit(5, new Window.Calendar(CalendarUnit.DAY, "Asia/Tokyo"));
        plans.round();
        publish(0, plan(TENANT, "free"));
        publish(1, overriding(TENANT, Optional.of("Europe/Zurich"), Map.of("budget", daily)));
        publish(2, overriding(TENANT, Optional.of("UTC"), Map.of()));

        plans.rounds(6);

        assertThat(shard.controls())
                .extracting(control -> control.getClass().getSimpleName())
                .containsExactly("ApplyPlans", "ApplyZone", "ApplyZone", "ApplyPlans");
        assertThat(shard.owned().view().zones().keySet())
                .containsExactlyInAnyOrder("Asia/Tokyo", "Europe/Zurich", "UTC");
        assertThat(shard.owned().view().zones().get("Asia/Tokyo")).isGreaterThan(NOW + 9 * 365L * 86_400_000);
        assertThat(shard.owned().view().planSource()).isEqualTo(2);
    }

    @Test
    void a_zone_that_the_shard_knows_does_not_come_again() {
        plans.round();
        publish(0, overriding(TENANT, Optional.of("Europe/Zurich"), Map.of()));
        plans.rounds(4);
        publish(1, overriding(TENANT, Optional.of("Europe/Zurich"), Map.of()));
        plans.rounds(4);

        assertThat(shard.controls().stream().filter(Control.ApplyZone.class::isInstance))
                .hasSize(1);
        assertThat(shard.owned().view().planSource()).isEqualTo(1);
    }

    @Test
    void a_table_that_was_lost_comes_again_and_the_plan_behind_it() {
        plans.round();
        publish(0, overriding(TENANT, Optional.of("Europe/Zurich"), Map.of()));
        log.failures = 1;
        plans.rounds(2);
        assertThat(shard.controls()).isEmpty();

        nowMillis += 1_000;
        plans.rounds(4);

        assertThat(planOf(TENANT)).isEqualTo("gold");
    }

    @Test
    void a_plan_that_names_a_zone_which_nobody_knows_is_refused() {
        plans.round();
        publish(0, overriding(TENANT, Optional.of("Europe/Atlantis"), Map.of()));
        publish(1, plan(TENANT, "free"));

        plans.rounds(3);

        assertThat(count("ratelimit.plans.refused")).isEqualTo(1);
        assertThat(planOf(TENANT)).isEqualTo("free");
    }

    @Test
    void a_table_that_the_shard_came_past_comes_again_and_no_plan_is_missed() {
        plans.round();
        publish(0, overriding(TENANT, Optional.of("Europe/Zurich"), Map.of()));
        plans.round();
        shard.loseAll();

        plans.rounds(3);
        nowMillis += PartitionFollower.RETRY_MILLIS;
        plans.rounds(4);

        assertThat(count("ratelimit.plans.refused")).isZero();
        assertThat(planOf(TENANT)).isEqualTo("gold");
    }

    @Test
    void a_plan_whose_zone_the_shard_refuses_again_and_again_is_refused_too() {
        plans.round();
        publish(0, overriding(TENANT, Optional.of("Europe/Zurich"), Map.of()));
        publish(1, plan(TENANT, "free"));
        for (int i = 0; i < PartitionFollower.MAX_TABLES_PASSED; i++) {
            plans.round();
            shard.loseAll();
            plans.round();
            nowMillis += PartitionFollower.RETRY_MILLIS;
            plans.round();
        }

        plans.rounds(3);

        assertThat(count("ratelimit.plans.refused")).isEqualTo(1);
        assertThat(planOf(TENANT)).isEqualTo("free");
    }

    // ---- actions

    @Test
    void actions_come_one_by_one_in_their_order() {
        actions.round();
        act(0, ban("b1", TENANT));
        act(1, SampleLog.act("l1", TENANT, new Action.Lift("b1")));
        act(5, ban("b2", TENANT));

        actions.rounds(2);

        assertThat(shard.controls())
                .extracting(control -> ((Control.ApplyAction) control).source())
                .containsExactly(0L, 1L, 5L);
        assertThat(shard.shard().account(TENANT).actions())
                .extracting(Action::id)
                .containsExactly("b2");
        assertThat(shard.owned().view().actionSource()).isEqualTo(5);
    }

    @Test
    void bad_actions_are_counted_and_left_out_and_the_good_ones_carried_out() {
        Limit nowhere = new FixedWindowLimit(5, new Window.Calendar(CalendarUnit.DAY, "Europe/Atlantis"));
        actions.round();
        actions.add(0, new byte[0], null);
        actions.add(1, new byte[0], "hostile".getBytes(StandardCharsets.UTF_8));
        act(2, ban("elsewhere", SampleLog.tenantOf(SHARD + 1, 0)));
        act(3, SampleLog.act("nowhere", TENANT, new Action.LimitOverride("budget", nowhere, NOW + 1_000)));
        act(4, ban("good", TENANT));
        Action under = ban("under-another-key", TENANT);
        actions.add(5, "good".getBytes(StandardCharsets.UTF_8), ActionRecords.encode(under));
        actions.add(6, null, ActionRecords.encode(under));

        actions.rounds(3);

        assertThat(count("ratelimit.actions.refused")).isEqualTo(6);
        Account account = shard.shard().account(TENANT);
        assertThat(account.actions()).extracting(Action::id).containsExactly("good");
        assertThat(account.known()).isTrue();
    }

    @Test
    void an_action_that_has_ended_already_is_appended_and_changes_nothing() {
        actions.round();
        act(0, SampleLog.act("old", TENANT, new Action.Ban(Scope.TENANT, 1)));

        actions.rounds(2);

        assertThat(shard.owned().view().actionSource()).isZero();
        assertThat(shard.shard().account(TENANT).known()).isFalse();
        assertThat(count("ratelimit.actions.refused")).isZero();
    }

    @Test
    void a_shard_has_no_more_than_so_many_actions_before_it() {
        actions.round();
        for (int i = 0; i < 1_000; i++) {
            act(i, SampleLog.act("c" + i, TENANT, new Action.Credit("budget", 1)));
        }

        IntStream.range(0, 10).forEach(round -> actions.round());

        assertThat(shard.controls()).hasSize(64);
        actions.rounds(20);
        assertThat(shard.owned().view().actionSource()).isEqualTo(999);
    }

    @Test
    void topics_are_those_of_the_catalogue() {
        assertThat(plans.feed.topic()).isEqualTo(TopicCatalogue.TENANT_PLANS);
        assertThat(actions.feed.topic()).isEqualTo(TopicCatalogue.QUOTA_ADJUSTMENTS);
    }
}
