package io.headgate.tools;

import io.headgate.schemas.policy.PolicyDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * A policy in a file, YAML or JSON. Somebody is there to correct it, so the time zones that it names have to be ones that
 * this platform knows.
 */
public final class PolicyFile {

    private static final String NORTHSTAR = "northstar.policy.yaml";

    private PolicyFile() {}

    /** Reads a file. */
    public static PolicyDocument read(Path file) throws PolicyFileException {
        return located(file).document();
    }

    /** Reads a file, and where in it everything stands. */
    public static Located<PolicyDocument> located(Path file) throws PolicyFileException {
        return DocumentFile.read(file, PolicyDocument::readAuthored);
    }

    /** Reads the content of a file called {@code name}. */
    public static PolicyDocument read(String name, byte[] content) throws PolicyFileException {
        return DocumentFile.read(name, content, PolicyDocument::readAuthored).document();
    }

    /** The example that comes with the program: the policy of the Northstar API. */
    public static PolicyDocument northstar() {
        try (InputStream in = PolicyFile.class.getResourceAsStream(NORTHSTAR)) {
            return read(NORTHSTAR, in.readAllBytes());
        } catch (IOException | PolicyFileException e) {
            throw new IllegalStateException("the example in this program cannot be read", e);
        }
    }
}
