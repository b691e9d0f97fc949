package io.headgate.schemas;

import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.schemas.wire.PolicySnapshot;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One version of a policy as it stands on {@code policies}. All but the signatures repeats what the document says.
 *
 * @param domain names the policy's domain
 * @param version its version
 * @param contentHash SHA-256 of the document, lower-case hex
 * @param author who published it
 * @param reason why
 * @param document canonical JSON
 * @param signatures over the document; none is accepted in development only
 */
public record PolicyRecord(
        String domain,
        long version,
        String contentHash,
        String author,
        String reason,
        String document,
        List<Signature> signatures) {

    private static final WireFormat<PolicySnapshot> FORMAT = new WireFormat<>(PolicySnapshot.class);

    public PolicyRecord {
        signatures = List.copyOf(signatures);
    }

    /** The record of a document. */
    public static PolicyRecord of(PolicyDocument document, List<Signature> signatures) {
        PolicyDocument.Metadata metadata = document.metadata();
        return new PolicyRecord(
                metadata.domain(),
                metadata.version(),
                document.contentHash(),
                metadata.author(),
                metadata.reason(),
                new String(document.canonicalBytes(), StandardCharsets.UTF_8),
                signatures);
    }

    /** The record's key: one for each content, so that none replaces another. */
    public byte[] key() {
        return (domain + "/" + version + "/" + contentHash).getBytes(StandardCharsets.UTF_8);
    }

    public byte[] toBytes() {
        List<io.headgate.schemas.wire.Signature> written = signatures.stream()
                .map(one -> new io.headgate.schemas.wire.Signature(one.keyId(), ByteBuffer.wrap(one.ed25519())))
                .toList();
        return FORMAT.encode(new PolicySnapshot(domain, version, contentHash, author, reason, document, written));
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
                snapshot.getDocument(),
                snapshot.getSignatures().stream().map(PolicyRecord::signature).toList());
    }

    private static Signature signature(io.headgate.schemas.wire.Signature read) {
        byte[] ed25519 = new byte[read.getEd25519().remaining()];
        read.getEd25519().duplicate().get(ed25519);
        return new Signature(read.getKeyId(), ed25519);
    }
}
