package io.headgate.gateway.server;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * The body of {@code POST /v1/check}: one request, or several in a list {@value #LIST}. A mistake in one of several is a
 * mistake of the body: none of them is asked.
 *
 * @param checks what is asked, in order; 1 to {@value #MAX_CHECKS}
 * @param many whether they came in a list, even if it is one
 */
record CheckBody(List<CheckRequest> checks, boolean many) {

    static final String LIST = "checks";

    /** The most in one body. */
    static final int MAX_CHECKS = 100;

    CheckBody {
        checks = List.copyOf(checks);
    }

    /**
     * Reads a body.
     *
     * @param body its bytes
     * @param keys the values of the header {@value CheckRequest#KEY_HEADER}
     * @param trusted the attributes that a request may have
     * @throws BadRequestException naming the field and what is wrong with it
     */
    static CheckBody parse(byte[] body, List<String> keys, Set<String> trusted) {
        JsonNode root = JsonBody.read(body);
        return root.isObject() && root.has(LIST)
                ? new CheckBody(several(root, keys, trusted), true)
                : new CheckBody(List.of(CheckRequest.of(root, "the body", keys, trusted)), false);
    }

    private static List<CheckRequest> several(JsonNode root, List<String> keys, Set<String> trusted) {
        for (Iterator<String> names = root.fieldNames(); names.hasNext(); ) {
            String name = JsonBody.shown(names.next());
            if (!name.equals(LIST)) {
                throw new BadRequestException(
                        name, "there is a field '" + name + "' beside " + LIST + "; it belongs into each of them");
            }
        }
        JsonNode list = root.path(LIST);
        if (!list.isArray()) {
            throw new BadRequestException(LIST, LIST + " is " + JsonBody.kind(list) + "; it must be a list of objects");
        }
        if (list.isEmpty() || list.size() > MAX_CHECKS) {
            throw new BadRequestException(
                    LIST, LIST + " has " + list.size() + " elements; it must have 1 to " + MAX_CHECKS);
        }
        if (!keys.isEmpty()) {
            throw new BadRequestException(
                    LIST,
                    "the header " + CheckRequest.KEY_HEADER + " does not say which of the " + LIST
                            + " it is for; give each its own idempotencyKey");
        }
        List<CheckRequest> checks = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            String place = LIST + "[" + i + "]";
            try {
                checks.add(CheckRequest.of(list.get(i), "it", List.of(), trusted));
            } catch (BadRequestException wrong) {
                throw new BadRequestException(
                        wrong.field().isEmpty() ? place : place + "." + wrong.field(),
                        place + ": " + wrong.getMessage());
            }
        }
        return checks;
    }
}
