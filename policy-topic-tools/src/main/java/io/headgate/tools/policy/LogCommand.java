package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.PolicyVersions.Entry;
import io.headgate.tools.PolicyVersions.Standing;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustOption;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate policy log}. */
@Command(
        name = "log",
        description = {
            "The audit history, newest first: who published which version when and why, who signed it, and what it changed.",
            "As JSON, one object a line."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {"0:shown", "1:the cluster refuses or does not answer", "2:wrong usage"})
final class LogCommand implements Callable<Integer> {

    private static final int MOST = 100_000;

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "how many records to show, 1 to " + MOST + "; ${DEFAULT-VALUE} if left out")
    private int limit;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    LogCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        if (limit < 1 || limit > MOST) {
            throw new ParameterException(
                    spec.commandLine(), "Invalid value for --limit: it is " + limit + "; it must be 1 to " + MOST);
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Cluster cluster = connection.open(surroundings)) {
            PolicyVersions versions = PolicyVersions.read(cluster, trust.trust());
            Deque<Runnable> newestFirst = new ArrayDeque<>();
            Optional<PolicyDocument> before = Optional.empty();
            long toSkip = Math.max(0, versions.entries().size() - (long) limit);
            for (Entry entry : versions.entries()) {
                boolean accepted = entry.standing() == Standing.ACCEPTED;
                Optional<PolicyDocument> document = accepted ? Optional.of(entry.document()) : Optional.empty();
                if (toSkip-- <= 0) {
                    Optional<PolicyDocument> old = before;
                    Optional<PolicyDifference> difference = document.map(now -> PolicyDifference.between(old, now));
                    newestFirst.push(() -> print(entry, difference, old.isEmpty(), out));
                }
                before = accepted ? document : before;
            }
            newestFirst.forEach(Runnable::run);
        }
        return Headgate.OK;
    }

    private void print(Entry entry, Optional<PolicyDifference> difference, boolean first, PrintWriter out) {
        if (output.value() == Output.json) {
            ObjectNode json = VersionText.json(entry);
            difference.ifPresent(it -> json.put("changed", first ? "the first version" : it.summary())
                    .set("changes", it.json()));
            out.println(json);
            return;
        }
        String title = entry.record()
                .map(record -> (entry.standing() == Standing.ACCEPTED ? "version " : "(version ")
                        + record.version()
                        + (entry.standing() == Standing.ACCEPTED ? "" : ")"))
                .orElse("(unreadable)");
        out.println(title + "  offset " + entry.offset() + "  " + VersionText.when(entry.writtenMillis())
                + entry.record()
                        .map(record -> "  " + VersionText.author(record) + "  " + VersionText.keys(record))
                        .orElse(""));
        entry.record().ifPresent(record -> out.println("    why:     " + VersionText.reason(record)));
        difference.ifPresentOrElse(
                it -> out.println("    changed: " + (first ? "the first version" : it.summary())),
                () -> out.println("    " + VersionText.standing(entry)));
    }
}
