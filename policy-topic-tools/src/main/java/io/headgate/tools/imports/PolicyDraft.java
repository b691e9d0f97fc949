package io.headgate.tools.imports;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.RateLimitDescriptor;
import io.headgate.tools.CommandFailedException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A policy document while it is written: route groups and rules of stage tenant. */
final class PolicyDraft {

    /** The longest path that a document's route may have. */
    static final int LONGEST_PATH = 1_024;

    private static final int LONGEST_NAME = 64;
    private static final int DIGEST_DIGITS = 8;
    private static final int LONGEST_REASON = 1_024;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final ObjectNode routes = NODES.objectNode();
    private final ArrayNode rules = NODES.arrayNode();
    private final Set<String> ids = new HashSet<>();

    /** An algorithm and its limit, as a rule has them. */
    record Limit(String algorithm, ObjectNode fields) {

        static final Limit NONE = new Limit("unlimited", NODES.objectNode());

        /** So many in each window of this length, laid end to end from the epoch. */
        static Limit window(long requests, String per) {
            return new Limit(
                    "fixed-window",
                    NODES.objectNode().put("requests", requests).put("per", per).put("align", "epoch"));
        }

        /** So many at once, and as many again in this time. */
        static Limit bucket(long requests, String per) {
            ObjectNode fields = NODES.objectNode().put("capacity", requests);
            fields.putObject("refill").put("tokens", requests).put("per", per);
            return new Limit("token-bucket", fields);
        }
    }

    /** An id that no rule has: the label if it is a name, else what a name can show of it and a part of its SHA-256. */
    String idOf(String label) {
        String cleaned = label.replaceAll("[^A-Za-z0-9._-]", "-");
        boolean isName = cleaned.equals(label) && label.length() <= LONGEST_NAME && !label.startsWith(Rule.RESERVED);
        String id = isName && !label.isEmpty() ? label : shortened(cleaned, label);
        for (int n = 2; !ids.add(id); n++) {
            id = shortened(cleaned, label + "\n" + n);
        }
        return id;
    }

    private static String shortened(String cleaned, String label) {
        String plain = cleaned.startsWith(Rule.RESERVED) ? "x" + cleaned : cleaned;
        int most = LONGEST_NAME - DIGEST_DIGITS - 1;
        return plain.substring(0, Math.min(most, plain.length())) + "-" + digest(label);
    }

    private static String digest(String text) {
        try {
            byte[] sha256 = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(sha256).substring(0, DIGEST_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    void addRoute(String group, String path) {
        routes.withArrayProperty(group)
                .addObject()
                .put("method", RateLimitDescriptor.METHOD)
                .put("path", path);
    }

    /**
     * Adds a rule.
     *
     * @param group the route group that it speaks of
     * @param attributes that a request must have
     * @param countedBy names of attributes; none for the tenant
     * @param reason may be empty
     */
    void addRule(
            String id,
            String group,
            Map<String, String> attributes,
            List<String> countedBy,
            Limit limit,
            boolean shadow,
            String reason) {
        ObjectNode rule = rules.addObject().put("id", id).put("stage", "tenant");
        if (!countedBy.isEmpty()) {
            ArrayNode parts = rule.putObject("scope").putArray("composite");
            countedBy.forEach(name -> parts.add("attributes." + name));
        }
        ObjectNode match = rule.putObject("match");
        match.putArray("routes").add(group);
        if (!attributes.isEmpty()) {
            ObjectNode wanted = match.putObject("attributes");
            new TreeMap<>(attributes).forEach(wanted::put);
        }
        rule.put("algorithm", limit.algorithm());
        if (!limit.fields().isEmpty()) {
            rule.set("limit", limit.fields());
        }
        if (shadow) {
            rule.putObject("enforcement").put("mode", "shadow");
        }
        if (!reason.isEmpty()) {
            rule.put("reason", reason.substring(0, Math.min(LONGEST_REASON, reason.length())));
        }
    }

    /**
     * The document.
     *
     * @param domain also names the policy
     * @throws CommandFailedException if it has more rules than a policy may have
     */
    ObjectNode document(String domain, String reason) throws CommandFailedException {
        if (rules.size() > Policy.MAX_RULES) {
            throw new CommandFailedException("there are " + rules.size() + " limits to import; a policy may have "
                    + Policy.MAX_RULES + " rules: import fewer files at once");
        }
        ObjectNode document =
                NODES.objectNode().put("apiVersion", "headgate.io/v1").put("kind", "PolicySnapshot");
        document.putObject("metadata").put("name", domain).put("version", 1).put("reason", reason);
        ObjectNode spec = document.putObject("spec").put("domain", domain);
        if (!routes.isEmpty()) {
            spec.set("routes", routes);
        }
        spec.set("rules", rules);
        return document;
    }
}
