package io.headgate.cluster;

import io.headgate.tools.Headgate;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headgate completion}: what a shell needs to complete the commands and options of both programs. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description = {
            "Prints a script that completes commands and options in bash and zsh.",
            "For this session: source <(bin/headgate completion)",
            "For all: put that line, or what it prints, into ~/.bashrc or ~/.zshrc."
        })
final class CompletionCommand implements Callable<Integer> {

    private static final String PROGRAM = "headgate";

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        CommandLine all = Headgate.described(spec.parent().subcommands());
        spec.commandLine().getOut().print(AutoComplete.bash(PROGRAM, all));
        spec.commandLine().getOut().flush();
        return LocalCommands.OK;
    }
}
