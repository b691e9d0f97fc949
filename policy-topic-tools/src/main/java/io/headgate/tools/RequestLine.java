package io.headgate.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.headgate.core.limit.Bounds;
import io.headgate.core.policy.Meter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CodingErrorAction;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One request of a file of requests: a JSON object on a line, {@code {"t":0,"tenant":"atlas","route":"GET /catalog"}}.
 * Only {@code t} has to be there; text that is left out is empty.
 *
 * @param timeMillis field {@code t}, since the epoch, 0 to {@value #MAX_TIME_MILLIS}
 * @param op what is asked; {@code admit} if left out
 * @param tenant the account
 * @param user a user of it
 * @param apiKey a key of it
 * @param ip an address
 * @param target the name that somebody tries to log in to
 * @param authenticated if left out, whether there is a tenant
 * @param route {@code METHOD /path}, or a route group's name
 * @param attributes text by name
 * @param cost how many requests it counts for, 0 to 10^12; 1 if left out
 * @param requestId names the attempt
 * @param costs what it costs by further meters, each 0 to 10^12
 * @param idempotencyKey the caller's own name for the request
 */
public record RequestLine(
        long timeMillis,
        Op op,
        String tenant,
        String user,
        String apiKey,
        String ip,
        String target,
        boolean authenticated,
        String route,
        Map<String, String> attributes,
        long cost,
        String requestId,
        Map<String, Long> costs,
        String idempotencyKey) {

    /** The last millisecond of the year 9999. */
    public static final long MAX_TIME_MILLIS = 253_402_300_799_999L;

    private static final List<String> FIELDS = List.of(
            "t",
            "op",
            "tenant",
            "user",
            "apiKey",
            "ip",
            "target",
            "authenticated",
            "route",
            "attributes",
            "cost",
            "requestId",
            "costs",
            "idempotencyKey");

    private static final JsonFactory JSON = new JsonFactory();

    public RequestLine {
        attributes = Collections.unmodifiableMap(new TreeMap<>(attributes));
        costs = Collections.unmodifiableMap(new TreeMap<>(costs));
    }

    /** What a request asks for. */
    public enum Op {
        /** A decision, which is debited. */
        ADMIT,
        /** What the decision would be. */
        PEEK
    }

    /** Hands over the requests in the order of the file. */
    public static void stream(InputStream in, Consumer<RequestLine> requests, Consumer<BadLine> badLines)
            throws IOException {
        Lines.read(in, CodingErrorAction.REPORT, RequestLine::parse, requests, badLines);
    }

    static RequestLine parse(String line) throws UnreadableLineException {
        try (JsonParser parser = JSON.createParser(line)) {
            return new Reader(parser).read();
        } catch (JsonProcessingException e) {
            String what = e.getOriginalMessage().replaceAll(" \\([^(]*\\[Source: .*", "");
            throw new UnreadableLineException("is not JSON: " + BadLine.shown(what, BadLine.LONGEST_TEXT));
        } catch (IOException e) {
            throw new IllegalStateException("a string can always be read", e);
        }
    }

    /** Takes one field after the other; what is wrong with the first bad one is told. */
    private static final class Reader {

        private final JsonParser parser;
        private final Set<String> seen = new HashSet<>();
        private final Map<String, String> texts = new TreeMap<>();
        private Map<String, String> attributes = Map.of();
        private Map<String, Long> costs = new TreeMap<>();
        private Op op = Op.ADMIT;
        private boolean authenticated;
        private long timeMillis;
        private long cost = 1;

        Reader(JsonParser parser) {
            this.parser = parser;
        }

        RequestLine read() throws IOException, UnreadableLineException {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new UnreadableLineException("is not a JSON object");
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String field = parser.currentName();
                if (!seen.add(field)) {
                    throw new UnreadableLineException("has the field '" + BadLine.shown(field, 40) + "' twice");
                }
                parser.nextToken();
                readField(field);
            }
            if (parser.nextToken() != null) {
                throw new UnreadableLineException("has something after its JSON object");
            }
            if (!seen.contains("t")) {
                throw new UnreadableLineException("has no field 't', the time in milliseconds");
            }
            if (costs.containsKey(Meter.REQUESTS)) {
                if (seen.contains("cost")) {
                    throw new UnreadableLineException("has cost and costs.requests, which are the same");
                }
                cost = costs.remove(Meter.REQUESTS);
            }
            return new RequestLine(
                    timeMillis,
                    op,
                    text("tenant"),
                    text("user"),
                    text("apiKey"),
                    text("ip"),
                    text("target"),
                    seen.contains("authenticated") ? authenticated : seen.contains("tenant"),
                    text("route"),
                    attributes,
                    cost,
                    text("requestId"),
                    costs,
                    text("idempotencyKey"));
        }

        private void readField(String field) throws IOException, UnreadableLineException {
            switch (field) {
                case "t" -> timeMillis = integer(field, MAX_TIME_MILLIS);
                case "cost" -> cost = integer(field, Bounds.MAX_TOKENS);
                case "op" -> op = op();
                case "authenticated" -> authenticated = flag(field);
                case "attributes" -> attributes = attributes();
                case "costs" -> costs = costs();
                case "tenant", "user", "apiKey", "ip", "target", "route", "requestId", "idempotencyKey" ->
                    texts.put(field, nonEmpty(field));
                default ->
                    throw new UnreadableLineException(
                            "has the field '" + BadLine.shown(field, 40) + "', which is none of " + FIELDS);
            }
        }

        private String text(String field) {
            return texts.getOrDefault(field, "");
        }

        private String nonEmpty(String field) throws IOException, UnreadableLineException {
            if (parser.currentToken() != JsonToken.VALUE_STRING
                    || parser.getText().isEmpty()) {
                throw wrong(field, "text that is not empty; leave it out if there is none");
            }
            return parser.getText();
        }

        private boolean flag(String field) throws IOException, UnreadableLineException {
            if (!parser.currentToken().isBoolean()) {
                throw wrong(field, "true or false");
            }
            return parser.getBooleanValue();
        }

        private long integer(String field, long most) throws IOException, UnreadableLineException {
            if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT
                    || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                    || parser.getLongValue() < 0
                    || parser.getLongValue() > most) {
                throw wrong(field, "an integer of 0 to " + most);
            }
            return parser.getLongValue();
        }

        private Op op() throws IOException, UnreadableLineException {
            return switch (parser.getText()) {
                case "admit" -> Op.ADMIT;
                case "peek" -> Op.PEEK;
                default -> throw wrong("op", "admit or peek");
            };
        }

        private Map<String, String> attributes() throws IOException, UnreadableLineException {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                throw wrong("attributes", "an object of texts");
            }
            Map<String, String> attributes = new TreeMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                if (parser.nextToken() != JsonToken.VALUE_STRING) {
                    throw wrong("attributes." + BadLine.shown(name, 40), "text");
                }
                if (attributes.put(name, parser.getText()) != null) {
                    throw new UnreadableLineException("has the attribute '" + BadLine.shown(name, 40) + "' twice");
                }
            }
            return attributes;
        }

        private Map<String, Long> costs() throws IOException, UnreadableLineException {
            if (parser.currentToken() != JsonToken.START_OBJECT) {
                throw wrong("costs", "an object of integers by meter");
            }
            Map<String, Long> costs = new TreeMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String meter = parser.currentName();
                parser.nextToken();
                if (costs.put(meter, integer("costs." + BadLine.shown(meter, 40), Bounds.MAX_TOKENS)) != null) {
                    throw new UnreadableLineException("has the meter '" + BadLine.shown(meter, 40) + "' twice");
                }
            }
            return costs;
        }

        private UnreadableLineException wrong(String field, String shape) throws IOException {
            String value = switch (parser.currentToken()) {
                case START_OBJECT -> "an object";
                case START_ARRAY -> "a list";
                case VALUE_STRING -> '"' + BadLine.shown(parser.getText(), 40) + '"';
                default -> BadLine.shown(parser.getText(), 40);
            };
            return new UnreadableLineException("has " + field + " " + value + "; it must be " + shape);
        }
    }
}
