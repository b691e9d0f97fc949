package io.headgate.tools.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.headgate.schemas.policy.PolicyDocument;
import java.util.List;
import java.util.Set;

/** A document as people write it: YAML, in the order in which the format is described. */
final class PolicyYaml {

    /** What comes first where it comes at all; names that are not here follow, by the alphabet. */
    private static final List<String> ORDER = List.of(
            "apiVersion",
            "kind",
            "metadata",
            "name",
            "version",
            "supersedes",
            "owner",
            "author",
            "spec",
            "domain",
            "effectiveAt",
            "rollout",
            "routes",
            "rules",
            "endpoints",
            "plans",
            "idempotency",
            "cardinality",
            "responses",
            "staleSnapshot",
            "id",
            "stage",
            "scope",
            "match",
            "meter",
            "algorithm",
            "requests",
            "capacity",
            "limit",
            "refill",
            "tokens",
            "per",
            "align",
            "zone",
            "cost",
            "method",
            "path",
            "mode",
            "perGateway",
            "expectedGateways",
            "enforcement",
            "failMode",
            "secondSignature",
            "resetBudgets",
            "reason");

    /** Below these, names are the author's. */
    private static final Set<String> OWN_NAMES = Set.of("routes", "endpoints", "plans", "attributes");

    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
            .build());

    private PolicyYaml() {}

    /** The document in YAML. */
    static String of(PolicyDocument document) {
        return of(document.tree());
    }

    /** A tree in YAML. */
    static String of(ObjectNode document) {
        try {
            return YAML.writeValueAsString(ordered(document, false));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }

    /** The document in JSON, in the same order. */
    static String json(PolicyDocument document) {
        return ordered(document.tree(), false).toPrettyString();
    }

    private static JsonNode ordered(JsonNode node, boolean ownNames) {
        if (node.isArray()) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            node.forEach(element -> array.add(ordered(element, false)));
            return array;
        }
        if (!node.isObject()) {
            return node;
        }
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        if (!ownNames) {
            ORDER.stream().filter(node::has).forEach(name -> put(object, name, node));
        }
        node.fieldNames().forEachRemaining(name -> {
            if (!object.has(name)) {
                put(object, name, node);
            }
        });
        return object;
    }

    private static void put(ObjectNode object, String name, JsonNode from) {
        object.set(name, ordered(from.get(name), OWN_NAMES.contains(name)));
    }
}
