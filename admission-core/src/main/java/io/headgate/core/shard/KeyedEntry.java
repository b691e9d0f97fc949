package io.headgate.core.shard;

import io.headgate.core.decision.Decision;

/**
 * What was admitted under a caller's key.
 *
 * @param untilMillis log time at which the caller's key is free again
 * @param request a hash of what was asked
 * @param decision the answer, without what each rule said
 */
record KeyedEntry(long untilMillis, RequestHash request, Decision decision) implements StateEntry {

    KeyedEntry {
        decision = decision.withoutRules();
    }

    /** Whether the caller's key is free again. */
    boolean isGone(long nowMillis) {
        return nowMillis >= untilMillis;
    }

    @Override
    public byte[] toBytes() {
        ByteWriter out = new ByteWriter().putLong(untilMillis).putString(request.hex());
        DecisionCodec.write(out, decision);
        return out.toBytes();
    }

    static KeyedEntry fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        return new KeyedEntry(in.getLong(), new RequestHash(in.getString()), DecisionCodec.read(in));
    }
}
