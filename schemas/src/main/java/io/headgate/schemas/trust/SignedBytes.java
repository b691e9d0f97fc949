package io.headgate.schemas.trust;

import io.headgate.schemas.policy.PolicyDocument;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a signature is over: a line that says what is signed, so that a signature of one thing is none of another, and
 * then the thing itself, byte by byte. {@code docs/wire.md} has it for other languages.
 */
public final class SignedBytes {

    private static final String POLICY = "headgate.io/v1 PolicySnapshot\n";
    private static final String RECORD = "headgate.io/v1 Record ";

    private SignedBytes() {}

    /** Of a policy: its canonical bytes, which name its version, author and reason. */
    public static byte[] policy(PolicyDocument document) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(POLICY.getBytes(StandardCharsets.UTF_8));
        out.writeBytes(document.canonicalBytes());
        return out.toByteArray();
    }

    /** Of a record on another topic: the topic in the first line, the length of the key in 4 bytes, key and value. */
    public static byte[] record(String topic, byte[] key, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes((RECORD + topic + "\n").getBytes(StandardCharsets.UTF_8));
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(key.length).array());
        out.writeBytes(key);
        out.writeBytes(value);
        return out.toByteArray();
    }
}
