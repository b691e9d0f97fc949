package io.headgate.core.shard;

import io.headgate.core.decision.Decision;
import java.util.ArrayList;
import java.util.List;

/**
 * The answers to one batch.
 *
 * @param sequence the batch's sequence in its session
 * @param atMillis log time at which they were given
 * @param decisions the answers, without what each rule said
 */
record AttemptEntry(long sequence, long atMillis, List<Decision> decisions) implements StateEntry {

    AttemptEntry {
        decisions = decisions.stream().map(Decision::withoutRules).toList();
    }

    /** Whether it is too old to be repeated. */
    boolean isGone(ShardSettings settings, long nowMillis) {
        return nowMillis - atMillis >= settings.attemptRetentionMillis();
    }

    @Override
    public byte[] toBytes() {
        ByteWriter out = new ByteWriter().putLong(sequence).putLong(atMillis).putLong(decisions.size());
        decisions.forEach(decision -> DecisionCodec.write(out, decision));
        return out.toBytes();
    }

    static AttemptEntry fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        long sequence = in.getLong();
        long atMillis = in.getLong();
        int size = in.getInt();
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            decisions.add(DecisionCodec.read(in));
        }
        return new AttemptEntry(sequence, atMillis, decisions);
    }
}
