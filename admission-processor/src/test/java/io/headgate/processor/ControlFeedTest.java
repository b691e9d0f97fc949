package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.ShardView;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.PolicyStatus;
import io.headgate.schemas.PolicyStatusReports;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the feed on the test's own thread: before each of its rounds, the next step of a script. */
@Timeout(30)
class ControlFeedTest {

    private static final long DAY_MILLIS = 86_400_000;
    private static final TopicPartition POLICIES = new TopicPartition(TopicCatalogue.POLICIES, 0);

    private final OwnedShards shards = new OwnedShards();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final SteppedClock clock = new SteppedClock();
    private final MockConsumer<byte[], byte[]> policies = new MockConsumer<>("earliest");
    private final MockProducer<byte[], byte[]> log =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final MockProducer<byte[], byte[]> status =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final MockConsumer<byte[], byte[]> plans = new MockConsumer<>("earliest");
    private final MockConsumer<byte[], byte[]> actions = new MockConsumer<>("earliest");
    private final ProcessorMetrics metrics = new ProcessorMetrics(registry, shards);
    private final ShardLogs logs = new ShardLogs(SampleLog.KEYS, log);
    private final ControlFeed feed = new ControlFeed(
            ProcessorSettings.of(Map.of(
                    ProcessorSettings.BOOTSTRAP_SERVERS, "127.0.0.1:1",
                    ProcessorSettings.STATE_DIR, "unused",
                    ProcessorSettings.CONTROL_KEYS, "unused")),
            SampleLog.SHARDS,
            SampleLog.KEYS,
            PolicyTrust.ANYBODY,
            shards,
            metrics,
            policies,
            new SourceFeed<>(new PlanSource(SampleLog.SHARDS, metrics), plans, logs),
            new SourceFeed<>(new ActionSource(SampleLog.SHARDS, metrics), actions, logs),
            logs,
            new PolicyStatusReports(status, 10_000),
            clock);

    private long plansEnd;
    private final List<Runnable> script = new ArrayList<>();

    /** Stands still until it is told. */
    private static final class SteppedClock extends Clock {

        private long millis = 1_800_000_000_000L;

