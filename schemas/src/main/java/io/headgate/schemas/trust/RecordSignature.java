package io.headgate.schemas.trust;

import io.headgate.schemas.UnreadableRecordException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Who signed a record of {@code tenant-plans} or {@code quota-adjustments}, and when. It stands in the record's header
 * {@value #HEADER} as {@code KEY MILLIS SIGNATURE}: the key's name, the issue time and the signature in base 64, with a
 * space between.
 *
 * @param keyId names the key
 * @param issuedAtMillis when it was signed, in ms of the epoch, by the signer's clock; 0 or more
 * @param ed25519 the signature
 */
public record RecordSignature(String keyId, long issuedAtMillis, byte[] ed25519) {

    public static final String HEADER = "headgate-signature";

    private static final int MAX_BYTES = 256;
    private static final Pattern SHAPE =
            Pattern.compile("([A-Za-z0-9._-]{1," + SigningKey.MAX_ID_LENGTH + "}) ([0-9]{1,18}) ([A-Za-z0-9+/]{86}==)");

    /**
     * The signature of a record; empty if it has none.
     *
     * @throws UnreadableRecordException if it has something else in its place, or two
     */
    public static Optional<RecordSignature> of(Headers headers) {
        Header found = headers.lastHeader(HEADER);
        if (found == null) {
            return Optional.empty();
        }
        for (Header header : headers.headers(HEADER)) {
            if (header != found) {
                throw new UnreadableRecordException("header " + HEADER + " is there twice; one signature is allowed");
            }
        }
        byte[] value = found.value() == null ? new byte[0] : found.value();
        Matcher parts = SHAPE.matcher(value.length > MAX_BYTES ? "" : new String(value, StandardCharsets.ISO_8859_1));
        if (!parts.matches()) {
            throw new UnreadableRecordException(
                    "header " + HEADER + " is no signature; it must be 'KEY MILLIS SIGNATURE'");
        }
        return Optional.of(new RecordSignature(
                parts.group(1),
                Long.parseLong(parts.group(2)),
                Base64.getDecoder().decode(parts.group(3))));
    }

    /** Puts it into a record. */
    public void writeTo(Headers headers) {
        String text = keyId + " " + issuedAtMillis + " " + Base64.getEncoder().encodeToString(ed25519);
        headers.add(HEADER, text.getBytes(StandardCharsets.US_ASCII));
    }
}
