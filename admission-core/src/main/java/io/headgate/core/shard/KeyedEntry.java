package io.headgate.core.shard;

import io.headgate.core.decision.Decision;
import io.headgate.core.policy.Idempotency;

/**
 * What was admitted under a caller's key.
 *
 * @param atMillis log time of it
 * @param request a hash of what was asked
 * @param decision the answer, without what each rule said
 */
record KeyedEntry(long atMillis, RequestHash request, Decision decision) implements StateEntry {

    KeyedEntry {
        decision = decision.withoutRules();
    }

    /** Whether the caller's key is free again. */
    boolean isGone(Idempotency idempotency, long nowMillis) {
        return nowMillis - atMillis >= idempotency.retentionMillis();
    }

    @Override
    public byte[] toBytes() {
        ByteWriter out = new ByteWriter().putLong(atMillis).putString(request.hex());
        DecisionCodec.write(out, decision);
        return out.toBytes();
    }

    static KeyedEntry fromBytes(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        return new KeyedEntry(in.getLong(), new RequestHash(in.getString()), DecisionCodec.read(in));
    }
}
