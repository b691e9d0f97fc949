package io.headgate.tools.policy;

import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.SealedPolicy;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.FileProblem;
import io.headgate.tools.PolicyFile;
import io.headgate.tools.PolicyFileException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A policy in a file that may be published: as its author wrote it, or sealed with signatures. */
final class PolicyText {

    private PolicyText() {}

    /**
     * Reads a file. What is not sealed has no signatures.
     *
     * @throws CommandFailedException naming every mistake
     */
    static SealedPolicy read(Path file) throws CommandFailedException {
        byte[] content = content(file);
        try {
            return SealedPolicy.isOne(content)
                    ? SealedPolicy.parse(content)
                    : new SealedPolicy(PolicyFile.read(file.toString(), content), List.of());
        } catch (PolicyFileException e) {
            throw new CommandFailedException(e.getMessage().lines().toList());
        } catch (InvalidPolicyException e) {
            throw new CommandFailedException(
                    e.problems().stream().map(problem -> file + ": " + problem).toList());
        }
    }

    private static byte[] content(Path file) throws CommandFailedException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(PolicyDocument.MAX_BYTES + 1);
        } catch (IOException e) {
            throw new CommandFailedException(file + ": cannot be read: " + FileProblem.of(e));
        }
    }
}
