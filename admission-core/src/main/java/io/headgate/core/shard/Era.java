package io.headgate.core.shard;

import io.headgate.core.limit.Limit;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A time in which a rule had the same limits.
 *
 * @param fromOffset offset of the record that began it
 * @param fromMillis log time of it
 * @param limit the limit
 * @param byPlan the limits of plans of their own
 * @param fresh whether budgets began anew with it
 */
record Era(long fromOffset, long fromMillis, Limit limit, Map<String, Limit> byPlan, boolean fresh) {

    Era {
        byPlan = Collections.unmodifiableMap(new TreeMap<>(byPlan));
    }

    void writeTo(ByteWriter out) {
        out.putLong(fromOffset).putLong(fromMillis).putBoolean(fresh);
        LimitCodec.write(out, limit);
        out.putLong(byPlan.size());
        byPlan.forEach((plan, own) -> {
            out.putString(plan);
            LimitCodec.write(out, own);
        });
    }

    static Era readFrom(ByteReader in) {
        long fromOffset = in.getLong();
        long fromMillis = in.getLong();
        boolean fresh = in.getBoolean();
        Limit limit = LimitCodec.readLimit(in);
        int plans = in.getInt();
        Map<String, Limit> byPlan = new TreeMap<>();
        for (int i = 0; i < plans; i++) {
            byPlan.put(in.getString(), LimitCodec.readLimit(in));
        }
        return new Era(fromOffset, fromMillis, limit, byPlan, fresh);
    }
}
