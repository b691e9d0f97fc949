package io.headgate.schemas;

import io.headgate.core.decision.Decision;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * How a request is written, and so its reply. A record that says nothing is {@link #AVRO}; one whose header {@value
 * #HEADER}, or else {@value #SPRING_HEADER}, is {@code application/json} is {@link #JSON}. The last header of a name
 * counts. Quotes around the value, as a mapper of headers that writes JSON puts them, are taken off.
 */
public enum ContentType {
    /** Avro in single-object encoding. */
    AVRO,
    /** JSON in UTF-8. */
    JSON;

    public static final String HEADER = "content-type";
    public static final String SPRING_HEADER = "contentType";

    /** The longest content type, in bytes. */
    public static final int MAX_LENGTH = 256;

    private static final String JSON_TYPE = "application/json";

    /**
     * How a request is written.
     *
     * @throws UnreadableRecordException if its headers name a content type that nobody here reads
     */
    static ContentType of(Headers headers) {
        Optional<Header> header = header(headers);
        if (header.isEmpty()) {
            return AVRO;
        }
        String name = header.get().key();
        byte[] value = header.get().value();
        if (value.length > MAX_LENGTH) {
            throw new UnreadableRecordException(
                    "header " + name + " has " + value.length + " bytes; at most " + MAX_LENGTH + " are allowed");
        }
        String[] parts = unquoted(new String(value, StandardCharsets.UTF_8)).split(";", -1);
        if (!parts[0].strip().equalsIgnoreCase(JSON_TYPE)) {
            throw new UnreadableRecordException("header " + name + " is '" + JsonFields.shown(parts[0].strip())
                    + "'; it must be " + JSON_TYPE + ", or not be there for Avro");
        }
        for (int i = 1; i < parts.length; i++) {
            checkParameter(name, parts[i]);
        }
        return JSON;
    }

    /** How the reply to a request is written: whoever names a content type, even an unknown one, is told in JSON. */
    public static ContentType ofReply(Headers requestHeaders) {
        return header(requestHeaders).isPresent() ? JSON : AVRO;
    }

    /** A reply as bytes. One that would be too large for its topic goes without what each rule said. */
    public byte[] encode(Reply reply) {
        byte[] whole = written(reply);
        return whole.length <= TopicCatalogue.MAX_REPLY_BYTES
                ? whole
                : written(new Reply(
                        reply.shard(),
                        reply.logTimeMillis(),
                        reply.problem(),
                        reply.decisions().stream().map(Decision::withoutRules).toList()));
    }

    private byte[] written(Reply reply) {
        return this == JSON ? JsonReplies.encode(reply) : ReplyRecords.encode(reply);
    }

    /** Says in a record's headers how it is written; Avro goes without saying. */
    public void writeTo(Headers headers) {
        if (this == JSON) {
            headers.add(HEADER, JSON_TYPE.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static Optional<Header> header(Headers headers) {
        return present(headers.lastHeader(HEADER)).or(() -> present(headers.lastHeader(SPRING_HEADER)));
    }

    private static Optional<Header> present(Header header) {
        return Optional.ofNullable(header).filter(it -> it.value() != null);
    }

    /** Bytes are read as UTF-8, whatever else the charset says would be misread. */
    private static void checkParameter(String header, String parameter) {
        int equals = parameter.indexOf('=');
        String name = parameter.substring(0, Math.max(0, equals)).strip();
        String value = unquoted(parameter.substring(equals + 1));
        if (name.equalsIgnoreCase("charset") && !value.equalsIgnoreCase("utf-8")) {
            throw new UnreadableRecordException(
                    "header " + header + " has charset '" + JsonFields.shown(value) + "'; it must be utf-8");
        }
    }

    private static String unquoted(String text) {
        String stripped = text.strip();
        boolean quoted = stripped.length() >= 2 && stripped.startsWith("\"") && stripped.endsWith("\"");
        return quoted ? stripped.substring(1, stripped.length() - 1).replace("\\\"", "\"") : stripped;
    }
}
