package io.headgate.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.core.shard.Control;
import io.headgate.schemas.wire.ControlKind;
import io.headgate.schemas.wire.ControlRecord;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Without the key nobody makes a control record, and nobody makes another one out of one. */
class ControlRecordsTest {

    private static final WireFormat<ControlRecord> FORMAT = new WireFormat<>(ControlRecord.class);

    private final Control policy = Samples.controls().get(0);
    private final byte[] genuine = ControlRecords.encode(Samples.SHARD, policy, Samples.KEY);

    private static void assertRefused(byte[] bytes, String told) {
        assertThatThrownBy(() -> ControlRecords.decode(bytes, Samples.SHARD, named -> Samples.KEY))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining(told);
    }

    @Test
    void another_key_of_the_same_name_is_refused() {
        byte[] forged = ControlRecords.encode(Samples.SHARD, policy, Samples.key(Samples.KEY.id(), 2));

        assertRefused(forged, "its code does not fit");
    }

    @Test
    void a_record_for_another_shard_is_refused() {
        assertThatThrownBy(() -> ControlRecords.decode(genuine, Samples.SHARD + 1, named -> Samples.KEY))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessage("control record is for shard 3, not for shard 4");
    }

    @Test
    void a_change_of_any_field_is_refused() {
        ControlRecord record = FORMAT.decode(genuine);
        Map<String, ControlRecord> changed = new LinkedHashMap<>();
        changed.put(
                "shard",
                ControlRecord.newBuilder(record).setShard(record.getShard() ^ 1).build());
        changed.put(
                "kind",
                ControlRecord.newBuilder(record).setKind(ControlKind.SETTINGS).build());
        changed.put(
                "source",
                ControlRecord.newBuilder(record)
                        .setSource(record.getSource() ^ 1)
                        .build());
        changed.put(
                "previous",
                ControlRecord.newBuilder(record)
                        .setPrevious(record.getPrevious() ^ 1)
                        .build());
        changed.put(
                "payload",
                ControlRecord.newBuilder(record)
                        .setPayload(flipped(record.getPayload()))
                        .build());
        changed.put(
                "code",
                ControlRecord.newBuilder(record)
                        .setCode(flipped(record.getCode()))
                        .build());
        changed.put(
                "a shorter code",
                ControlRecord.newBuilder(record)
                        .setCode(record.getCode().duplicate().limit(31).slice())
                        .build());
        changed.put(
                "no code",
                ControlRecord.newBuilder(record).setCode(ByteBuffer.allocate(0)).build());

        changed.forEach((what, forged) -> assertRefused(FORMAT.encode(forged), "its code does not fit"));
    }

    @Test
    void a_flipped_bit_anywhere_is_refused() {
        for (int bit = 0; bit < genuine.length * Byte.SIZE; bit++) {
            byte[] bytes = genuine.clone();
            bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);

            assertThatThrownBy(() -> ControlRecords.decode(bytes, Samples.SHARD, named -> {
                        if (!named.equals(Samples.KEY.id())) {
                            throw new UnreadableRecordException("no such key");
                        }
                        return Samples.KEY;
                    }))
                    .as("bit %d of %d", bit, genuine.length * Byte.SIZE)
                    .isInstanceOf(UnreadableRecordException.class);
        }
    }

    @Test
    void a_record_that_names_another_key_is_refused_though_the_key_fits() {
        ControlRecord renamed =
                ControlRecord.newBuilder(FORMAT.decode(genuine)).setKeyId("k2").build();
        ControlKey sameSecret = Samples.key("k2", 1);

        assertThatThrownBy(() -> ControlRecords.decode(FORMAT.encode(renamed), Samples.SHARD, named -> sameSecret))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("its code does not fit");
    }

    private static ByteBuffer flipped(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        bytes[0] ^= 1;
        return ByteBuffer.wrap(bytes);
    }

    @Test
    void what_a_key_prints_is_not_its_secret() {
        assertThat(Samples.KEY).hasToString("ControlKey[k1]");
    }
}
