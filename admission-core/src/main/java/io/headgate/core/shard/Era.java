package io.headgate.core.shard;

import io.headgate.core.limit.Limit;
import io.headgate.core.policy.Rollout.Tenants;
import io.headgate.core.policy.Rule;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A time in which a rule had the same limits for some.
 *
 * @param fromOffset offset of the record that began it
 * @param fromMillis log time of it
 * @param audience whose counters it is of
 * @param shape what the rule counted, and by what
 * @param limit the limit
 * @param byPlan the limits of plans of their own
 * @param fresh whether the rule wished that budgets begin anew with it
 */
record Era(
        long fromOffset,
        long fromMillis,
        Audience audience,
        Shape shape,
        Limit limit,
        Map<String, Limit> byPlan,
        boolean fresh) {

    Era {
        byPlan = Collections.unmodifiableMap(new TreeMap<>(byPlan));
    }

    static Era of(Rule rule, Audience audience, boolean fresh, long offset, long nowMillis) {
        return new Era(offset, nowMillis, audience, Shape.of(rule), rule.limit(), rule.byPlan(), fresh);
    }

    /** Whether counters mean the same in both, whosever they are. */
    boolean countsLike(Era other) {
        return shape.equals(other.shape) && limit.equals(other.limit) && byPlan.equals(other.byPlan);
    }

    /** Whether budgets begin anew when this follows: by the rule's wish, or because nothing could be carried over. */
    boolean beginsAnewAfter(Era before) {
        return fresh || !shape.equals(before.shape) || !limit.algorithm().equals(before.limit.algorithm());
    }

    /** The same once every counter has seen it begin. */
    Era seen() {
        return fresh ? new Era(fromOffset, fromMillis, audience, shape, limit, byPlan, false) : this;
    }

    /** {@code groups} has those of its audience. */
    void writeTo(ByteWriter out, List<Tenants> groups) {
        out.putLong(fromOffset).putLong(fromMillis).putBoolean(fresh);
        audience.writeTo(out, groups);
        shape.writeTo(out);
        LimitCodec.write(out, limit);
        out.putLong(byPlan.size());
        byPlan.forEach((plan, own) -> {
            out.putString(plan);
            LimitCodec.write(out, own);
        });
    }

    static Era readFrom(ByteReader in, List<Tenants> groups) {
        long fromOffset = in.getLong();
        long fromMillis = in.getLong();
        boolean fresh = in.getBoolean();
        Audience audience = Audience.readFrom(in, groups);
        Shape shape = Shape.readFrom(in);
        Limit limit = LimitCodec.readLimit(in);
        int plans = in.getInt();
        Map<String, Limit> byPlan = new TreeMap<>();
        for (int i = 0; i < plans; i++) {
            byPlan.put(in.getString(), LimitCodec.readLimit(in));
        }
        return new Era(fromOffset, fromMillis, audience, shape, limit, byPlan, fresh);
    }
}
