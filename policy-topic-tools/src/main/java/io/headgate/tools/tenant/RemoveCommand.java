package io.headgate.tools.tenant;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.schemas.PlanRecord;
import io.headgate.tools.Attribution;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.OutputOption;
import io.headgate.tools.Surroundings;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate tenant remove}. */
@Command(
        name = "remove",
        description = {
            "Forgets a tenant, with what it has spent and the overrides and bans of it.",
            "A request of it is then one of an unknown tenant's, under the default plan; to refuse it, suspend it."
        },
        exitCodeListHeading = TenantCommand.EXIT_CODES,
        exitCodeList = {"0:written", TenantCommand.NOT_WRITTEN, TenantCommand.WRONG_USAGE})
final class RemoveCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "TENANT", description = "the tenant")
    private String tenant;

    @Mixin
    private Attribution attribution;

    @Mixin
    private Connection connection;

    @Mixin
    private RecordSigning signing;

    @Mixin
    private OutputOption output;

    RemoveCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        if (tenant.isEmpty() || tenant.length() > Identity.MAX_LENGTH) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for TENANT: it has " + tenant.length() + " characters; it must have 1 to "
                            + Identity.MAX_LENGTH);
        }
        signing.checkUsage();
        PlanRecord record = new PlanRecord(
                new TenantPlan(
                        tenant,
                        TenantPlan.Status.REMOVED,
                        TenantPlan.DEFAULT,
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        new TreeMap<>()),
                attribution.author(),
                attribution.reason());
        try (Cluster cluster = connection.open(surroundings)) {
            Place place = new PlanTopic(cluster)
                    .write(List.of(record), signing.signer(cluster), surroundings.nowMillis())
                    .get(0);
            new PlanReceipt(spec.commandLine().getOut(), output.value()).print(record, place);
        }
        return Headgate.OK;
    }
}
