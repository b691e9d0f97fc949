package io.headgate.tools.policy;

import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.PolicyVersions.Entry;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustOption;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code headgate policy list}. */
@Command(
        name = "list",
        description = {
            "Lists every record on the topic of policies in the order of the log, the refused ones with the reason.",
            "As JSON, one object a line."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {"0:listed", "1:the cluster refuses or does not answer", "2:wrong usage"})
final class ListCommand implements Callable<Integer> {

    private static final String ROW = "%7s  %6s  %-20s  %-20s  %-16s  %-12s  %s";

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    ListCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        PrintWriter out = spec.commandLine().getOut();
        try (Cluster cluster = connection.open(surroundings)) {
            PolicyVersions versions = PolicyVersions.read(cluster, trust.trust());
            if (output.value() == Output.table) {
                out.println(String.format(
                        Locale.ROOT, ROW, "VERSION", "OFFSET", "WRITTEN", "AUTHOR", "KEYS", "CONTENT", "STANDING"));
            }
            versions.entries()
                    .forEach(entry -> out.println(
                            output.value() == Output.json
                                    ? VersionText.json(entry).toString()
                                    : row(entry)));
        }
        return Headgate.OK;
    }

    private static String row(Entry entry) {
        return String.format(
                Locale.ROOT,
                ROW,
                entry.record().map(record -> Long.toString(record.version())).orElse("-"),
                entry.offset(),
                VersionText.when(entry.writtenMillis()),
                entry.record().map(VersionText::author).orElse("-"),
                entry.record().map(VersionText::keys).orElse("-"),
                entry.record().map(VersionText::shortHash).orElse("-"),
                VersionText.standing(entry));
    }
}
