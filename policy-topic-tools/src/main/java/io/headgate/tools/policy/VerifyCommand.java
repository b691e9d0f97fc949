package io.headgate.tools.policy;

import io.headgate.core.policy.InForce;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.policy.SealedPolicy;
import io.headgate.schemas.trust.TrustedKeys;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.Headgate;
import io.headgate.tools.PolicyFileException;
import io.headgate.tools.Surroundings;
import io.headgate.tools.TrustedKeysFile;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headgate policy verify}. */
@Command(
        name = "verify",
        description =
                "Says whether readers with these trusted keys would believe a sealed policy, if it were published now.",
        exitCodeListHeading = PolicyCommand.EXIT_CODES,
        exitCodeList = {"0:they would", "1:they would not, or a file cannot be used; stderr says why", "2:wrong usage"})
final class VerifyCommand implements Callable<Integer> {

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SEALED", description = "a policy that 'policy sign' has sealed")
    private Path file;

    @Option(names = "--trusted-keys", paramLabel = "FILE", required = true, description = "the keys that readers trust")
    private Path trustedKeys;

    @Option(
            names = "--against",
            paramLabel = "FILE",
            description = "the version that it would follow, which decides how much the keys must be allowed;"
                    + " as the first version of all if left out")
    private Path against;

    VerifyCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws CommandFailedException {
        try {
            TrustedKeys trust = TrustedKeysFile.read(trustedKeys);
            SealedPolicy sealed = PolicyText.read(file);
            Optional<InForce> before = against == null
                    ? Optional.empty()
                    : Optional.of(
                            InForce.only(PolicyText.read(against).document().policy()));
            PolicyRecord record = PolicyRecord.of(sealed.document(), sealed.signatures());
            Optional<String> refusal = trust.refusal(record, sealed.document(), before, surroundings.nowMillis());
            if (refusal.isPresent()) {
                throw new CommandFailedException(file + " would not be believed: " + refusal.get());
            }
            spec.commandLine()
                    .getOut()
                    .println("version " + record.version() + " of " + record.domain() + " would be believed");
            return Headgate.OK;
        } catch (PolicyFileException unusable) {
            throw new CommandFailedException(unusable.getMessage().lines().toList());
        }
    }
}
