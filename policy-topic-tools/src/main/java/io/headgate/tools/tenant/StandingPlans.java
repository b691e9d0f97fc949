package io.headgate.tools.tenant;

import io.headgate.core.account.TenantPlan;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The newest plan of every tenant that has one. Holds one shard's tenants at a time. */
public final class StandingPlans {

    private StandingPlans() {}

    /**
     * Gives every plan that stands, shard by shard; tenants that were removed have none.
     *
     * @throws CommandFailedException if there is no such topic, or the cluster does not answer
     */
    public static void read(Cluster cluster, Consumer<TenantPlan> each) throws CommandFailedException {
        PlanTopic topic = new PlanTopic(cluster);
        for (int partition = 0; partition < topic.partitions(); partition++) {
            Map<String, TenantPlan> newest = new HashMap<>();
            topic.read(
                    partition,
                    change -> change.plan()
                            .filter(placed -> !placed.removed())
                            .ifPresentOrElse(
                                    placed -> newest.put(
                                            change.tenant(), placed.record().plan()),
                                    () -> newest.remove(change.tenant())));
            newest.values().forEach(each);
        }
    }
}
