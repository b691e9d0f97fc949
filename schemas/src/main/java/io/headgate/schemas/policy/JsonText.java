package io.headgate.schemas.policy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A document in JSON, UTF-8. What is wrong with it as JSON is told as what is wrong with a document. */
final class JsonText {

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(PolicyDocument.READ_CONSTRAINTS)
            .build();

    private JsonText() {}

    /** Makes something of a document. */
    @FunctionalInterface
    interface Reader<T> {
        T read(JsonParser parser) throws IOException;
    }

    static <T> T read(byte[] json, Reader<T> reader) {
        if (json.length > PolicyDocument.MAX_BYTES) {
            throw invalid("has " + json.length + " bytes; at most " + PolicyDocument.MAX_BYTES + " are allowed");
        }
        try (JsonParser parser = JSON.createParser(decoded(json))) {
            return reader.read(parser);
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            String where = at == null ? "" : " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
            String what = e.getOriginalMessage().replaceAll("\\p{Cntrl}", "?");
            throw invalid("is not JSON that can be read: " + what + where);
        } catch (IOException e) {
            throw invalid("is not UTF-8");
        }
    }

    static InvalidPolicyException invalid(String what) {
        return new InvalidPolicyException(List.of(new Problem(Section.DOCUMENT, what)));
    }

    private static String decoded(byte[] utf8) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    }
}
