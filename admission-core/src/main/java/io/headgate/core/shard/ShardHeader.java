package io.headgate.core.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a shard knows of itself. Changed by the fold only, and written with every record. */
final class ShardHeader implements StateEntry {

    /** The most losses that are remembered; of more, the oldest are dropped. */
    static final int MAX_LOSSES = 16;

    private static final long NONE = -1;

    /** Below 0, where the first release had its next offset. */
    private static final long FORMAT = -3;

    long nextOffset;
    long logTimeMillis;
    Optional<ShardSettings> settings = Optional.empty();
    long settingsSource = NONE;
    long policySource = NONE;
    long planSource = NONE;
    long actionSource = NONE;
    boolean caughtUp;
    int sessions;
    SweepRound enforcedRound = SweepRound.first();
    SweepRound shadowRound = SweepRound.first();
    List<Loss> losses = new ArrayList<>();

    /** As it is now, for a store that keeps it. */
    ShardHeader copy() {
        ShardHeader copy = new ShardHeader();
        copy.nextOffset = nextOffset;
        copy.logTimeMillis = logTimeMillis;
        copy.settings = settings;
        copy.settingsSource = settingsSource;
        copy.policySource = policySource;
        copy.planSource = planSource;
        copy.actionSource = actionSource;
        copy.caughtUp = caughtUp;
        copy.sessions = sessions;
        copy.enforcedRound = enforcedRound;
        copy.shadowRound = shadowRound;
        copy.losses = losses.isEmpty() ? List.of() : List.copyOf(losses);
        return copy;
    }

    @Override
    public byte[] toBytes() {
        ByteWriter out = new ByteWriter()
                .putLong(FORMAT)
                .putLong(nextOffset)
                .putLong(logTimeMillis)
                .putBoolean(settings.isPresent());
        settings.ifPresent(present -> present.writeTo(out));
        out.putLong(settingsSource)
                .putLong(policySource)
                .putLong(planSource)
                .putLong(actionSource)
                .putBoolean(caughtUp)
                .putLong(sessions);
        enforcedRound.writeTo(out);
        shadowRound.writeTo(out);
        out.putLong(losses.size());
        for (Loss loss : losses) {
            out.putLong(loss.fromOffset())
                    .putLong(loss.toOffset())
                    .putString(loss.author())
                    .putString(loss.reason());
        }
        return out.toBytes();
    }

    static ShardHeader fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        ShardHeader header = new ShardHeader();
        long format = in.getLong();
        if (format != FORMAT) {
            throw new IllegalStateException("the state of this shard was written by another release (format " + format
                    + "); this release reads format " + FORMAT);
        }
        header.nextOffset = in.getLong();
        header.logTimeMillis = in.getLong();
        header.settings = in.getBoolean() ? Optional.of(ShardSettings.readFrom(in)) : Optional.empty();
        header.settingsSource = in.getLong();
        header.policySource = in.getLong();
        header.planSource = in.getLong();
        header.actionSource = in.getLong();
        header.caughtUp = in.getBoolean();
        header.sessions = in.getInt();
        header.enforcedRound = SweepRound.readFrom(in);
        header.shadowRound = SweepRound.readFrom(in);
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
            header.losses.add(new Loss(in.getLong(), in.getLong(), in.getString(), in.getString()));
        }
        return header;
    }
}
