package io.headgate.gateway.server;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.headgate.core.policy.Stage;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.SettingNames;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The body of {@code POST /v1/check}, read strictly: a field that is not known, or not of its type, is a mistake. All
 * fields may be left out; {@code authenticated} is then whether there is a tenant, and the cost is 1.
 *
 * @param ask what is asked: in stage {@code tenant} if authenticated, else in stage {@code ip}
 * @param peek whether to look only
 */
record CheckRequest(Ask ask, boolean peek) {

    private static final List<String> FIELDS =
            List.of("tenant", "user", "apiKey", "ip", "target", "authenticated", "route", "attributes", "cost", "peek");

    private static final int MAX_NESTING = 8;
    private static final int MAX_SHOWN = 64;

    private static final ObjectReader READER = JsonMapper.builder(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_NESTING)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .readerFor(JsonNode.class);

    /**
     * Reads a body.
     *
     * @throws BadRequestException naming the field and what is wrong with it
     */
    static CheckRequest parse(byte[] body) {
        JsonNode root = read(body);
        if (!root.isObject()) {
            throw new BadRequestException("", "the body is " + kind(root) + "; it must be a JSON object");
        }
        for (Iterator<String> names = root.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw new BadRequestException(
                        shown(name),
                        "there is no field '" + shown(name) + "'; the closest is '"
                                + SettingNames.closest(shown(name), FIELDS) + "'");
            }
        }
        Caller caller = checked("tenant", () -> Caller.unknown().withTenant(text(root, "tenant")));
        caller = with(caller, "user", caller::withUser, root);
        caller = with(caller, "apiKey", caller::withApiKey, root);
        caller = with(caller, "ip", caller::withIp, root);
        caller = with(caller, "target", caller::withTarget, root);
        boolean authenticated = flag(root, "authenticated", !caller.tenant().isEmpty());
        return new CheckRequest(ask(caller, authenticated, root), flag(root, "peek", false));
    }

    private static Ask ask(Caller caller, boolean authenticated, JsonNode root) {
        Stage stage = authenticated ? Stage.TENANT : Stage.IP;
        Ask bare = checked(stage.label(), () -> Ask.of(stage, caller, authenticated, ""));
        Ask routed = checked("route", () -> Ask.of(bare.stage(), caller, authenticated, text(root, "route")));
        Ask attributed = checked("attributes", () -> routed.withAttributes(attributes(root)));
        return checked("cost", () -> attributed.withCost(number(root, "cost", 1)));
    }

    @FunctionalInterface
    private interface With {
        Caller value(String text);
    }

    private static Caller with(Caller caller, String field, With with, JsonNode root) {
        return root.has(field) ? checked(field, () -> with.value(text(root, field))) : caller;
    }

    private static JsonNode read(byte[] body) {
        try {
            JsonNode root = READER.readTree(body);
            return root.isMissingNode() ? notJson("it is empty") : root;
        } catch (JsonProcessingException broken) {
            JsonLocation where = broken.getLocation();
            return notJson(
                    where == null
                            ? ""
                            : "the mistake is at line " + where.getLineNr() + ", column " + where.getColumnNr());
        } catch (IOException broken) {
            return notJson("");
        }
    }

    /** The parser's own words may repeat what it read, which may be an identifier: only the place is told. */
    private static JsonNode notJson(String more) {
        throw new BadRequestException(
                "", "the body is not JSON, or has a field twice" + (more.isEmpty() ? "" : "; " + more));
    }

    private static String text(JsonNode root, String field) {
        JsonNode node = root.path(field);
        if (node.isMissingNode()) {
            return "";
        }
        if (!node.isTextual()) {
            throw new BadRequestException(field, field + " is " + kind(node) + "; it must be a string");
        }
        return node.textValue();
    }

    private static boolean flag(JsonNode root, String field, boolean otherwise) {
        JsonNode node = root.path(field);
        if (node.isMissingNode()) {
            return otherwise;
        }
        if (!node.isBoolean()) {
            throw new BadRequestException(field, field + " is " + valueOf(node) + "; it must be true or false");
        }
        return node.booleanValue();
    }

    private static long number(JsonNode root, String field, long otherwise) {
        JsonNode node = root.path(field);
        if (node.isMissingNode()) {
            return otherwise;
        }
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw new BadRequestException(
                    field, field + " is " + valueOf(node) + "; it must be a whole number from 0 to 1000000000000");
        }
        return node.longValue();
    }

    private static Map<String, String> attributes(JsonNode root) {
        JsonNode node = root.path("attributes");
        if (node.isMissingNode()) {
            return Map.of();
        }
        if (!node.isObject()) {
            throw new BadRequestException(
                    "attributes", "attributes is " + kind(node) + "; it must be an object of strings");
        }
        Map<String, String> attributes = new TreeMap<>();
        node.properties().forEach(attribute -> {
            if (!attribute.getValue().isTextual()) {
                throw new BadRequestException(
                        "attributes",
                        "attributes." + shown(attribute.getKey()) + " is " + kind(attribute.getValue())
                                + "; it must be a string");
            }
            attributes.put(attribute.getKey(), attribute.getValue().textValue());
        });
        return attributes;
    }

    private static <T> T checked(String field, Supplier<T> part) {
        try {
            return part.get();
        } catch (IllegalArgumentException wrong) {
            throw new BadRequestException(field, wrong.getMessage());
        }
    }

    private static String kind(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "a list";
            case BOOLEAN -> "true or false";
            case NULL -> "null";
            case NUMBER -> "a number";
            case OBJECT -> "an object";
            default -> "a string";
        };
    }

    private static String valueOf(JsonNode node) {
        return shown(node.toString());
    }

    private static String shown(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }
}
