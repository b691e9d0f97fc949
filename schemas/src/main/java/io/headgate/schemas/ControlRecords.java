package io.headgate.schemas;

import io.headgate.core.limit.Zone;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.wire.ControlKind;
import io.headgate.schemas.wire.ControlRecord;
import io.headgate.schemas.wire.ShardSettingsRecord;
import io.headgate.schemas.wire.ZoneOffset;
import io.headgate.schemas.wire.ZoneTable;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/** Control records as they stand on {@code admission-requests}, written and accepted with a {@link ControlKey}. */
public final class ControlRecords {

    private static final WireFormat<ControlRecord> FORMAT = new WireFormat<>(ControlRecord.class);
    private static final WireFormat<ShardSettingsRecord> SETTINGS = new WireFormat<>(ShardSettingsRecord.class);

    private static final WireFormat<ZoneTable> ZONES = new WireFormat<>(ZoneTable.class);

    /** Keeps these codes apart from any other use of the key. */
    private static final String PURPOSE = "headgate control record 1";

    private static final long NONE = -1;

    private ControlRecords() {}

    public static byte[] encode(int shard, Control control, ControlKey key) {
        if (control instanceof Control.ApplyPolicy it) {
            return encode(shard, ControlKind.POLICY, it.source(), it.previous(), it.document(), key);
        }
        if (control instanceof Control.ApplySettings it) {
            return encode(
                    shard,
                    ControlKind.SETTINGS,
                    it.source(),
                    it.previous(),
                    SETTINGS.encode(toWire(it.settings())),
                    key);
        }
        if (control instanceof Control.Tick it) {
            byte[] clock =
                    ByteBuffer.allocate(Long.BYTES).putLong(it.ownerMillis()).array();
            return encode(shard, ControlKind.TICK, NONE, NONE, clock, key);
        }
        if (control instanceof Control.ApplyPlans it) {
            return encode(shard, ControlKind.PLANS, it.source(), it.previous(), PlanRecord.encodeAll(it.plans()), key);
        }
        if (control instanceof Control.ApplyAction it) {
            return encode(
                    shard, ControlKind.ACTION, it.source(), it.previous(), ActionRecords.encode(it.action()), key);
        }
        if (control instanceof Control.ApplyZone it) {
            return encode(shard, ControlKind.ZONE, NONE, NONE, ZONES.encode(toWire(it.zone())), key);
        }
        return encode(shard, ControlKind.CAUGHT_UP, NONE, NONE, new byte[0], key);
    }

    /**
     * Reads a control record for a shard and makes sure that it is genuine.
     *
     * @param pinned the key that the shard's state names; in a new shard, the one that the record itself names
     * @throws UnreadableRecordException if it is not genuine, not for this shard, or not a control record at all
     */
    public static Control decode(byte[] bytes, int shard, KeyChoice pinned) {
        ControlRecord record = FORMAT.decode(bytes);
        ControlKey key = pinned.keyFor(record.getKeyId());
        byte[] payload = toBytes(record.getPayload());
        byte[] expected =
                code(record.getShard(), record.getKind(), record.getSource(), record.getPrevious(), payload, key);
        if (!MessageDigest.isEqual(expected, toBytes(record.getCode()))) {
            throw new UnreadableRecordException("control record is not genuine: its code does not fit");
        }
        if (record.getShard() != shard) {
            throw new UnreadableRecordException(
                    "control record is for shard " + record.getShard() + ", not for shard " + shard);
        }
        return switch (record.getKind()) {
            case POLICY -> new Control.ApplyPolicy(record.getSource(), record.getPrevious(), payload);
            case SETTINGS ->
                new Control.ApplySettings(record.getSource(), record.getPrevious(), fromWire(SETTINGS.decode(payload)));
            case TICK -> new Control.Tick(clock(payload));
            case CAUGHT_UP -> new Control.CaughtUp();
            case PLANS -> plans(record, payload);
            case ACTION ->
                new Control.ApplyAction(record.getSource(), record.getPrevious(), ActionRecords.decode(payload));
            case ZONE -> new Control.ApplyZone(fromWire(ZONES.decode(payload)));
            case UNKNOWN ->
                throw new UnreadableRecordException("control record is of a kind that this release does not know");
        };
    }

