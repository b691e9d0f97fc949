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
import java.io.IOException;

/** Reads bodies as JSON: one value, no field twice, nested no deeper than {@value #MAX_NESTING}. */
final class JsonBody {

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

    private JsonBody() {}

    /**
     * Reads one.
     *
     * @throws BadRequestException if it is not JSON, telling the place and nothing of what stands there
     */
    static JsonNode read(byte[] body) {
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

    /** What a value is, in words. */
    static String kind(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "a list";
            case BOOLEAN -> "true or false";
            case NULL -> "null";
            case NUMBER -> "a number";
            case OBJECT -> "an object";
            default -> "a string";
        };
    }

    /** The beginning of a text, for a message. */
    static String shown(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }
}
