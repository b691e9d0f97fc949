package io.headgate.tools.policy;

import io.headgate.tools.Headgate;
import io.headgate.tools.Surroundings;
import io.headgate.tools.backtest.BacktestCommand;
import io.headgate.tools.imports.ImportCommand;
import io.headgate.tools.shadow.ShadowCommand;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headgate policy}: policies as code, from the file to every shard. */
@Command(
        name = "policy",
        description = {
            "Checks, tries, signs, publishes and takes back policies.",
            "The topic is the source of truth; every version on it stays."
        },
        footerHeading = "%nMore in docs/policies.md.%n",
        footer = "")
public final class PolicyCommand implements Callable<Integer> {

    static final String EXIT_CODES = "%nExit codes:%n";

    /** Not everybody has taken the version over. */
    static final int LAGGING = 3;

    /** Somebody else published meanwhile. */
    static final int CONFLICT = 4;

    /** What was compared is not the same. */
    static final int DIFFERS = 5;

    @Spec
    private CommandSpec spec;

    private PolicyCommand() {}

    /** The command with all that belong to it. */
    public static CommandLine commandLine(Surroundings surroundings) {
        return new CommandLine(new PolicyCommand())
                .addSubcommand(new ValidateCommand(surroundings))
                .addSubcommand(new PlanCommand(surroundings))
                .addSubcommand(new SignCommand())
                .addSubcommand(new VerifyCommand(surroundings))
                .addSubcommand(new PublishCommand(surroundings))
                .addSubcommand(new StatusCommand(surroundings))
                .addSubcommand(new ListCommand(surroundings))
                .addSubcommand(new ShowCommand(surroundings))
                .addSubcommand(new LogCommand(surroundings))
                .addSubcommand(new DiffCommand(surroundings))
                .addSubcommand(new RollbackCommand(surroundings))
                .addSubcommand(new PromoteCommand(surroundings))
                .addSubcommand(new KeysCommand())
                .addSubcommand(new ImportCommand())
                .addSubcommand(new BacktestCommand(surroundings))
                .addSubcommand(new ShadowCommand(surroundings))
                .addSubcommand(new SchemaCommand());
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return Headgate.WRONG_USAGE;
    }
}
