package io.headgate.tools;

import io.headgate.tools.explain.ExplainCommand;
import io.headgate.tools.policy.PolicyCommand;
import io.headgate.tools.tenant.TenantCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UnmatchedArgsBinding;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code headgate}, the command line. */
@Command(
        name = "headgate",
        description = "A distributed rate limiter whose one authority is a Kafka log.",
        versionProvider = Headgate.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed or refused; stderr says why", "2:wrong usage"},
        footer = {"", "headgate COMMAND --help says more about a command."})
public final class Headgate implements Callable<Integer> {

    public static final int OK = 0;
    public static final int FAILED = 1;
    public static final int WRONG_USAGE = 2;

    private static final int HELP_WIDTH = 100;

    @Spec
    private CommandSpec spec;

    private Headgate() {}

    public static void main(String[] args) {
        System.exit(run(args, new FileOutputStream(FileDescriptor.out), new FileOutputStream(FileDescriptor.err)));
    }

    /** Does what {@code args} say and returns the exit code. */
    public static int run(String[] args, OutputStream out, OutputStream err) {
        return run(args, out, err, surroundings());
    }

    static int run(String[] args, OutputStream out, OutputStream err, Surroundings surroundings) {
        PrintWriter outWriter = new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true);
        PrintWriter errWriter = new PrintWriter(new OutputStreamWriter(err, StandardCharsets.UTF_8), true);
        CommandLine commandLine = commandLine(out, surroundings)
                .setUsageHelpWidth(HELP_WIDTH)
                .setOut(outWriter)
                .setErr(errWriter)
                .setExecutionExceptionHandler((e, command, parsed) -> failed(e, errWriter))
                .setParameterExceptionHandler((e, wrong) -> wrongUsage(e, errWriter));
        try {
            return commandLine.execute(args);
        } catch (OutOfMemoryError e) {
            errWriter.println("headgate: out of memory; allow it more, for example with JDK_JAVA_OPTIONS=-Xmx4g");
            return FAILED;
        } finally {
            outWriter.flush();
            errWriter.flush();
        }
    }

    /**
     * The whole command line, to be described and not to be run.
     *
     * @param elsewhere the commands that bin/headgate sends to another program, by name
     */
    public static CommandLine described(Map<String, CommandLine> elsewhere) {
        CommandLine commandLine = commandLine(OutputStream.nullOutputStream(), surroundings());
        elsewhere.forEach((name, command) -> {
            commandLine.getCommandSpec().removeSubcommand(name);
            commandLine.addSubcommand(name, command);
        });
        return commandLine;
    }

    private static Surroundings surroundings() {
        return new Surroundings(KafkaCluster::of, Clock.systemUTC(), new SecureRandom(), System.in);
    }

    private static CommandLine commandLine(OutputStream out, Surroundings surroundings) {
        CommandLine commandLine = new CommandLine(new Headgate())
                .addSubcommand(elsewhere("up", "Starts a broker, a processor and a gateway on this machine."))
                .addSubcommand(elsewhere("replay", "Sends an access log through a running gateway."))
                .addSubcommand(elsewhere("bench", "Measures decisions beside an echo over the same broker."))
                .addSubcommand(new EvaluateCommand(out))
                .addSubcommand(PolicyCommand.commandLine(surroundings))
                .addSubcommand(TenantCommand.commandLine(surroundings))
                .addSubcommand(new ExplainCommand(surroundings))
                .addSubcommand(new ShardCommand())
                .addSubcommand(elsewhere(
                        "completion", "Prints a script that completes commands and options in bash and zsh."));
        addHelp(commandLine);
        commandLine
                .getCommandSpec()
                .addOption(OptionSpec.builder("-V", "--version")
                        .versionHelp(true)
                        .description("shows the version")
                        .build());
        return commandLine;
    }

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return WRONG_USAGE;
    }

    private static void addHelp(CommandLine commandLine) {
        commandLine
                .getCommandSpec()
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("shows this text")
                        .build());
        commandLine.getSubcommands().values().forEach(Headgate::addHelp);
    }

    private static int failed(Exception e, PrintWriter err) throws Exception {
        if (e instanceof CommandFailedException) {
            err.println(e.getMessage());
            return FAILED;
        }
        throw e;
    }

    private static int wrongUsage(ParameterException e, PrintWriter err) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        StringBuilder line = new StringBuilder(command + ": " + e.getMessage().replaceAll("\\p{Cntrl}+", " "));
        if (e instanceof UnmatchedArgumentException unmatched) {
            List<String> suggestions = unmatched.getSuggestions();
            if (!suggestions.isEmpty()) {
                line.append("; did you mean ")
                        .append(String.join(" or ", suggestions))
                        .append('?');
            }
        }
        err.println(line.append(" (see ").append(command).append(" --help)"));
        return WRONG_USAGE;
    }

    /** A command that bin/headgate sends to the program that holds a broker; it is here to be listed. */
    private static CommandLine elsewhere(String name, String description) {
        CommandSpec spec = CommandSpec.wrapWithoutInspection((Callable<Integer>) () -> {
            throw new CommandFailedException("headgate " + name + " is started by bin/headgate, not by this class");
        });
        spec.name(name).usageMessage().description(description);
        spec.addUnmatchedArgsBinding(UnmatchedArgsBinding.forStringArrayConsumer(new CommandLine.Model.ISetter() {
            @Override
            public <T> T set(T value) {
                return value;
            }
        }));
        return new CommandLine(spec);
    }

    /** The version that was built. */
    static final class Version implements IVersionProvider {

        @Override
        public String[] getVersion() throws IOException {
            try (InputStream in = Headgate.class.getResourceAsStream("version.txt")) {
                return new String[] {new String(in.readAllBytes(), StandardCharsets.UTF_8).strip()};
            }
        }
    }
}
