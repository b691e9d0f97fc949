package io.headgate.core.shard;

import io.headgate.core.limit.Zone;
import java.util.ArrayList;
import java.util.List;

/** The offsets of one time zone. */
record ZoneEntry(Zone zone) implements StateEntry {

    @Override
    public byte[] toBytes() {
        ByteWriter out = new ByteWriter()
                .putString(zone.id())
                .putLong(zone.untilMillis())
                .putLong(zone.offsets().size());
        zone.offsets().forEach(offset -> out.putLong(offset.fromMillis()).putLong(offset.offsetMillis()));
        return out.toBytes();
    }

    static ZoneEntry fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        String id = in.getString();
        long untilMillis = in.getLong();
        List<Zone.Offset> offsets = new ArrayList<>();
        for (int left = in.getInt(); left > 0; left--) {
            offsets.add(new Zone.Offset(in.getLong(), in.getLong()));
        }
        return new ZoneEntry(new Zone(id, offsets, untilMillis));
    }
}