    /** Decides which key must have signed a record that names a key. */
    @FunctionalInterface
    public interface KeyChoice {

        /**
         * The key.
         *
         * @throws UnreadableRecordException if the named key is not the one to be used
         */
        ControlKey keyFor(String namedKeyId);
    }

    private static byte[] encode(
            int shard, ControlKind kind, long source, long previous, byte[] payload, ControlKey key) {
        byte[] code = code(shard, kind, source, previous, payload, key);
        return FORMAT.encode(new ControlRecord(
                shard, kind, source, previous, ByteBuffer.wrap(payload), key.id(), ByteBuffer.wrap(code)));
    }

    private static byte[] code(
            int shard, ControlKind kind, long source, long previous, byte[] payload, ControlKey key) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(message)) {
            out.writeUTF(PURPOSE);
            out.writeUTF(key.id());
            out.writeInt(shard);
            out.writeUTF(kind.name());
            out.writeLong(source);
            out.writeLong(previous);
            out.writeInt(payload.length);
            out.write(payload);
        } catch (IOException impossible) {
            throw new IllegalStateException("writing into memory failed", impossible);
        }
        return key.code(message.toByteArray());
    }

    private static ShardSettingsRecord toWire(ShardSettings settings) {
        return new ShardSettingsRecord(
                settings.semanticsVersion(),
                settings.shards(),
                settings.controlKeyId(),
                settings.attemptRetentionMillis(),
                settings.attemptsPerSession(),
                settings.maxSessions(),
                settings.sessionIdleMillis(),
                settings.sweepEntriesPerTick());
    }

    private static ShardSettings fromWire(ShardSettingsRecord record) {
        try {
            return new ShardSettings(
                    record.getSemanticsVersion(),
                    record.getShards(),
                    record.getControlKeyId(),
                    record.getAttemptRetentionMillis(),
                    record.getAttemptsPerSession(),
                    record.getMaxSessions(),
                    record.getSessionIdleMillis(),
                    record.getSweepEntriesPerTick());
        } catch (IllegalArgumentException outOfRange) {
            throw new UnreadableRecordException("settings: " + outOfRange.getMessage());
        }
    }

    private static Control plans(ControlRecord record, byte[] payload) {
        try {
            return new Control.ApplyPlans(record.getSource(), record.getPrevious(), PlanRecord.decodeAll(payload));
        } catch (IllegalArgumentException outOfRange) {
            throw new UnreadableRecordException("plans: " + outOfRange.getMessage());
        }
    }

    private static ZoneTable toWire(Zone zone) {
        List<ZoneOffset> offsets = new ArrayList<>();
        zone.offsets().forEach(offset -> offsets.add(new ZoneOffset(offset.fromMillis(), offset.offsetMillis())));
        return new ZoneTable(zone.id(), zone.untilMillis(), offsets);
    }

    private static Zone fromWire(ZoneTable table) {
        try {
            List<Zone.Offset> offsets = new ArrayList<>();
            table.getOffsets()
                    .forEach(offset -> offsets.add(new Zone.Offset(offset.getFromMillis(), offset.getOffsetMillis())));
            return new Zone(table.getId(), offsets, table.getUntilMillis());
        } catch (IllegalArgumentException outOfRange) {
            throw new UnreadableRecordException("zone: " + outOfRange.getMessage());
        }
    }

    private static long clock(byte[] payload) {
        if (payload.length != Long.BYTES) {
            throw new UnreadableRecordException(
                    "control record TICK has a payload of " + payload.length + " bytes; it must have " + Long.BYTES);
        }
        return ByteBuffer.wrap(payload).getLong();
    }

    private static byte[] toBytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
