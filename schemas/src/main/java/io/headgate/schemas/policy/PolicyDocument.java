package io.headgate.schemas.policy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.PolicyReader;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A policy as people write and exchange it: the rules, and who changed them why. However it was written (YAML or JSON,
 * order of keys, white space), the same document has the same canonical bytes and the same content hash.
 */
public final class PolicyDocument {

    /** The longest document, in bytes, as written and in canonical form: with its envelope it fits into any record. */
    public static final int MAX_BYTES = 512 * 1024;

    /** What a parser has to enforce that reads a document. */
    public static final StreamReadConstraints READ_CONSTRAINTS = StreamReadConstraints.builder()
            .maxDocumentLength(MAX_BYTES)
            .maxStringLength(MAX_BYTES)
            .maxNestingDepth(32)
            .maxNumberLength(100)
            .build();

    /** Reads the documents on a topic. Any strict JSON will do; it need not be canonical. */
    public static final PolicyReader READER = document -> parse(document).policy();

    private final Policy policy;
    private final Metadata metadata;
    private final byte[] canonicalBytes;

    /**
     * Which document it is, and what people said about it.
     *
     * @param name names the policy
     * @param domain the namespace in which versions go up
     * @param version 1 or more
     * @param supersedes the version that the author had before them, if they say
     * @param owner who answers for it; may be empty
     * @param author who published this version; may be empty
     * @param reason why this version; may be empty
     */
    public record Metadata(
            String name,
            String domain,
            long version,
            OptionalLong supersedes,
            String owner,
            String author,
            String reason) {}

    private PolicyDocument(PolicyFormat.Content content, byte[] canonicalBytes) {
        this.policy = content.policy();
        this.metadata = content.metadata();
        this.canonicalBytes = canonicalBytes;
    }

    /**
     * Reads a document in JSON.
     *
     * @throws InvalidPolicyException naming every mistake; of syntax errors the first
     */
    public static PolicyDocument parse(byte[] json) {
        return JsonText.read(json, PolicyDocument::read);
    }

    /**
     * Reads a document from a parser that stands before it and has nothing else.
     *
     * @throws InvalidPolicyException naming every mistake
     * @throws IOException if the parser can find no document there
     */
    public static PolicyDocument read(JsonParser parser) throws IOException {
        Problems problems = new Problems();
        return read(StrictTree.read(parser, problems), problems);
    }

    /**
     * Reads a document whose author is at hand to correct it: the time zones that it names have to exist, too.
     *
     * @throws InvalidPolicyException naming every mistake
     * @throws IOException if the parser can find no document there
     */
    public static PolicyDocument readAuthored(JsonParser parser) throws IOException {
        Problems problems = new Problems();
        JsonNode tree = StrictTree.read(parser, problems);
        problems.addAll(ZoneNames.unknownInPolicy(tree));
        return read(tree, problems);
    }

    /**
     * Reads a document that is a tree already.
     *
     * @throws InvalidPolicyException naming every mistake
     */
    public static PolicyDocument of(JsonNode tree) {
        return read(tree, new Problems());
    }

    private static PolicyDocument read(JsonNode tree, Problems problems) {
        Optional<PolicyFormat.Content> content =
                Section.root(tree, problems).flatMap(root -> PolicyFormat.read(root, problems));
        problems.throwIfAny();
        byte[] canonicalBytes = CanonicalJson.bytes(PolicyFormat.withDefaultsWritten(tree));
        if (canonicalBytes.length > MAX_BYTES) {
            throw JsonText.invalid(
                    "has " + canonicalBytes.length + " bytes as canonical JSON; at most " + MAX_BYTES + " are allowed");
        }
        return new PolicyDocument(content.orElseThrow(), canonicalBytes);
    }

    /**
     * The same document as another version.
     *
     * @param version its number
     * @param author who publishes it
     * @param reason why
     * @throws InvalidPolicyException if one of them is not what the format allows
     */
    public PolicyDocument as(long version, String author, String reason) {
        ObjectNode tree = tree();
        tree.withObjectProperty("metadata")
                .put("version", version)
                .put("author", author)
                .put("reason", reason)
                .remove("supersedes");
        return of(tree);
    }

    /** The document as a tree of its own, with the defaults that are written out. */
    public ObjectNode tree() {
        Problems none = new Problems();
        try (JsonParser parser = new JsonFactory().createParser(canonicalBytes)) {
            return (ObjectNode) StrictTree.read(parser, none);
        } catch (IOException e) {
            throw new IllegalStateException("a document that was read can be read again", e);
        }
    }

    public Policy policy() {
        return policy;
    }

    public Metadata metadata() {
        return metadata;
    }

    /** The document in canonical JSON (RFC 8785), UTF-8, with the numbers it left to a default written out. */
    public byte[] canonicalBytes() {
        return canonicalBytes.clone();
    }

    /** The SHA-256 of the canonical bytes, in lower-case hexadecimal. */
    public String contentHash() {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(canonicalBytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
