package io.headgate.schemas;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.avro.Schema;
import org.apache.avro.message.BinaryMessageDecoder;
import org.apache.avro.message.BinaryMessageEncoder;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificRecordBase;
import org.apache.avro.util.ClassSecurityValidator;

/**
 * One kind of record as bytes: Avro's single-object encoding, {@code C3 01}, the schema's 64-bit fingerprint, the body.
 * Reads every schema that was ever released.
 */
final class WireFormat<T extends SpecificRecordBase> {

    /** No string or array of ours comes near these; without them a record could claim 2 GB and be believed. */
    private static final int MAX_LENGTH = 8 * 1024 * 1024;

    private static final int MAX_ITEMS = 100_000;

    static {
        limit("org.apache.avro.limits.bytes.maxLength", MAX_LENGTH);
        limit("org.apache.avro.limits.string.maxLength", MAX_LENGTH);
        limit("org.apache.avro.limits.collectionItems.maxLength", MAX_ITEMS);
        ClassSecurityValidator.setGlobal(ClassSecurityValidator.composite(
                ClassSecurityValidator.getGlobal(),
                type -> type.getPackageName().equals("io.headgate.schemas.wire")));
    }

    private static final int HEADER_LENGTH = 10;

    private final BinaryMessageEncoder<T> encoder;
    private final BinaryMessageDecoder<T> decoder;

    WireFormat(Class<T> type) {
        SpecificData model = SpecificData.getForClass(type);
        Schema schema = model.getSchema(type);
        this.encoder = new BinaryMessageEncoder<>(model, schema);
        this.decoder = new BinaryMessageDecoder<>(model, schema);
        ReleasedSchemas.of(schema.getName()).forEach(decoder::addSchema);
    }

    byte[] encode(T value) {
        try {
            ByteBuffer bytes = encoder.encode(value);
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            return copy;
        } catch (IOException impossible) {
            throw new IllegalStateException("encoding into memory failed", impossible);
        }
    }

    /**
     * Reads one record.
     *
     * @throws UnreadableRecordException saying why, whatever the bytes are
     */
    T decode(byte[] bytes) {
        if (bytes.length < HEADER_LENGTH) {
            throw new UnreadableRecordException("value has " + bytes.length + " bytes; a record has " + HEADER_LENGTH
                    + " at least: C3 01 and a schema's fingerprint");
        }
        try {
            return decoder.decode(ByteBuffer.wrap(bytes), null);
        } catch (IOException | RuntimeException broken) {
            // Avro has many ways to say no; UnsupportedOperationException for a length above 2^31 is one of them.
            throw new UnreadableRecordException("value of " + bytes.length + " bytes cannot be read: "
                    + broken.getClass().getSimpleName() + ": " + broken.getMessage());
        }
    }

    private static void limit(String property, int most) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, Integer.toString(most));
        }
    }
}
