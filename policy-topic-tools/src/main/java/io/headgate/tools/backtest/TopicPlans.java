package io.headgate.tools.backtest;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The plans of tenants that a shard begins with, from their topic, piece by piece. */
final class TopicPlans {

    private final Cluster cluster;
    private final int shards;

    TopicPlans(Cluster cluster, int shards) {
        this.cluster = cluster;
        this.shards = shards;
    }

    /**
     * Hands over the plans of a shard's tenants. What no shard takes is passed over.
     *
     * @param beforeMillis those that were written before; {@code Long.MAX_VALUE} for all
     */
    void read(int shard, long beforeMillis, Consumer<Control.ApplyPlans> each) throws CommandFailedException {
        List<TenantPlan> piece = new ArrayList<>();
        long[] last = {-1};
        cluster.read(TopicCatalogue.TENANT_PLANS, shard, 0, record -> {
            if (record.timestamp() >= beforeMillis) {
                return;
            }
            plan(record, shard).ifPresent(plan -> {
                piece.add(plan);
                last[0] = record.offset();
                if (piece.size() == Control.MAX_PLANS) {
                    each.accept(new Control.ApplyPlans(last[0], -1, piece));
                    piece.clear();
                }
            });
        });
        if (!piece.isEmpty()) {
            each.accept(new Control.ApplyPlans(last[0], -1, piece));
        }
    }

    private Optional<TenantPlan> plan(ConsumerRecord<byte[], byte[]> record, int shard) {
        if (record.key() == null) {
            return Optional.empty();
        }
        String tenant = new String(record.key(), StandardCharsets.UTF_8);
        if (Partitioning.shardOf(tenant, shards) != shard) {
            return Optional.empty();
        }
        try {
            return record.value() == null
                    ? Optional.of(removed(tenant))
                    : Optional.of(PlanRecord.fromBytes(record.value()).plan())
                            .filter(plan -> plan.tenant().equals(tenant));
        } catch (UnreadableRecordException | IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }

    private static TenantPlan removed(String tenant) {
        return new TenantPlan(
                tenant,
                TenantPlan.Status.REMOVED,
                TenantPlan.DEFAULT,
                false,
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>());
    }
}
