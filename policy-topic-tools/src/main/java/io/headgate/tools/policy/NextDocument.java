package io.headgate.tools.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.policy.InForce;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.schemas.policy.PolicyDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The document of a version, made into that of the next: what it asked for once it does not ask for again. */
final class NextDocument {

    private static final String RESET = "resetBudgets";

    private final ObjectNode tree;

    private NextDocument(ObjectNode tree) {
        this.tree = tree;
    }

    /**
     * The rules of a version as the next one. When and for whom that version took effect is left out; so are its budgets
     * that began afresh.
     *
     * @param version the number of the next
     */
    static NextDocument of(PolicyDocument document, long version) {
        ObjectNode tree = document.tree();
        ObjectNode metadata = tree.withObjectProperty("metadata");
        metadata.put("version", version).remove(List.of("supersedes", "author", "reason"));
        tree.withObjectProperty("spec").remove(List.of("effectiveAt", "rollout"));
        tree.path("spec").path("rules").forEach(rule -> ((ObjectNode) rule).remove(RESET));
        return new NextDocument(tree);
    }

    /**
     * Lets rules begin afresh whose counters cannot go on after what is in force, because they count by something else.
     *
     * @return their ids, in the order of the document
     */
    List<String> beginAfreshWhereNeeded(InForce inForce) {
        Policy next = PolicyDocument.of(tree).policy();
        Set<String> needed = new TreeSet<>();
        for (Rule rule : next.rules()) {
            for (Policy before : List.of(inForce.newest(), inForce.base())) {
                if (before.rule(rule.id())
                        .flatMap(old -> old.changeOfCounter(rule))
                        .isPresent()) {
                    needed.add(rule.id());
                }
            }
        }
        List<String> ids = new ArrayList<>();
        for (JsonNode rule : tree.path("spec").path("rules")) {
            String id = rule.path("id").asText();
            if (needed.contains(id)) {
                ((ObjectNode) rule).put(RESET, true);
                ids.add(id);
            }
        }
        return ids;
    }

    /** Lets a rule be enforced. */
    void enforce(String ruleId) {
        for (JsonNode rule : tree.path("spec").path("rules")) {
            if (rule.path("id").asText().equals(ruleId)) {
                ((ObjectNode) rule).remove("enforcement");
            }
        }
    }

    /** Says which version it builds on. */
    void supersede(long version) {
        tree.withObjectProperty("metadata").put("supersedes", version);
    }

    ObjectNode tree() {
        return tree;
    }

    /** The document, published by somebody for a reason. */
    PolicyDocument as(String author, String reason) {
        return PolicyDocument.of(tree).as(tree.path("metadata").path("version").asLong(), author, reason);
    }
}
