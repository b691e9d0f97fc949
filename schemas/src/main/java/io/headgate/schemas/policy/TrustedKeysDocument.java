package io.headgate.schemas.policy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.schemas.trust.Permission;
import io.headgate.schemas.trust.TrustedKey;
import io.headgate.schemas.trust.TrustedKeys;
import java.io.IOException;
import java.security.PublicKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Trusted keys as people write them, headgate.io/v1 of kind TrustedKeys: {@code docs/trust.md}. */
public final class TrustedKeysDocument {

    private static final String KIND = "TrustedKeys";
    private static final String KEYS = "keys";
    private static final int LONGEST_OWNER = 256;
    private static final String KEY_SHAPE = "a public key of Ed25519 (X.509 SubjectPublicKeyInfo) in base 64";
    private static final Map<String, Permission> PERMISSIONS = Labels.of(Permission.values(), Permission::label);
    private static final String PERMISSION_SHAPE = "one of " + PERMISSIONS.keySet();

    private final Problems problems;

    private TrustedKeysDocument(Problems problems) {
        this.problems = problems;
    }

    /**
     * Reads a document in JSON.
     *
     * @throws InvalidPolicyException naming every mistake; of syntax errors the first
     */
    public static TrustedKeys parse(byte[] json) {
        return JsonText.read(json, TrustedKeysDocument::read);
    }

    /**
     * Reads a document from a parser that stands before it and has nothing else.
     *
     * @throws InvalidPolicyException naming every mistake
     * @throws IOException if the parser can find no document there
     */
    public static TrustedKeys read(JsonParser parser) throws IOException {
        Problems problems = new Problems();
        JsonNode tree = StrictTree.read(parser, problems);
        List<TrustedKey> keys = Section.root(tree, problems)
                .map(new TrustedKeysDocument(problems)::readAll)
                .orElse(List.of());
        problems.throwIfAny();
        try {
            return new TrustedKeys(keys);
        } catch (IllegalArgumentException refused) {
            problems.addRefused("", refused);
            problems.throwIfAny();
            throw refused;
        }
    }

    /** The document of these keys. */
    public static ObjectNode written(TrustedKeys keys) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("apiVersion", PolicyFormat.API_VERSION).put("kind", KIND);
        keys.keys().forEach(key -> document.withArrayProperty(KEYS).add(written(key)));
        return document;
    }

    /** One key; what it leaves to a default is left out. */
    public static ObjectNode written(TrustedKey key) {
        ObjectNode entry = JsonNodeFactory.instance.objectNode();
        entry.put("id", key.id()).put("publicKey", key.publicText());
        if (!key.owner().isEmpty()) {
            entry.put("owner", key.owner());
        }
        key.may().forEach(permission -> entry.withArrayProperty("may").add(permission.label()));
        key.domains().forEach(domain -> entry.withArrayProperty("domains").add(domain));
        key.plans().forEach(plan -> entry.withArrayProperty("plans").add(plan));
        if (key.untilMillis() != TrustedKey.FOR_EVER) {
            entry.put("until", Instant.ofEpochMilli(key.untilMillis()).toString());
        }
        return entry;
    }

    private List<TrustedKey> readAll(Section document) {
        document.requiredChoice("apiVersion", Labels.of(List.of(PolicyFormat.API_VERSION)), Map.of());
        document.requiredChoice("kind", Labels.of(List.of(KIND)), Map.of());
        List<TrustedKey> keys = new ArrayList<>();
        document.require(KEYS, "a list")
                .sections(KEYS)
                .ifPresent(sections -> sections.stream()
                        .flatMap(Optional::stream)
                        .forEach(section -> readKey(section).ifPresent(keys::add)));
        document.close();
        return keys;
    }

    private Optional<TrustedKey> readKey(Section section) {
        Optional<String> id = section.requiredName("id");
        Optional<PublicKey> publicKey = section.require("publicKey", KEY_SHAPE)
                .shapedText("publicKey", KEY_SHAPE, text -> publicKey(text).isPresent())
                .flatMap(TrustedKeysDocument::publicKey);
        String owner = section.text("owner", LONGEST_OWNER).orElse("");
        Set<Permission> may = EnumSet.noneOf(Permission.class);
        section.require("may", "a list")
                .texts("may", PERMISSION_SHAPE, PERMISSIONS::containsKey)
                .ifPresent(texts -> texts.forEach(text -> may.add(PERMISSIONS.get(text))));
        List<String> domains = names(section, "domains");
        List<String> plans = names(section, "plans");
        long untilMillis = section.instantMillis("until").orElse(TrustedKey.FOR_EVER);
        section.close();
        if (id.isEmpty() || publicKey.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new TrustedKey(
                    id.get(), publicKey.get(), owner, new TreeSet<>(domains), may, new TreeSet<>(plans), untilMillis));
        } catch (IllegalArgumentException refused) {
            problems.addRefused(section.place(), refused);
            return Optional.empty();
        }
    }

    /** An empty list would say that nothing is allowed, and be taken for a missing one, that everything is. */
    private List<String> names(Section section, String field) {
        List<String> names = section.names(field).orElse(List.of());
        if (section.has(field) && names.isEmpty()) {
            problems.add(section.place(field), "names none; leave it out for all of them");
        }
        return names;
    }

    private static Optional<PublicKey> publicKey(String text) {
        try {
            return Optional.of(TrustedKey.publicKey(text));
        } catch (IllegalArgumentException notOne) {
            return Optional.empty();
        }
    }
}
