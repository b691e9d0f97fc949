package io.headgate.tools.tenant;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.tools.AdminPort;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.Surroundings;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate tenant show}. */
@Command(
        name = "show",
        description = {
            "Shows what the topics say of a tenant: its plan, its limits under the newest policy, and the overrides and"
                    + " bans in force, each with who and why. With --admin, also what its shard says."
        },
        exitCodeListHeading = TenantCommand.EXIT_CODES,
        exitCodeList = {
            "0:shown, also of a tenant of which nothing is known",
            "1:the cluster or the processor refuses or does not answer",
            TenantCommand.WRONG_USAGE
        })
final class ShowCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "TENANT", description = "the tenant")
    private String tenant;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description = "the admin port of the processor that owns the tenant's shard")
    private String admin;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    ShowCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        if (tenant.isEmpty() || tenant.length() > Identity.MAX_LENGTH) {
            throw wrong("Invalid value for TENANT: it has " + tenant.length() + " characters; it must have 1 to "
                    + Identity.MAX_LENGTH);
        }
        Optional<AdminPort> port = port();
        try (Cluster cluster = connection.open(surroundings)) {
            TenantPicture picture = picture(cluster);
            if (port.isPresent()) {
                picture = picture.with(ask(port.get(), picture.shard()));
            }
            if (output.value() == Output.json) {
                spec.commandLine().getOut().println(picture.json().toPrettyString());
            } else {
                picture.print(spec.commandLine().getOut());
            }
        }
        return Headgate.OK;
    }

    private TenantPicture picture(Cluster cluster) throws CommandFailedException {
        PolicyInForce policy = PolicyInForce.read(cluster);
        PlanTopic plans = new PlanTopic(cluster);
        Optional<PlacedPlan> placed = plans.standing(tenant).plan();
        plans.rejects().print(spec.commandLine().getErr());
        ActionTopic actions = new ActionTopic(cluster);
        // A removal ends what was in force when it was written.
        long removedMillis = placed.filter(PlacedPlan::removed)
                .map(PlacedPlan::writtenMillis)
                .orElse(Long.MIN_VALUE);
        List<PlacedAction> inForce = actions.inForce(tenant, surroundings.nowMillis()).stream()
                .filter(action -> action.writtenMillis() > removedMillis)
                .toList();
        actions.rejects().print(spec.commandLine().getErr());
        Optional<TenantPlan> plan = placed.filter(present -> !present.removed())
                .map(present -> present.record().plan());
        List<EffectiveLimit> limits = policy.policy()
                .map(present -> EffectiveLimit.all(
                        present,
                        plan,
                        inForce.stream().map(PlacedAction::action).toList()))
                .orElse(List.of());
        return new TenantPicture(tenant, plans.partitionOf(tenant), policy, placed, limits, inForce, Optional.empty());
    }

    private String ask(AdminPort port, int shard) throws CommandFailedException {
        String key = URLEncoder.encode(tenant, StandardCharsets.UTF_8).replace("+", "%20");
        AdminPort.Reply reply = port.get("/shards/" + shard + "/accounts/" + key);
        if (!reply.ok()) {
            throw new CommandFailedException("the processor at " + admin + " answers " + reply.status() + ": "
                    + reply.body().lines().findFirst().orElse(""));
        }
        return reply.body();
    }

    private Optional<AdminPort> port() {
        try {
            return Optional.ofNullable(admin).map(AdminPort::new);
        } catch (IllegalArgumentException e) {
            throw wrong("Invalid value for --admin: " + e.getMessage());
        }
    }

    private ParameterException wrong(String what) {
        return new ParameterException(spec.commandLine(), what);
    }
}
