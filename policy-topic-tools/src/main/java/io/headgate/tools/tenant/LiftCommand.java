package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Surroundings;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code headgate tenant lift}. */
@Command(
        name = "lift",
        description = {
            "Ends an override or a ban before its time.",
            "Whose it is, is looked up; headgate tenant show lists the ids."
        },
        exitCodeListHeading = TenantCommand.EXIT_CODES,
        exitCodeList = {
            TenantCommand.WRITTEN,
            "1:there is no such override or ban, or the cluster refuses; stderr says why",
            TenantCommand.WRONG_USAGE
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate tenant lift ban-20261130T195903Z-5f0e91c2 --author ann --reason 'paid' \\",
            "    --bootstrap-servers kafka:9092"
        })
final class LiftCommand extends ActionCommand {

    @Parameters(paramLabel = "ACTION", description = "the id of the override or the ban")
    private String lifted;

    private Action.Lift lift;

    LiftCommand(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    void checkUsage(long nowMillis) {
        try {
            lift = new Action.Lift(lifted);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "Invalid value for ACTION: " + e.getMessage());
        }
    }

    @Override
    void act(Cluster cluster, long nowMillis) throws CommandFailedException {
        ActionTopic topic = new ActionTopic(cluster);
        List<PlacedAction> found = topic.liftable(lifted);
        if (found.isEmpty()) {
            throw new CommandFailedException(
                    "there is no override or ban of id '" + lifted + "'; headgate tenant show TENANT lists a tenant's");
        }
        for (PlacedAction one : found) {
            write(topic, action("lift", one.action().subject(), lift, nowMillis));
        }
    }
}
