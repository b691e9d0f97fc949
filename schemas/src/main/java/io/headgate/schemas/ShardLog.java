package io.headgate.schemas;

import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Payload;
import io.headgate.core.shard.LogRecord.Unreadable;
import io.headgate.schemas.ControlRecords.KeyChoice;
import io.headgate.schemas.wire.ControlRecord;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.kafka.common.header.Headers;

/** A shard log's records, whichever of the two kinds they are. */
public final class ShardLog {

    private static final int FINGERPRINT_AT = 2;
    private static final int FINGERPRINT_END = 10;

    private static final List<byte[]> CONTROL_FINGERPRINTS =
            ReleasedSchemas.of(ControlRecord.getClassSchema().getName()).stream()
                    .map(ShardLog::fingerprint)
                    .toList();

    private ShardLog() {}

    /**
     * Decodes a record; one that cannot be read or is not genuine becomes {@link Unreadable}. The headers say whether it
     * is in Avro or in JSON, as {@link ContentType} tells; a control record is always in Avro.
     */
    public static LogRecord decode(
            int shard, long offset, long timestampMillis, Headers headers, byte[] value, KeyChoice keys) {
        return new LogRecord(offset, timestampMillis, payload(shard, headers, value, keys));
    }

    private static Payload payload(int shard, Headers headers, byte[] value, KeyChoice keys) {
        try {
            if (value == null) {
                return new Unreadable("value is null");
            }
            if (ContentType.of(headers) == ContentType.JSON) {
                return JsonRequests.decode(value);
            }
            return isControl(value)
                    ? new Controlled(ControlRecords.decode(value, shard, keys))
                    : RequestRecords.decode(value);
        } catch (UnreadableRecordException unreadable) {
            return new Unreadable(unreadable.getMessage());
        }
    }

    private static boolean isControl(byte[] value) {
        return CONTROL_FINGERPRINTS.stream()
                .anyMatch(fingerprint -> value.length >= FINGERPRINT_END
                        && Arrays.equals(value, FINGERPRINT_AT, FINGERPRINT_END, fingerprint, 0, fingerprint.length));
    }

    /** As single-object encoding writes it: CRC-64-AVRO, least significant byte first. */
    private static byte[] fingerprint(Schema schema) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(SchemaNormalization.parsingFingerprint64(schema))
                .array();
    }
}
