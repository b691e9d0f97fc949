package io.headgate.tools.policy;

import io.headgate.core.policy.Rule;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.FileProblem;
import io.headgate.tools.Headgate;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.PolicyVersions.Entry;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy promote}. */
@Command(
        name = "promote",
        description = {
            "Writes the next version of the policy, in which a rule that was in shadow is enforced.",
            "Publishes nothing: plan it, sign it and publish it as any other."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {
            "0:written",
            "1:there is no such rule or it is not in shadow, the file is there already, or the cluster refuses or does not"
                    + " answer",
            "2:wrong usage"
        })
final class PromoteCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "RULE", description = "the id of a rule of the newest version")
    private String ruleId;

    @Option(names = "--out", paramLabel = "FILE", description = "a new file; stdout if left out")
    private Path file;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Connection connection;

    PromoteCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        Entry newest;
        try (Cluster cluster = connection.open(surroundings)) {
            newest = PolicyVersions.read(cluster, trust.trust())
                    .newest()
                    .orElseThrow(() -> new CommandFailedException("there is no version on the topic"));
        }
        PolicyDocument document = newest.document();
        check(document, newest.version());
        NextDocument next = NextDocument.of(document, newest.version() + 1);
        next.enforce(ruleId);
        next.supersede(newest.version());
        write(PolicyYaml.of(next.tree()));
        PrintWriter err = spec.commandLine().getErr();
        err.println("version " + (newest.version() + 1) + ", not published yet, enforces rule " + ruleId
                + (file == null ? "" : ": " + file));
        if (!document.policy().activation().isWhole()) {
            err.println("version " + newest.version()
                    + " is for some; this one is for everybody, unless you write a rollout into it");
        }
        return Headgate.OK;
    }

    private void check(PolicyDocument document, long version) throws CommandFailedException {
        List<String> inShadow = document.policy().rules().stream()
                .filter(Rule::shadow)
                .map(Rule::id)
                .toList();
        if (!inShadow.contains(ruleId)) {
            throw new CommandFailedException("rule " + ruleId + " "
                    + (document.policy().rule(ruleId).isPresent() ? "is not in shadow" : "is not there")
                    + " in version " + version + "; in shadow are " + inShadow);
        }
    }

    private void write(String yaml) throws CommandFailedException {
        if (file == null) {
            spec.commandLine().getOut().print(yaml);
            spec.commandLine().getOut().flush();
            return;
        }
        try {
            Files.writeString(file, yaml, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException e) {
            throw new CommandFailedException(file + " is there already; name one that is not");
        } catch (IOException e) {
            throw new CommandFailedException(file + " cannot be written: " + FileProblem.of(e));
        }
    }
}
