package io.headgate.cluster;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Identity;
import io.headgate.core.policy.Stage;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.Partitioning;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Batches of ordinary requests of clients without sessions. */
final class Asks {

    private Asks() {}

    /** Asks to spend, by {@link LoadPolicy}, a token a time of the tenant's budget. */
    static Requests spend(String tenant, int times) {
        Identity who = new Identity(tenant, "u1", "", "", "");
        Admission admission = new Admission(Stage.TENANT, who, true, LoadPolicy.SPEND, Map.of(), 1);
        return new Requests(
                Optional.empty(), Collections.nCopies(times, new Command.Ask(admission, false, Command.NEVER, false)));
    }

    /** A tenant of the shard, another for each number. */
    static String tenantOf(int shard, String name) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> name + "-" + i)
                .filter(tenant -> Partitioning.shardOf(tenant, LocalShards.SHARDS) == shard)
                .findFirst()
                .orElseThrow();
    }

    static List<Integer> allShards() {
        return IntStream.range(0, LocalShards.SHARDS).boxed().toList();
    }
}
