package io.headgate.schemas;

import io.headgate.schemas.wire.PolicySnapshot;
import java.nio.charset.StandardCharsets;

/**
 * One version of a policy as it stands on {@code policies}.
 *
 * @param domain names the policy's domain
 * @param version its version
 * @param contentHash SHA-256 of the document, lower-case hex
 * @param author who published it
 * @param reason why
 * @param document canonical JSON
 */
public record PolicyRecord(
        String domain, long version, String contentHash, String author, String reason, String document) {

    private static final WireFormat<PolicySnapshot> FORMAT = new WireFormat<>(PolicySnapshot.class);

    /** The record's key: one for each content, so that compaction keeps all. */
    public byte[] key() {
        return (domain + "/" + version + "/" + contentHash).getBytes(StandardCharsets.UTF_8);
    }

    public byte[] toBytes() {
        return FORMAT.encode(new PolicySnapshot(domain, version, contentHash, author, reason, document, null));
    }

    /**
     * Reads a record of {@code policies}.
     *
     * @throws UnreadableRecordException if there is no policy in the bytes
     */
    public static PolicyRecord fromBytes(byte[] bytes) {
        PolicySnapshot snapshot = FORMAT.decode(bytes);
        return new PolicyRecord(
                snapshot.getDomain(),
                snapshot.getVersion(),
                snapshot.getContentHash(),
                snapshot.getAuthor(),
                snapshot.getReason(),
                snapshot.getDocument());
    }
}
