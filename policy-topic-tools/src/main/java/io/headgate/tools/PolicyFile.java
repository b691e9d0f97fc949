package io.headgate.tools;

import com.fasterxml.jackson.core.JsonParser;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.policy.ZoneNames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * A policy in a file, YAML or JSON. Somebody is there to correct it, so the time zones that it names have to be ones that
 * this platform knows.
 */
public final class PolicyFile {

    private static final String NORTHSTAR = "northstar.policy.yaml";

    private static final DocumentFile.Reader<PolicyDocument> READER = new DocumentFile.Reader<>() {
        @Override
        public PolicyDocument parse(byte[] json) {
            return PolicyDocument.parse(json);
        }

        @Override
        public PolicyDocument read(JsonParser parser) throws IOException {
            return PolicyDocument.read(parser);
        }
    };

    private PolicyFile() {}

    /** Reads a file. */
    public static PolicyDocument read(Path file) throws PolicyFileException {
        return checked(file.toString(), DocumentFile.read(file, READER));
    }

    /** Reads the content of a file called {@code name}. */
    public static PolicyDocument read(String name, byte[] content) throws PolicyFileException {
        return checked(name, DocumentFile.read(name, content, READER));
    }

    /** The example that comes with the program: the policy of the Northstar API. */
    public static PolicyDocument northstar() {
        try (InputStream in = PolicyFile.class.getResourceAsStream(NORTHSTAR)) {
            return read(NORTHSTAR, in.readAllBytes());
        } catch (IOException | PolicyFileException e) {
            throw new IllegalStateException("the example in this program cannot be read", e);
        }
    }

    private static PolicyDocument checked(String name, PolicyDocument document) throws PolicyFileException {
        List<Problem> unknownZones = ZoneNames.unknown(document.policy());
        if (!unknownZones.isEmpty()) {
            throw new PolicyFileException(name, unknownZones);
        }
        return document;
    }
}
