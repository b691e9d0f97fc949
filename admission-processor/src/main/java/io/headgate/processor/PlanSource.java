package io.headgate.processor;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardView;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.ZoneNames;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The plans of tenants. A null under a tenant's name removes the tenant. */
final class PlanSource implements Source<TenantPlan> {

    private static final int MOST_UNDER_WAY = 4;

    private final int shards;
    private final ProcessorMetrics metrics;

    PlanSource(int shards, ProcessorMetrics metrics) {
        this.shards = shards;
        this.metrics = metrics;
    }

    @Override
    public String topic() {
        return TopicCatalogue.TENANT_PLANS;
    }

    @Override
    public long appliedBy(ShardView view) {
        return view.planSource();
    }

    @Override
    public TenantPlan read(ConsumerRecord<byte[], byte[]> record) {
        String key = tenant(record.key());
        TenantPlan plan = record.value() == null
                ? removed(key)
                : PlanRecord.fromBytes(record.value()).plan();
        if (!plan.tenant().equals(key)) {
            throw new UnreadableRecordException(
                    "key is '" + Homes.shown(key) + "'; it must be the tenant, '" + plan.tenant() + "'");
        }
        Homes.check(key, record.partition(), shards);
        return plan;
    }

    private static String tenant(byte[] key) {
        if (key == null) {
            throw new UnreadableRecordException("key is null; it must be the tenant");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(key))
                    .toString();
        } catch (CharacterCodingException broken) {
            throw new UnreadableRecordException("key is not UTF-8; it must be the tenant");
        }
    }

    private static TenantPlan removed(String tenant) {
        try {
            return new TenantPlan(
                    tenant,
                    TenantPlan.Status.REMOVED,
                    TenantPlan.DEFAULT,
                    false,
                    Optional.empty(),
                    Optional.empty(),
                    new TreeMap<>());
        } catch (IllegalArgumentException outOfRange) {
            throw new UnreadableRecordException(
                    "value is null, and the key names no tenant: " + outOfRange.getMessage());
        }
    }

    @Override
    public Set<String> zonesOf(TenantPlan plan) {
        return ZoneNames.zones(plan);
    }

    @Override
    public Control control(long source, long previous, List<TenantPlan> plans) {
        return new Control.ApplyPlans(source, previous, plans);
    }

    @Override
    public int mostInOne() {
        return Control.MAX_PLANS;
    }

    @Override
    public int mostUnderWay() {
        return MOST_UNDER_WAY;
    }

    @Override
    public void refused() {
        metrics.planRefused();
    }
}
