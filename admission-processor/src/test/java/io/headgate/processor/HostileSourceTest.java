package io.headgate.processor;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.core.account.Action;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.GcraLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Scope;
import io.headgate.schemas.ActionRecords;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.UnreadableRecordException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

/** Whatever the bytes of a plan or an action are, a source reads them or says why not: nothing else may come of them. */
class HostileSourceTest {

    private static final int SHARD = 2;
    private static final int ROUNDS = 40_000;
    private static final String TENANT = SampleLog.tenantOf(SHARD, 0);

    private final ProcessorMetrics metrics = new ProcessorMetrics(new SimpleMeterRegistry(), new OwnedShards());
    private final Random random = new Random(11);

    private static final Map<String, Limit> LIMITS = new TreeMap<>(Map.of(
            "a", new TokenBucketLimit(20, 2, 1_000, Refill.INTERVAL),
            "b", new GcraLimit(20, 2, 1_000),
            "c", new FixedWindowLimit(20, 1_000),
            "d", new FixedWindowLimit(20, new Window.Calendar(CalendarUnit.MONTH, "Europe/Zurich")),
            "e", new SlidingWindowLimit(20, 1_000),
            "f", new SlidingLogLimit(20, 1_000),
            "g", new Unlimited()));

    private <T> long readable(Source<T> source, byte[] key, byte[] good) {
        long readable = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] value = spoilt(good);
            try {
                T said = source.read(new ConsumerRecord<>(source.topic(), SHARD, round, key, value));
                assertThat(source.zonesOf(said)).isNotNull();
                readable++;
            } catch (UnreadableRecordException refused) {
                assertThat(refused.getMessage()).isNotBlank().hasSizeLessThan(2_000);
            }
        }
        return readable;
    }

    private byte[] spoilt(byte[] good) {
        byte[] bad = random.nextInt(5) == 0 ? Arrays.copyOf(good, random.nextInt(good.length)) : good.clone();
        for (int i = random.nextInt(3); i >= 0 && bad.length > 0; i--) {
            // Behind the fingerprint, mostly: with another one nothing is read at all.
            int at = random.nextInt(bad.length);
            bad[at < 10 && random.nextInt(20) > 0 ? bad.length - 1 : at] = (byte) random.nextInt(256);
        }
        return bad;
    }

    @Test
    void spoilt_plans_are_read_or_refused() {
        TenantPlan plan = SampleLog.overriding(TENANT, Optional.of("Europe/Zurich"), LIMITS);
        PlanRecord good = new PlanRecord(plan, "ada", "a test");

        long readable = readable(new PlanSource(SampleLog.SHARDS, metrics), good.key(), good.toBytes());

        assertThat(readable).isBetween(1L, ROUNDS - 1L);
    }

    @Test
    void spoilt_actions_are_read_or_refused() {
        List<Action.Effect> effects = List.of(
                new Action.LimitOverride("a", LIMITS.get("d"), 1_000),
                new Action.Ban(Scope.TENANT, 1_000),
                new Action.Lift("b"),
                new Action.Reset("a"),
                new Action.Credit("a", 7));

        for (Action.Effect effect : effects) {
            Action action = SampleLog.act("x", TENANT, effect);

            long readable = readable(
                    new ActionSource(SampleLog.SHARDS, metrics),
                    ActionRecords.key(action),
                    ActionRecords.encode(action));

            assertThat(readable).isBetween(1L, ROUNDS - 1L);
        }
    }
}
