package io.headgate.tools.policy;

import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.SealedPolicy;
import io.headgate.schemas.trust.SigningKey;
import io.headgate.tools.CommandFailedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Who signs what is published. */
final class Signing {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--key", paramLabel = "FILE", description = "a private key to sign with; may be given twice")
    private List<Path> keys = new ArrayList<>();

    @Option(names = "--unsigned", description = "publishes without a signature; readers of a development cluster only")
    private boolean unsigned;

    /** Refuses what is neither signed nor said to be unsigned. */
    void checkUsage() {
        if (keys.isEmpty() && !unsigned) {
            throw new ParameterException(
                    spec.commandLine(),
                    "nobody signs; give --key FILE or, for a development cluster, --unsigned, or publish a sealed policy");
        }
        if (!keys.isEmpty() && unsigned) {
            throw new ParameterException(spec.commandLine(), "--key and --unsigned contradict each other");
        }
    }

    /** Whether there is anything to sign with, or it is said that nobody does. */
    boolean isGiven() {
        return !keys.isEmpty() || unsigned;
    }

    /** The document, signed by every key. */
    SealedPolicy sealed(PolicyDocument document) throws CommandFailedException {
        SealedPolicy sealed = new SealedPolicy(document, List.of());
        for (Path file : keys) {
            try {
                sealed = sealed.with(SigningKey.read(file).sign(document));
            } catch (IllegalArgumentException e) {
                throw new CommandFailedException(e.getMessage());
            }
        }
        return sealed;
    }
}
