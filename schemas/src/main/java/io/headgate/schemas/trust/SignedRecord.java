package io.headgate.schemas.trust;

import java.util.Objects;
import java.util.Optional;

/**
 * What a signature of a record is over.
 *
 * @param topic the topic that it is for
 * @param issuedAtMillis when it was signed, in ms of the epoch, by the signer's clock
 * @param key the record's key
 * @param value the record's value; empty for a null, which takes something away
 */
public record SignedRecord(String topic, long issuedAtMillis, byte[] key, Optional<byte[]> value) {

    public SignedRecord {
        Objects.requireNonNull(topic);
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
    }
}
