package io.headgate.tools;

import io.headgate.schemas.PolicyTrust;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Whom the readers of the topic believe. */
public final class TrustOption {

    @Option(
            names = "--trusted-keys",
            paramLabel = "FILE",
            description = "the keys that readers trust; if it is left out, every version is believed")
    private Path trustedKeys;

    /** What readers are taken to believe. */
    public PolicyTrust trust() throws CommandFailedException {
        try {
            return trustedKeys == null ? PolicyTrust.ANYBODY : TrustedKeysFile.read(trustedKeys);
        } catch (PolicyFileException e) {
            throw new CommandFailedException(e.getMessage().lines().toList());
        }
    }
}
