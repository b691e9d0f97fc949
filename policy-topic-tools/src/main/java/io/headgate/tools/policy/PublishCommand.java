package io.headgate.tools.policy;

import io.headgate.core.account.Action;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.SealedPolicy;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustOption;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy publish}. */
@Command(
        name = "publish",
        description = {
            "Publishes the next version of the policy, and waits until every shard and every gateway has taken it over.",
            "Refuses if somebody else published meanwhile: of several at once, one does. A version that waits for its"
                    + " time counts as taken over."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {
            "0:published, or there already, and taken over by all",
            "1:refused by a check or by the cluster; stderr says why",
            "2:wrong usage",
            "3:published, and not taken over by all in time; stderr says by whom not, and why",
            "4:not published, because somebody else published meanwhile"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  headgate policy publish my.policy.yaml --key me.pem --author ann --reason 'spring sale' \\",
            "    --bootstrap-servers kafka:9092",
            "  headgate policy publish my.sealed.json --bootstrap-servers kafka:9092",
            "  headgate policy publish my.policy.yaml --next --base 41 --unsigned …"
        })
final class PublishCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "a policy, YAML or JSON, or one that 'policy sign' has sealed")
    private Path file;

    @Option(names = "--author", paramLabel = "NAME", description = "who publishes it; may stand in the file instead")
    private String author;

    @Option(names = "--reason", paramLabel = "TEXT", description = "why; may stand in the file instead")
    private String reason;

    @Option(
            names = "--base",
            paramLabel = "VERSION",
            description =
                    "the version that it builds on: refused unless that is still the newest. metadata.supersedes says"
                            + " the same")
    private Long base;

    @Option(names = "--next", description = "makes it the version after the newest, whatever number the file has")
    private boolean next;

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

    PublishCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        long waitMillis = waiting.millis();
        SealedPolicy given = PolicyText.read(file);
        boolean sealed = !given.signatures().isEmpty();
        if (sealed) {
            refuseChanges();
        } else {
            signing.checkUsage();
        }
        OptionalLong builtOn = base == null ? given.document().metadata().supersedes() : OptionalLong.of(base);
        try (Cluster cluster = connection.open(surroundings)) {
            SealedPolicy policy = sealed ? given : signing.sealed(attributed(given.document(), cluster));
            return new Publication(
                            cluster,
                            trust.trust(),
                            surroundings,
                            output.value(),
                            spec.commandLine().getOut(),
                            spec.commandLine().getErr())
                    .publish(policy, builtOn, waitMillis);
        }
    }

    private void refuseChanges() {
        if (author != null || reason != null || next || signing.isGiven()) {
            throw new ParameterException(
                    spec.commandLine(),
                    file + " is sealed, and what is signed cannot be changed: leave out --author, --reason, --next,"
                            + " --key and --unsigned");
        }
    }

    private PolicyDocument attributed(PolicyDocument document, Cluster cluster) throws CommandFailedException {
        long version = next
                ? PolicyVersions.read(cluster, trust.trust()).nextNumber()
                : document.metadata().version();
        String by =
                given("--author", "metadata.author", author, document.metadata().author());
        String why =
                given("--reason", "metadata.reason", reason, document.metadata().reason());
        try {
            return document.as(version, by, why);
        } catch (InvalidPolicyException e) {
            throw new CommandFailedException(
                    e.problems().stream().map(problem -> file + ": " + problem).toList());
        }
    }

    private String given(String option, String field, String fromOption, String fromFile) {
        String text = fromOption == null ? fromFile : fromOption;
        if (text.isBlank() || text.length() > Action.MAX_TEXT) {
            throw new ParameterException(
                    spec.commandLine(),
                    fromOption == null && fromFile.isEmpty()
                            ? "Missing required option: '" + option + "', unless the file has " + field
                            : "Invalid value for " + option + ": it has " + text.length()
                                    + " characters; it must have 1 to " + Action.MAX_TEXT + ", not all blank");
        }
        return text;
    }
}
