package io.headgate.schemas.trust;

import io.headgate.schemas.policy.PolicyDocument;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a signature is over: a line that says what is signed, so that a signature of one thing is none of another, and
 * then the thing itself, byte by byte. {@code docs/wire.md} has it for other languages.
 */
public final class SignedBytes {

    private static final String POLICY = "headgate.io/v1 PolicySnapshot\n";

    private SignedBytes() {}

    /** Of a policy: its canonical bytes, which name its version, author and reason. */
    public static byte[] policy(PolicyDocument document) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(POLICY.getBytes(StandardCharsets.UTF_8));
        out.writeBytes(document.canonicalBytes());
        return out.toByteArray();
    }
}