        void pass(long passedMillis) {
            millis += passedMillis;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis);
        }
    }

    private void step(Runnable happens) {
        script.add(happens);
    }

    /** Runs the script, a round a step, with so many policies on the topic when the feed begins. */
    private void run(long policiesEnd) {
        policies.updateBeginningOffsets(Map.of(POLICIES, 0L));
        policies.updateEndOffsets(Map.of(POLICIES, policiesEnd));
        for (int shard = 0; shard < SampleLog.SHARDS; shard++) {
            plans.updateEndOffsets(Map.of(new TopicPartition(TopicCatalogue.TENANT_PLANS, shard), plansEnd));
            actions.updateEndOffsets(Map.of(new TopicPartition(TopicCatalogue.QUOTA_ADJUSTMENTS, shard), 0L));
        }
        script.forEach(policies::schedulePollTask);
        policies.schedulePollTask(feed::stop);
        feed.run();
    }

    private OwnedShard owned(int number, ShardView view) {
        OwnedShard shard = new OwnedShard(number, view);
        shards.add(shard);
        return shard;
    }

    private static ShardView newShard() {
        return new ShardView(0, 0, Optional.empty(), -1, -1, -1, -1, new TreeMap<>(), 0, 0, 0, false, List.of());
    }

    private static ShardView shardWith(long policySource, boolean caughtUp) {
        return shardWith(SampleLog.initialSettings(), policySource, caughtUp);
    }

    private static ShardView shardWith(ShardSettings settings, long policySource, boolean caughtUp) {
        return shardWith(settings, policySource, -1, new TreeMap<>(), caughtUp);
    }

    private static ShardView shardWith(
            ShardSettings settings,
            long policySource,
            long planSource,
            SortedMap<String, Long> zones,
            boolean caughtUp) {
        return new ShardView(
                9, 0, Optional.of(settings), 0, policySource, planSource, -1, zones, 1, 0, 0, caughtUp, List.of());
    }

    private void publish(long offset, PolicyDocument document) {
        publish(offset, SampleLog.record(document));
    }

    private void publish(long offset, byte[] value) {
        policies.addRecord(new ConsumerRecord<>(TopicCatalogue.POLICIES, 0, offset, new byte[0], value));
    }

    /** What was appended to a shard's log, ticks left out. */
    private List<Control> appended(int shard) {
        return controls(shard, SampleLog.KEY).stream()
                .filter(control -> !(control instanceof Control.Tick))
                .toList();
    }

    private List<Control.Tick> ticks(int shard) {
        return controls(shard, SampleLog.KEY).stream()
                .filter(Control.Tick.class::isInstance)
                .map(Control.Tick.class::cast)
                .toList();
    }

    private List<Control> controls(int shard, ControlKey key) {
        return log.history().stream()
                .filter(record -> record.partition() == shard)
                .map(ProducerRecord::value)
                .map(value -> ControlRecords.decode(value, shard, named -> {
                    if (!named.equals(key.id())) {
                        throw new UnreadableRecordException("signed with " + named);
                    }
                    return key;
                }))
                .toList();
    }

    private static void assertPolicy(Control control, long source, long previous) {
        assertThat(control).isInstanceOfSatisfying(Control.ApplyPolicy.class, policy -> {
            assertThat(policy.source()).isEqualTo(source);
            assertThat(policy.previous()).isEqualTo(previous);
        });
    }

    @Test
    void a_new_shard_gets_settings_the_newest_policy_only_and_the_word_that_it_is_caught_up() {
        OwnedShard shard = owned(2, newShard());
        step(() -> {
            publish(0, SampleLog.budget(1, 1));
            publish(1, SampleLog.budget(2, 2));
        });
        step(() -> shard.report(shardWith(1, false)));
        step(() -> {});

        run(2);

        List<Control> appended = appended(2);
        assertThat(appended).hasSize(3);
        assertThat(appended.get(0)).isEqualTo(new Control.ApplySettings(0, -1, SampleLog.initialSettings()));
        assertPolicy(appended.get(1), 1, -1);
        assertThat(appended.get(2)).isEqualTo(new Control.CaughtUp());
    }

    @Test
    void an_old_shard_gets_every_policy_it_lacks_each_naming_the_one_before_it() {
        owned(2, shardWith(0, true));
        step(() -> {
            publish(0, SampleLog.budget(1, 1));
            publish(4, SampleLog.budget(2, 2));
            publish(7, SampleLog.budget(3, 3));
        });

        run(8);

        List<Control> appended = appended(2);
        assertThat(appended).hasSize(2);
        assertPolicy(appended.get(0), 4, 0);
        assertPolicy(appended.get(1), 7, 4);
    }

    @Test
    void a_refused_policy_is_counted_and_left_out_of_the_chain() {
        owned(2, shardWith(0, true));
        step(() -> {
            publish(0, SampleLog.budget(5, 1));
            publish(1, SampleLog.budget(4, 2));
            publish(2, "hostile".getBytes(StandardCharsets.UTF_8));
            publish(3, (byte[]) null);
            publish(4, SampleLog.budget(6, 3));
        });

        run(5);

        assertThat(appended(2)).hasSize(1);
        assertPolicy(appended(2).get(0), 4, 0);
        assertThat(refused("out-of-order")).isEqualTo(1);
        assertThat(refused("unreadable")).isEqualTo(2);
    }

    private double refused(String cause) {
        return registry.get("ratelimit.policy.rejected")
                .tag("cause", cause)
                .counter()
                .count();
    }

    @Test
    void nobody_is_told_that_it_is_caught_up_before_the_topic_is_read_to_where_it_ended() {
        OwnedShard shard = owned(2, newShard());
        step(() -> publish(0, SampleLog.budget(1, 1)));
        step(() -> shard.report(shardWith(0, false)));
        step(() -> assertThat(appended(2)).hasSize(2).doesNotContain(new Control.CaughtUp()));
        step(() -> publish(1, SampleLog.budget(2, 2)));
        step(() -> shard.report(shardWith(1, false)));
        step(() -> {});

        run(2);

        assertThat(appended(2)).endsWith(new Control.CaughtUp());
    }

    @Test
    void a_shard_is_not_told_that_it_is_caught_up_while_there_is_no_policy() {
        owned(2, newShard());
        step(() -> {});

        run(0);

        assertThat(appended(2)).containsExactly(new Control.ApplySettings(0, -1, SampleLog.initialSettings()));
    }

    @Test
    void what_was_appended_is_not_appended_again_before_three_seconds_have_passed_without_effect() {
        owned(2, newShard());
        step(() -> publish(0, SampleLog.budget(1, 1)));
        step(() -> clock.pass(2_999));
        step(() -> assertThat(appended(2)).hasSize(2));
        step(() -> clock.pass(1));

        run(1);

        List<Control> appended = appended(2);
        assertThat(appended).hasSize(4);
        assertPolicy(appended.get(3), 0, -1);
    }

    @Test
    void a_shard_that_has_all_is_left_alone() {
        OwnedShard shard = owned(2, newShard());
        step(() -> publish(0, SampleLog.budget(1, 1)));
        step(() -> shard.report(shardWith(0, true)));
        step(() -> clock.pass(60_000));

        run(1);

        assertThat(appended(2)).hasSize(2);
    }

    @Test
    void a_policy_that_is_published_later_is_appended_at_once() {
        OwnedShard shard = owned(2, newShard());
        step(() -> publish(0, SampleLog.budget(1, 1)));
        step(() -> shard.report(shardWith(0, true)));
        step(() -> publish(1, SampleLog.budget(2, 2)));

        run(1);

        assertPolicy(appended(2).get(2), 1, 0);
    }

    @Test
    void a_shard_that_comes_back_to_this_process_is_brought_up_at_once() {
        owned(2, newShard());
        step(() -> publish(0, SampleLog.budget(1, 1)));
        step(() -> owned(2, newShard()));

        run(1);

        assertThat(appended(2)).hasSize(4);
    }

    @Test
    void every_owned_shard_gets_a_tick_an_interval_with_the_owners_clock() {
        owned(2, shardWith(0, true));
        owned(5, shardWith(0, true));
        step(() -> {});
        step(() -> clock.pass(999));
        step(() -> clock.pass(1));
        step(() -> clock.pass(5_000));

        run(0);

        long began = 1_800_000_000_000L;
        List<Control.Tick> expected =
                List.of(new Control.Tick(began), new Control.Tick(began + 1_000), new Control.Tick(began + 6_000));
        assertThat(ticks(2)).isEqualTo(expected);
        assertThat(ticks(5)).isEqualTo(expected);
    }

    @Test
    void ticks_go_on_when_the_clock_is_set_back() {
        owned(2, shardWith(0, true));
        step(() -> {});
        step(() -> clock.pass(-3_600_000));

        run(0);

        assertThat(ticks(2)).hasSize(2);
    }

    @Test
    void a_halted_shard_gets_ticks_for_an_operator_to_go_on_with_and_nothing_else() {
        OwnedShard shard = owned(2, newShard());
        shard.reportHalted(Optional.of("a gap"));
        step(() -> publish(0, SampleLog.budget(1, 1)));

        run(1);

        assertThat(appended(2)).isEmpty();
        assertThat(ticks(2)).hasSize(1);
    }

    @Test
    void signs_with_the_key_that_the_shard_has_pinned() {
        ShardSettings pinned = ShardSettings.initial(SampleLog.SHARDS, SampleLog.OTHER_KEY.id());
        OwnedShard shard = owned(2, shardWith(pinned, -1, false));
        step(() -> publish(0, SampleLog.budget(1, 1)));
        step(() -> shard.report(shardWith(pinned, 0, false)));

        run(1);

        assertThat(controls(2, SampleLog.OTHER_KEY)).hasSize(3);
    }

    @Test
    void goes_on_after_trouble_with_the_cluster() {
        owned(2, newShard());
        step(() -> {
            publish(0, SampleLog.budget(1, 1));
            policies.setPollException(new KafkaException("the broker is away"));
        });
        step(() -> {});

        run(1);

        assertThat(appended(2)).hasSize(2);
    }

    @Test
    void plans_come_after_the_policy_and_the_word_that_a_shard_is_caught_up_after_them() {
        plansEnd = 1;
        OwnedShard shard = owned(2, newShard());
        TenantPlan plan = TenantPlan.on(SampleLog.tenantOf(2, 0), "gold");
        PlanRecord record = new PlanRecord(plan, "ada", "test");
        step(() -> publish(0, SampleLog.budget(1, 1)));
        step(() -> shard.report(shardWith(0, false)));
        step(() -> plans.addRecord(
                new ConsumerRecord<>(TopicCatalogue.TENANT_PLANS, 2, 0, record.key(), record.toBytes())));
        step(() -> {});
        step(() -> assertThat(appended(2)).hasSize(3));
        step(() -> shard.report(shardWith(SampleLog.initialSettings(), 0, 0, new TreeMap<>(), false)));
        step(() -> {});

        run(1);

        List<Control> appended = appended(2);
        assertThat(appended).hasSize(4);
        assertPolicy(appended.get(1), 0, -1);
        assertThat(appended.get(2)).isEqualTo(new Control.ApplyPlans(0, -1, List.of(plan)));
        assertThat(appended.get(3)).isEqualTo(new Control.CaughtUp());
    }

    @Test
    void the_table_of_a_zone_that_ends_within_a_year_is_replaced_and_no_other() {
        long now = clock.millis();
        TreeMap<String, Long> zones = new TreeMap<>(Map.of(
                "Asia/Tokyo", now + 300L * DAY_MILLIS,
                "Europe/Zurich", now + 400L * DAY_MILLIS,
                "Europe/Atlantis", 0L));
        owned(2, shardWith(SampleLog.initialSettings(), 0, -1, zones, true));
        step(() -> {});

        run(0);

        assertThat(appended(2)).singleElement().isInstanceOfSatisfying(Control.ApplyZone.class, it -> {
            assertThat(it.zone().id()).isEqualTo("Asia/Tokyo");
            assertThat(it.zone().untilMillis()).isGreaterThan(now + 9 * 365L * DAY_MILLIS);
        });
    }

    @Test
    void ticks_do_not_wait_for_plans_that_cannot_be_followed() {
        OwnedShard shard = owned(2, shardWith(0, true));
        step(() -> publish(0, SampleLog.budget(1, 1)));
        step(() -> plans.setPollException(new KafkaException("not authorized")));
        step(() -> clock.pass(1_000));
        step(() -> clock.pass(1_000));

        run(1);

        assertThat(ticks(2)).hasSize(3);
        assertThat(shard.ready()).isTrue();
    }

    @Test
    void closes_its_clients_when_it_stops() {
        run(0);

        assertThat(policies.closed()).isTrue();
        assertThat(plans.closed()).isTrue();
        assertThat(actions.closed()).isTrue();
        assertThat(log.closed()).isTrue();
    }

    @Test
    void says_which_versions_a_shard_goes_by_until_it_is_lost() {
        OwnedShard shard = owned(1, shardWith(-1, true));
        step(() -> {});
        step(() -> shard.report(shardWith(7, true)));
        step(() -> publish(0, new byte[] {1}));
        step(() -> {});
        step(() -> shards.remove(shard));
        run(0);

        List<PolicyStatus> said = status.history().stream()
                .filter(record -> record.value() != null)
                .map(record -> PolicyStatus.fromBytes(record.value()))
                .toList();
        assertThat(said)
                .extracting(
                        PolicyStatus::reporter,
                        PolicyStatus::source,
                        PolicyStatus::version,
                        PolicyStatus::refusedSource)
                .containsExactly(
                        tuple("shard/1", -1L, 1L, -1L), tuple("shard/1", 7L, 1L, -1L), tuple("shard/1", 7L, 1L, 0L));
        assertThat(status.history()).hasSize(4);
        assertThat(status.history().get(3).value()).isNull();
        assertThat(status.closed()).isTrue();
    }
}
