package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Connection;
import io.headgate.tools.Headgate;
import io.headgate.tools.Output;
import io.headgate.tools.OutputOption;
import io.headgate.tools.PolicyVersions;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustOption;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy diff}. */
@Command(
        name = "diff",
        description = {
            "What one policy says otherwise than another, field by field. Each is a version on the topic, by its number, or"
                    + " a file; for two files no cluster is asked."
        },
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {
            "0:nothing",
            "1:one of them is not there or has mistakes, or the cluster refuses or does not answer",
            "2:wrong usage",
            "5:something; stdout says what"
        })
final class DiffCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "A", description = "a version or a file")
    private String before;

    @Parameters(index = "1", paramLabel = "B", description = "a version or a file")
    private String after;

    @Mixin
    private TrustOption trust;

    @Mixin
    private Connection connection;

    @Mixin
    private OutputOption output;

    DiffCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        PolicyDocument one = resolve(before);
        PolicyDocument other = resolve(after);
        PolicyDifference difference = PolicyDifference.between(Optional.of(one), other);
        if (output.value() == Output.json) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("from", before).put("to", after).put("differs", !difference.isEmpty());
            json.set("changes", difference.json());
            spec.commandLine().getOut().println(json.toPrettyString());
        } else {
            difference.lines().forEach(spec.commandLine().getOut()::println);
        }
        return difference.isEmpty() ? Headgate.OK : PolicyCommand.DIFFERS;
    }

    private PolicyDocument resolve(String text) throws CommandFailedException {
        return new PolicyReference(text).resolve(() -> {
            try (Cluster cluster = connection.open(surroundings)) {
                return PolicyVersions.read(cluster, trust.trust());
            }
        });
    }
}
