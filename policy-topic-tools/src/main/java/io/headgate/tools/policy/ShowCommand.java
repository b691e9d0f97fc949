package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy show}. */
@Command(
        name = "show",
        description = {
            "Shows a version: who published it when and why, and its document as YAML.",
            "With --yaml or --json the document alone, ready to be changed and published."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {
            "0:shown",
            "1:there is no such version, or the cluster refuses or does not answer",
            "2:wrong usage"
        })
final class ShowCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "VERSION", arity = "0..1", description = "its number; the newest if left out")
    private Long version;

    @Option(names = "--yaml", description = "the document alone, as YAML")
    private boolean yaml;

    @Option(names = "--json", description = "the document alone, as JSON")
    private boolean json;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    ShowCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        try (Cluster cluster = connection.open(surroundings)) {
            PolicyVersions versions = PolicyVersions.read(cluster, trust.trust());
            Entry entry = version == null
                    ? versions.newest()
                            .orElseThrow(() -> new CommandFailedException("there is no version on the topic"))
                    : PolicyReference.version(versions, version);
            print(entry, spec.commandLine().getOut());
        }
        return Headgate.OK;
    }

    private void print(Entry entry, PrintWriter out) {
        if (json) {
            out.println(PolicyYaml.json(entry.document()));
        } else if (yaml) {
            out.print(PolicyYaml.of(entry.document()));
        } else if (output.value() == Output.json) {
            ObjectNode whole = VersionText.json(entry);
            whole.set("document", entry.document().tree());
            out.println(whole.toPrettyString());
        } else {
            out.println("# version " + entry.version() + ", at offset " + entry.offset() + ", "
                    + VersionText.when(entry.writtenMillis()));
            out.println("# by " + VersionText.author(entry.record().orElseThrow()) + ": "
                    + VersionText.reason(entry.record().orElseThrow()));
            out.println("# signed by " + VersionText.keys(entry.record().orElseThrow()) + "; content "
                    + entry.record().orElseThrow().contentHash());
            out.println("# takes effect "
                    + VersionText.activation(entry.document().policy().activation()));
            out.print(PolicyYaml.of(entry.document()));
        }
        out.flush();
    }
}
