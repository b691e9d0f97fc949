package io.headgate.tools;

import io.headgate.schemas.policy.TrustedKeysDocument;
import io.headgate.schemas.trust.TrustedKeys;
import java.nio.file.Path;

/** Trusted keys in a file, YAML or JSON. Processors and gateways read JSON alone. */
public final class TrustedKeysFile {

    private TrustedKeysFile() {}

    /** Reads a file. */
    public static TrustedKeys read(Path file) throws PolicyFileException {
        return DocumentFile.read(file, TrustedKeysDocument::read).document();
    }
}
