package io.headgate.tools.tenant;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.tools.BadLine;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.Surroundings;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headgate tenant list}. Holds one shard's tenants at a time. */
@Command(
        name = "list",
        description = {
            "Lists the tenants that have a plan, shard by shard and within a shard by name; removed ones only with"
                    + " --status removed. As JSON, one object a line."
        },
        exitCodeListHeading = TenantCommand.EXIT_CODES,
        exitCodeList = {"0:listed", "1:the cluster refuses or does not answer", TenantCommand.WRONG_USAGE})
final class ListCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(names = "--plan", paramLabel = "PLAN", description = "only those on this plan")
    private String plan;

    @Option(names = "--status", paramLabel = "STATUS", description = "only those that are active, suspended or removed")
    private Wanted status;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    ListCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** The statuses, as an operator writes them. */
    enum Wanted {
        active(TenantPlan.Status.ACTIVE),
        suspended(TenantPlan.Status.SUSPENDED),
        removed(TenantPlan.Status.REMOVED);

        private final TenantPlan.Status status;

        Wanted(TenantPlan.Status status) {
            this.status = status;
        }
    }

    @Override
    public Integer call() throws CommandFailedException {
        PrintWriter out = spec.commandLine().getOut();
        try (Cluster cluster = connection.open(surroundings)) {
            PlanTopic topic = new PlanTopic(cluster);
            if (output.value() == Output.table) {
                out.println(PlanRow.header());
            }
            for (int partition = 0; partition < topic.partitions(); partition++) {
                list(topic, partition, out);
            }
            topic.rejects().print(spec.commandLine().getErr());
        }
        return Headgate.OK;
    }

    private void list(PlanTopic topic, int partition, PrintWriter out) throws CommandFailedException {
        Map<String, PlanRow> rows = new HashMap<>();
        topic.read(partition, change -> {
            Optional<TenantPlan> wanted =
                    change.plan().map(placed -> placed.record().plan()).filter(this::isWanted);
            if (wanted.isPresent()) {
                rows.put(change.tenant(), PlanRow.of(wanted.get()));
            } else {
                rows.remove(change.tenant());
            }
        });
        rows.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(row -> {
            if (output.value() == Output.json) {
                out.println(row.getValue().json(row.getKey()));
            } else {
                out.println(row.getValue().line(BadLine.shown(row.getKey(), Identity.MAX_LENGTH)));
            }
        });
    }

    private boolean isWanted(TenantPlan candidate) {
        boolean ofStatus =
                status == null ? candidate.status() != TenantPlan.Status.REMOVED : candidate.status() == status.status;
        return ofStatus && (plan == null || plan.equals(candidate.plan()));
    }
}
