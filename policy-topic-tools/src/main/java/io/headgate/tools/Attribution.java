package io.headgate.tools;

import io.headgate.core.account.Action;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Who does something and why; it stays in the record and in the shard's state. */
public final class Attribution {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--author", paramLabel = "NAME", required = true, description = "who does this")
    private String author;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            required = true,
            description = "why; whoever is refused may be told")
    private String reason;

    public String author() {
        return checked("--author", author);
    }

    public String reason() {
        return checked("--reason", reason);
    }

    private String checked(String option, String text) {
        if (text.isBlank() || text.length() > Action.MAX_TEXT) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for " + option + ": it has " + text.length() + " characters; it must have 1 to "
                            + Action.MAX_TEXT + ", not all blank");
        }
        return text;
    }
}
