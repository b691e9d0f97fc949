package io.headgate.gateway.server;

import com.fasterxml.jackson.databind.JsonNode;
import io.headgate.core.policy.Meter;
import io.headgate.core.policy.Stage;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.Caller;
import io.headgate.gateway.client.SettingNames;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * A request of {@code POST /v1/check}, read strictly: a field that is not known, or not of its type, is a mistake. All
 * fields may be left out; {@code authenticated} is then whether there is a tenant, and the cost is 1.
 *
 * @param ask what is asked: in all stages, unless the body names one
 * @param peek whether to look only
 */
record CheckRequest(Ask ask, boolean peek) {

    /** The header that may carry the caller's own name for the request. */
    static final String KEY_HEADER = "Idempotency-Key";

    private static final String KEY_FIELD = "idempotencyKey";

    private static final List<String> FIELDS = List.of(
            "tenant",
            "user",
            "apiKey",
            "ip",
            "target",
            "authenticated",
            "stage",
            "route",
            "attributes",
            "cost",
            "costs",
            KEY_FIELD,
            "explain",
            "trace",
            "peek");

    /**
     * Reads a request.
     *
     * @param root the request
     * @param what names it in a message
     * @param keys the values of its headers {@value #KEY_HEADER}
     * @param trusted the attributes that it may have
     * @throws BadRequestException naming the field and what is wrong with it
     */
    static CheckRequest of(JsonNode root, String what, List<String> keys, Set<String> trusted) {
        if (!root.isObject()) {
            throw new BadRequestException("", what + " is " + JsonBody.kind(root) + "; it must be a JSON object");
        }
        for (Iterator<String> names = root.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw new BadRequestException(
                        JsonBody.shown(name),
                        "there is no field '" + JsonBody.shown(name) + "'; the closest is '"
                                + SettingNames.closest(JsonBody.shown(name), FIELDS) + "'");
            }
        }
        Caller caller = checked("tenant", () -> Caller.unknown().withTenant(text(root, "tenant")));
        caller = with(caller, "user", caller::withUser, root);
        caller = with(caller, "apiKey", caller::withApiKey, root);
        caller = with(caller, "ip", caller::withIp, root);
        caller = with(caller, "target", caller::withTarget, root);
        Ask ask = ask(caller, root, trusted);
        Optional<String> key = key(root, keys);
        if (key.isPresent()) {
            Ask unkeyed = ask;
            ask = checked(KEY_FIELD, () -> unkeyed.withIdempotencyKey(key.get()));
        }
        ask = flag(root, "explain", false) ? ask.withExplanation() : ask;
        ask = flag(root, "trace", false) ? ask.withTrace() : ask;
        return new CheckRequest(ask, flag(root, "peek", false));
    }

    private static Ask ask(Caller caller, JsonNode root, Set<String> trusted) {
        boolean authenticated = flag(root, "authenticated", !caller.tenant().isEmpty());
        Ask bare = checked("", () -> Ask.of(caller, authenticated, ""));
        Ask staged = root.has("stage")
                ? checked("stage", () -> bare.only(Stage.labelled(JsonBody.shown(text(root, "stage")))))
                : bare;
        Ask routed = checked("route", () -> staged.withRoute(text(root, "route")));
        Ask attributed = checked("attributes", () -> routed.withAttributes(attributes(root, trusted)));
        Ask priced = root.has("cost")
                ? checked("cost", () -> attributed.withCost(number(root.path("cost"), "cost", "cost")))
                : attributed;
        return checked("costs", () -> priced.withCosts(costs(root)));
    }

    /** The caller's key, from the body or from the header; both must say the same. */
    private static Optional<String> key(JsonNode root, List<String> headers) {
        Set<String> given = new TreeSet<>();
        headers.forEach(header -> given.add(unquoted(header)));
        if (root.has(KEY_FIELD)) {
            given.add(text(root, KEY_FIELD));
        }
        if (given.size() > 1) {
            throw new BadRequestException(
                    KEY_FIELD,
                    KEY_FIELD + " and the header " + KEY_HEADER + " give " + given.size()
                            + " different keys; a request has one");
        }
        if (given.contains("")) {
            throw new BadRequestException(
                    KEY_FIELD, KEY_FIELD + " is empty; leave it out, or give 1 to 256 characters");
        }
        return given.stream().findFirst();
    }

    /** A structured field's string without its quotes (RFC 9651); any other value as it is. */
    private static String unquoted(String header) {
        boolean quoted = header.length() > 1 && header.startsWith("\"") && header.endsWith("\"");
        return quoted ? header.substring(1, header.length() - 1).replaceAll("\\\\([\"\\\\])", "$1") : header;
    }

    @FunctionalInterface
    private interface With {
        Caller value(String text);
    }

    private static Caller with(Caller caller, String field, With with, JsonNode root) {
        return root.has(field) ? checked(field, () -> with.value(text(root, field))) : caller;
    }

    private static String text(JsonNode root, String field) {
        JsonNode node = root.path(field);
        if (node.isMissingNode()) {
            return "";
        }
        if (!node.isTextual()) {
            throw new BadRequestException(field, field + " is " + JsonBody.kind(node) + "; it must be a string");
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

    private static long number(JsonNode node, String field, String place) {
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw new BadRequestException(
                    field, place + " is " + valueOf(node) + "; it must be a whole number from 0 to 1000000000000");
        }
        return node.longValue();
    }

    private static Map<String, Long> costs(JsonNode root) {
        JsonNode node = object(root, "costs", "numbers");
        Map<String, Long> costs = new TreeMap<>();
        node.fieldNames().forEachRemaining(meter -> {
            String place = "costs." + JsonBody.shown(meter);
            if (meter.equals(Meter.REQUESTS)) {
                throw new BadRequestException("costs", place + " has a field of its own; give it as cost");
            }
            costs.put(meter, number(node.path(meter), "costs", place));
        });
        return costs;
    }

    private static Map<String, String> attributes(JsonNode root, Set<String> trusted) {
        Map<String, String> attributes = new TreeMap<>();
        object(root, "attributes", "strings").properties().forEach(attribute -> {
            String field = "attributes." + JsonBody.shown(attribute.getKey());
            if (!trusted.contains(attribute.getKey())) {
                throw new BadRequestException(
                        "attributes",
                        field
                                + " is not an attribute that this gateway believes; those that it does are in its setting "
                                + ServerSettings.ATTRIBUTES_TRUSTED);
            }
            if (!attribute.getValue().isTextual()) {
                throw new BadRequestException(
                        "attributes", field + " is " + JsonBody.kind(attribute.getValue()) + "; it must be a string");
            }
            attributes.put(attribute.getKey(), attribute.getValue().textValue());
        });
        return attributes;
    }

    private static JsonNode object(JsonNode root, String field, String what) {
        JsonNode node = root.path(field);
        if (!node.isMissingNode() && !node.isObject()) {
            throw new BadRequestException(
                    field, field + " is " + JsonBody.kind(node) + "; it must be an object of " + what);
        }
        return node;
    }

    private static <T> T checked(String field, Supplier<T> part) {
        try {
            return part.get();
        } catch (IllegalArgumentException wrong) {
            throw new BadRequestException(field, wrong.getMessage());
        }
    }

    private static String valueOf(JsonNode node) {
        return JsonBody.shown(node.toString());
    }
}
