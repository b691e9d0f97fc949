package io.headgate.tools.policy;

import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Attribution;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.PolicyVersions.Entry;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustOption;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy rollback}. */
@Command(
        name = "rollback",
        description = {
            "Publishes the rules of an earlier version as the next one, at once and for everybody, and waits as publish"
                    + " does.",
            "Budgets go on; only a rule that counts by something else than now begins afresh, and the output says which."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {
            "0:published and taken over by all",
            "1:there is no such version, or it is the newest, or the cluster refuses; stderr says why",
            "2:wrong usage",
            "3:published, and not taken over by all in time; stderr says by whom not, and why",
            "4:not published, because somebody else published meanwhile"
        })
final class RollbackCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "VERSION", description = "the version whose rules are wanted back")
    private long version;

    @Mixin
    private Attribution attribution;

    @Mixin
    private Signing signing;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Waiting waiting;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    RollbackCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        String author = attribution.author();
        String reason = attribution.reason();
        signing.checkUsage();
        long waitMillis = waiting.millis();
        PrintWriter err = spec.commandLine().getErr();
        try (Cluster cluster = connection.open(surroundings)) {
            PolicyVersions versions = PolicyVersions.read(cluster, trust.trust());
            Entry wanted = PolicyReference.version(versions, version);
            Entry newest = versions.newest().orElseThrow();
            if (newest.version() == version) {
                throw new CommandFailedException(
                        "version " + version + " is the newest; there is nothing to go back from");
            }
            NextDocument next = NextDocument.of(wanted.document(), versions.nextNumber());
            List<String> afresh =
                    next.beginAfreshWhereNeeded(versions.history().inForce().orElseThrow());
            PolicyDocument document = document(next, author, reason);
            err.println("version " + document.metadata().version() + " has the rules of version " + version
                    + "; against version " + newest.version() + ": "
                    + PolicyDifference.between(Optional.of(newest.document()), document)
                            .summary());
            err.println(
                    afresh.isEmpty()
                            ? "every budget goes on"
                            : "the budgets of these rules begin afresh, because they count by something else now: "
                                    + String.join(", ", afresh));
            return new Publication(
                            cluster,
                            trust.trust(),
                            surroundings,
                            output.value(),
                            spec.commandLine().getOut(),
                            err)
                    .publish(signing.sealed(document), OptionalLong.of(newest.version()), waitMillis);
        }
    }

    private PolicyDocument document(NextDocument next, String author, String reason) throws CommandFailedException {
        try {
            return next.as(author, reason);
        } catch (InvalidPolicyException e) {
            throw new CommandFailedException(e.problems().stream()
                    .map(problem -> "version " + version + " as the next: " + problem)
                    .toList());
        }
    }
}
