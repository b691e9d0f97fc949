package io.headgate.cluster;

import io.headgate.core.account.Action;
import io.headgate.core.account.Subject;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.core.limit.CalendarUnit;
import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Refill;
import io.headgate.core.limit.TokenBucketLimit;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Scope;
import io.headgate.core.policy.Stage;
import io.headgate.schemas.ActionRecords;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * What operators do while there is load: plans that change and go, overrides, bans and their lifting, resets, credits, and
 * now and then a record that nobody can read. Of a tenant that must not spend more than its budget, only rates change.
 */
final class Operators {

    private static final int REMEMBERED = 8;
    private static final List<String> ZONES = List.of("Europe/Zurich", "Asia/Kathmandu", "America/New_York", "UTC");

    private final Random random;
    private final String[] lastActions = new String[REMEMBERED];
    private long actions;

    Operators(Random random) {
        this.random = random;
    }

    /**
     * The next record, for its topic.
     *
     * @param strict whether the tenant's budget may be counted on
     */
    ProducerRecord<byte[], byte[]> next(int shard, String tenant, boolean strict) {
        if (random.nextInt(50) == 0) {
            String topic = random.nextBoolean() ? TopicCatalogue.TENANT_PLANS : TopicCatalogue.QUOTA_ADJUSTMENTS;
            return new ProducerRecord<>(topic, shard, new byte[] {1}, new byte[] {2});
        }
        return random.nextBoolean() ? plan(shard, tenant, strict) : action(shard, tenant, strict);
    }

    private ProducerRecord<byte[], byte[]> plan(int shard, String tenant, boolean strict) {
        if (!strict && random.nextInt(6) == 0) {
            byte[] key = tenant.getBytes(StandardCharsets.UTF_8);
            return new ProducerRecord<>(TopicCatalogue.TENANT_PLANS, shard, key, null);
        }
        Map<String, Limit> overrides = new TreeMap<>();
        overrides.put("tenant-rate", rate());
        if (!strict) {
            overrides.put("budget", new TokenBucketLimit(100 + random.nextInt(400), 0, 1_000, Refill.GREEDY));
        }
        PlanRecord record = new PlanRecord(
                new TenantPlan(
                        tenant,
                        random.nextInt(8) == 0 ? TenantPlan.Status.SUSPENDED : TenantPlan.Status.ACTIVE,
                        random.nextBoolean() ? "gold" : TenantPlan.DEFAULT,
                        !strict && random.nextInt(8) == 0,
                        Optional.of(ZONES.get(random.nextInt(ZONES.size()))),
                        Optional.empty(),
                        new TreeMap<>(overrides)),
                "operator",
                "load");
        return new ProducerRecord<>(TopicCatalogue.TENANT_PLANS, shard, record.key(), record.toBytes());
    }

    /** By the second, or by the day of a zone. */
    private Limit rate() {
        long requests = 50 + random.nextInt(100);
        return random.nextInt(3) == 0
                ? new FixedWindowLimit(requests * 100, new Window.Calendar(CalendarUnit.DAY, Window.Calendar.OF_TENANT))
                : new FixedWindowLimit(requests, 1_000);
    }

    private ProducerRecord<byte[], byte[]> action(int shard, String tenant, boolean strict) {
        String id = "load-" + actions++;
        Subject whom = new Subject(
                Stage.TENANT, new Identity(tenant, "user-" + random.nextInt(200), "", "", ""), "", Map.of());
        Action action = new Action(id, "operator", "load", whom, effect(strict));
        lastActions[random.nextInt(REMEMBERED)] = id;
        return new ProducerRecord<>(
                TopicCatalogue.QUOTA_ADJUSTMENTS, shard, ActionRecords.key(action), ActionRecords.encode(action));
    }

    private Action.Effect effect(boolean strict) {
        String rule = strict
                ? "user-rate"
                : List.of("budget", "user-rate", "tenant-rate").get(random.nextInt(3));
        long soon = System.currentTimeMillis() + 200 + random.nextInt(3_000);
        return switch (random.nextInt(5)) {
            case 0 -> new Action.Ban(random.nextBoolean() ? Scope.TENANT : Scope.USER, soon);
            case 1 -> new Action.LimitOverride("tenant-rate", rate(), soon);
            case 2 -> new Action.Reset(rule);
            case 3 -> new Action.Credit(rule, 1 + random.nextInt(20));
            default ->
                new Action.Lift(Optional.ofNullable(lastActions[random.nextInt(REMEMBERED)])
                        .orElse("nothing"));
        };
    }
}
