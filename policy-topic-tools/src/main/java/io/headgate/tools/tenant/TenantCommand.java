package io.headgate.tools.tenant;

import io.headgate.tools.Headgate;
import io.headgate.tools.Surroundings;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headgate tenant}: what tenants may do, and what an operator does about somebody's budget now. */
@Command(
        name = "tenant",
        description = {
            "Sets and shows the plans of tenants, and acts on the budget of a tenant, an address or a login name.",
            "Plans and actions are records on a topic; the shards follow within a second."
        },
        footerHeading = "%nMore in docs/tenants.md.%n",
        footer = "")
public final class TenantCommand implements Callable<Integer> {

    static final String EXIT_CODES = "%nExit codes:%n";
    static final String WRITTEN = "0:written, or there already";
    static final String NOT_WRITTEN = "1:refused by a check or by the cluster; stderr says why";
    static final String WRONG_USAGE = "2:wrong usage";

    @Spec
    private CommandSpec spec;

    private TenantCommand() {}

    /** The command with all that belong to it. */
    public static CommandLine commandLine(Surroundings surroundings) {
        return new CommandLine(new TenantCommand())
                .addSubcommand(new SetCommand(surroundings))
                .addSubcommand(new RemoveCommand(surroundings))
                .addSubcommand(new ListCommand(surroundings))
                .addSubcommand(new ShowCommand(surroundings))
                .addSubcommand(new OverrideCommand(surroundings))
                .addSubcommand(new BanCommand(surroundings))
                .addSubcommand(new LiftCommand(surroundings))
                .addSubcommand(new ResetCommand(surroundings))
                .addSubcommand(new CreditCommand(surroundings));
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return Headgate.WRONG_USAGE;
    }
}
