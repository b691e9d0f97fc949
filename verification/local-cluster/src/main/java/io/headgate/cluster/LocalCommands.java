package io.headgate.cluster;

import io.headgate.cluster.bench.BenchCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands of {@code headgate} that bring a cluster along, or ask a running one for many things at once. */
@Command(
        name = "headgate",
        subcommands = {UpCommand.class, ReplayCommand.class, BenchCommand.class, CompletionCommand.class},
        mixinStandardHelpOptions = true,
        description = "Runs Headgate on this machine.")
public final class LocalCommands implements Runnable {

    /** It worked. */
    public static final int OK = 0;

    /** What was asked for failed. */
    public static final int FAILED = 1;

    @Spec
    private CommandSpec spec;

    public static void main(String[] args) {
        System.exit(new CommandLine(new LocalCommands()).execute(args));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "name a command: up, replay, bench or completion");
    }
}
