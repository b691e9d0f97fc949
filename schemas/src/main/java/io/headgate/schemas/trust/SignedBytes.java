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

    private static final String RECORD = "headgate.io/v1 record of ";

    private SignedBytes() {}

    /** Of a policy: its canonical bytes, which name its version, author and reason. */
    public static byte[] policy(PolicyDocument document) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(POLICY.getBytes(StandardCharsets.UTF_8));
        out.writeBytes(document.canonicalBytes());
        return out.toByteArray();
    }

    /**
     * Of a record: the topic stands in the line, and then come the issue time in ms of the epoch as 8 bytes, the length of
     * the key as 4, the key, and the value after a byte that is 1, or a byte 0 if there is none; numbers are big-endian.
     */
    static byte[] record(SignedRecord record) {
        byte[] line = (RECORD + record.topic() + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] key = record.key();
        byte[] value = record.value().orElse(new byte[0]);
        ByteBuffer out = ByteBuffer.allocate(line.length + Long.BYTES + Integer.BYTES + key.length + 1 + value.length);
        out.put(line).putLong(record.issuedAtMillis()).putInt(key.length).put(key);
        out.put((byte) (record.value().isPresent() ? 1 : 0)).put(value);
        return out.array();
    }
}
