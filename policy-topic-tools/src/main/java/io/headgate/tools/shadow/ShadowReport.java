package io.headgate.tools.shadow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.tools.BadLine;
import io.headgate.tools.CommandFailedException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** What rules in shadow said, summed over processors, beside what their authors expected. */
final class ShadowReport {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ROW = "%-32s  %12s  %12s  %8s  %8s  %-20s  %s%n";

    private final Map<String, OfRule> rules = new TreeMap<>();
    private long sinceMillis = Long.MAX_VALUE;
    private long notTallied;

    /** How a rule's share of denials stands to what was expected. */
    enum Standing {
        /** Nothing was asked, or nothing expected. */
        OPEN,
        /** As many as expected, or fewer. */
        WITHIN,
        /** More than expected. */
        ABOVE
    }

    private static final class OfRule {

        private final Map<String, Long> keys = new TreeMap<>();
        private long asked;
        private long denied;
        private long missed;
        private OptionalInt expectedDenyPermille = OptionalInt.empty();
        private OptionalLong untilMillis = OptionalLong.empty();

        private void add(JsonNode said) {
            asked = Math.addExact(asked, said.path("asked").asLong());
            denied = Math.addExact(denied, said.path("denied").asLong());
            missed = Math.addExact(missed, said.path("missed").asLong());
            if (said.path("expectedDenyPermille").isInt()) {
                expectedDenyPermille =
                        OptionalInt.of(said.path("expectedDenyPermille").asInt());
            }
            if (said.path("untilMillis").isIntegralNumber()) {
                untilMillis = OptionalLong.of(said.path("untilMillis").asLong());
            }
            said.path("keys")
                    .forEach(key -> keys.merge(
                            key.path("key").asText(), key.path("denied").asLong(), Long::sum));
        }

        /** Of a thousand, rounded down. */
        private OptionalLong deniedPermille() {
            return asked == 0 ? OptionalLong.empty() : OptionalLong.of(Math.multiplyExact(denied, 1_000L) / asked);
        }

        private Standing standing() {
            if (asked == 0 || expectedDenyPermille.isEmpty()) {
                return Standing.OPEN;
            }
            boolean within = Math.multiplyExact(denied, 1_000L)
                    <= Math.multiplyExact(asked, (long) expectedDenyPermille.getAsInt());
            return within ? Standing.WITHIN : Standing.ABOVE;
        }

        private List<Map.Entry<String, Long>> top(int most) {
            return keys.entrySet().stream()
                    .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                            .thenComparing(Map.Entry.comparingByKey()))
                    .limit(most)
                    .toList();
        }
    }

    /**
     * Adds what a processor said.
     *
     * @throws CommandFailedException if it is not what a processor says
     */
    void add(String processor, String body) throws CommandFailedException {
        try {
            JsonNode tree = JSON.readTree(body);
            if (tree.path("rules").isArray() && tree.path("sinceMillis").isIntegralNumber()) {
                sinceMillis = Math.min(sinceMillis, tree.path("sinceMillis").asLong());
                notTallied = Math.addExact(notTallied, tree.path("notTallied").asLong());
                for (JsonNode rule : tree.path("rules")) {
                    rules.computeIfAbsent(rule.path("rule").asText(), id -> new OfRule())
                            .add(rule);
                }
                return;
            }
        } catch (JsonProcessingException | ArithmeticException e) {
            // Said below.
        }
        throw new CommandFailedException("what " + processor + " answers is no tally of rules in shadow: "
                + BadLine.shown(body, BadLine.LONGEST_TEXT));
    }

    /** The ids of rules that would have denied more than expected. */
    List<String> above() {
        return rules.entrySet().stream()
                .filter(rule -> rule.getValue().standing() == Standing.ABOVE)
                .map(Map.Entry::getKey)
                .toList();
    }

    void print(PrintWriter out, int keys, long nowMillis) {
        if (rules.isEmpty()) {
            out.println("no rule in shadow was asked since " + Instant.ofEpochMilli(sinceMillis));
            return;
        }
        out.println("since " + Instant.ofEpochMilli(sinceMillis));
        out.printf(ROW, "RULE", "ASKED", "WOULD DENY", "SHARE", "EXPECTED", "UNTIL", "");
        rules.forEach((id, rule) -> {
            out.printf(
                    ROW,
                    BadLine.shown(id, 64),
                    rule.asked,
                    rule.denied,
                    percent(rule.deniedPermille()),
                    rule.expectedDenyPermille.isPresent()
                            ? percent(OptionalLong.of(rule.expectedDenyPermille.getAsInt()))
                            : "-",
                    rule.untilMillis.isPresent()
                            ? Instant.ofEpochMilli(rule.untilMillis.getAsLong()).toString()
                            : "-",
                    words(rule, nowMillis));
            for (Map.Entry<String, Long> key : rule.top(keys)) {
                out.printf("    %12d  %s%n", key.getValue(), BadLine.shown(key.getKey(), 256));
            }
            if (rule.missed > 0 && keys > 0) {
                out.println("    there were many more; a count may be up to " + rule.missed + " too low");
            }
        });
        if (notTallied > 0) {
            out.println(notTallied + " requests were seen by further rules, which are not tallied");
        }
    }

    private static String words(OfRule rule, long nowMillis) {
        String ended = rule.untilMillis.isPresent() && rule.untilMillis.getAsLong() <= nowMillis ? ", ended" : "";
        return switch (rule.standing()) {
            case OPEN -> ended.isEmpty() ? "" : ended.substring(2);
            case WITHIN -> "as expected" + ended;
            case ABOVE -> "more than expected" + ended;
        };
    }

    private static String percent(OptionalLong permille) {
        return permille.isEmpty() ? "-" : permille.getAsLong() / 10 + "." + permille.getAsLong() % 10 + " %";
    }

    ObjectNode json(int keys, long nowMillis) {
        ObjectNode json = JSON.createObjectNode();
        json.put("sinceMillis", sinceMillis).put("notTallied", notTallied);
        ArrayNode all = json.putArray("rules");
        rules.forEach((id, rule) -> {
            ObjectNode one =
                    all.addObject().put("rule", id).put("asked", rule.asked).put("denied", rule.denied);
            rule.deniedPermille().ifPresent(permille -> one.put("deniedPermille", permille));
            rule.expectedDenyPermille.ifPresent(permille -> one.put("expectedDenyPermille", permille));
            rule.untilMillis.ifPresent(millis -> one.put("untilMillis", millis).put("ended", millis <= nowMillis));
            one.put("standing", rule.standing().name().toLowerCase(java.util.Locale.ROOT));
            one.put("missed", rule.missed);
            ArrayNode told = one.putArray("keys");
            rule.top(keys)
                    .forEach(key -> told.addObject().put("key", key.getKey()).put("denied", key.getValue()));
        });
        return json;
    }
}
