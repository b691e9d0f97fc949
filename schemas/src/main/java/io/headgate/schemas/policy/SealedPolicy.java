package io.headgate.schemas.policy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.Signature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A policy and who has signed it, as a file that goes from the one who signs to the one who publishes: headgate.io/v1 of
 * kind SealedPolicy. The document may stand there in any order and spacing; what is signed is its canonical form.
 *
 * @param document the policy, with the author and the reason of its publication
 * @param signatures at most {@value #MAX_SIGNATURES}, one a key
 */
public record SealedPolicy(PolicyDocument document, List<Signature> signatures) {

    /** The most signatures of one document. */
    public static final int MAX_SIGNATURES = 16;

    private static final String KIND = "SealedPolicy";
    private static final String KIND_FIELD = "kind";
    private static final String DOCUMENT = "document";
    private static final String SIGNATURES = "signatures";
    private static final int ED25519_BYTES = 64;

    public SealedPolicy {
        signatures = List.copyOf(signatures);
        if (signatures.size() > MAX_SIGNATURES) {
            throw new IllegalArgumentException(
                    "signatures has " + signatures.size() + "; at most " + MAX_SIGNATURES + " are allowed");
        }
        if (signatures.stream().map(Signature::keyId).distinct().count() < signatures.size()) {
            throw new IllegalArgumentException("signatures has two of one key; a key signs once");
        }
    }

    /** The same document with another signature; one of the same key is replaced. */
    public SealedPolicy with(Signature signature) {
        List<Signature> all = new ArrayList<>(signatures);
        all.removeIf(other -> other.keyId().equals(signature.keyId()));
        all.add(signature);
        return new SealedPolicy(document, all);
    }

    /** Whether a file is meant as one of these; what else is wrong with it is not looked at. A policy in YAML is none. */
    public static boolean isOne(byte[] file) {
        try {
            JsonNode tree = JsonText.read(file, parser -> StrictTree.read(parser, new Problems()));
            return KIND.equals(tree.path(KIND_FIELD).textValue());
        } catch (InvalidPolicyException notJson) {
            return false;
        }
    }

    /**
     * Reads one in JSON.
     *
     * @throws InvalidPolicyException naming every mistake; of syntax errors the first
     */
    public static SealedPolicy parse(byte[] json) {
        return JsonText.read(json, SealedPolicy::read);
    }

    /**
     * Reads one from a parser that stands before it and has nothing else.
     *
     * @throws InvalidPolicyException naming every mistake
     * @throws IOException if the parser can find no document there
     */
    public static SealedPolicy read(JsonParser parser) throws IOException {
        Problems problems = new Problems();
        JsonNode tree = StrictTree.read(parser, problems);
        Optional<List<Signature>> signatures = Section.root(tree, problems).map(SealedPolicy::readSignatures);
        problems.throwIfAny();
        PolicyDocument document = PolicyDocument.of(tree.get(DOCUMENT));
        try {
            return new SealedPolicy(document, signatures.orElseThrow());
        } catch (IllegalArgumentException refused) {
            problems.addRefused("", refused);
            problems.throwIfAny();
            throw refused;
        }
    }

    private static List<Signature> readSignatures(Section root) {
        root.requiredChoice("apiVersion", Map.of(PolicyFormat.API_VERSION, PolicyFormat.API_VERSION), Map.of());
        root.requiredChoice(KIND_FIELD, Map.of(KIND, KIND), Map.of());
        root.requiredSection(DOCUMENT);
        List<Signature> signatures = new ArrayList<>();
        root.require(SIGNATURES, "a list")
                .sections(SIGNATURES)
                .ifPresent(sections -> sections.stream()
                        .flatMap(Optional::stream)
                        .forEach(section -> {
                            Optional<String> keyId = section.requiredName("key");
                            Optional<byte[]> ed25519 = ed25519(section);
                            section.close();
                            if (keyId.isPresent() && ed25519.isPresent()) {
                                signatures.add(new Signature(keyId.get(), ed25519.get()));
                            }
                        }));
        root.close();
        return signatures;
    }

    private static Optional<byte[]> ed25519(Section section) {
        String shape = ED25519_BYTES + " bytes in base 64";
        return section.require("ed25519", shape)
                .shapedText(
                        "ed25519",
                        shape,
                        text -> Base64Text.bytes(text)
                                .filter(bytes -> bytes.length == ED25519_BYTES)
                                .isPresent())
                .flatMap(Base64Text::bytes);
    }

    /**
     * The file: JSON for people, or, where that would be longer than a file may be, on one line.
     *
     * @throws IllegalArgumentException if it is longer even so
     */
    public byte[] toBytes() {
        ObjectNode file = JsonNodeFactory.instance.objectNode();
        file.put("apiVersion", PolicyFormat.API_VERSION).put(KIND_FIELD, KIND);
        file.set(DOCUMENT, document.tree());
        ArrayNode written = file.putArray(SIGNATURES);
        signatures.forEach(one -> written.addObject()
                .put("key", one.keyId())
                .put("ed25519", Base64.getEncoder().encodeToString(one.ed25519())));
        byte[] readable = (file.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8);
        if (readable.length <= PolicyDocument.MAX_BYTES) {
            return readable;
        }
        byte[] compact = CanonicalJson.bytes(file);
        if (compact.length > PolicyDocument.MAX_BYTES) {
            throw new IllegalArgumentException("sealed policy has " + compact.length + " bytes; at most "
                    + PolicyDocument.MAX_BYTES + " are allowed");
        }
        return compact;
    }
}
