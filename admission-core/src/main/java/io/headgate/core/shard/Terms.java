package io.headgate.core.shard;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What decides the limits of one partition key, besides the rules.
 *
 * @param plan names one of the policy's plans
 * @param unlimited whether no rule limits it
 * @param zone its time zone
 * @param overrides limits of its own, by rule id
 */
record Terms(String plan, boolean unlimited, Optional<String> zone, SortedMap<String, Limit> overrides) {

    /** Of somebody about whom nothing is known. */
    static final Terms DEFAULT = new Terms(TenantPlan.DEFAULT, false, Optional.empty(), new TreeMap<>());

    private static final Limit UNLIMITED = new Unlimited();

    Terms {
        overrides = Collections.unmodifiableSortedMap(new TreeMap<>(overrides));
    }

    /** A rule's limit under these terms. Nothing here changes a rule's algorithm. */
    Limit limitOf(String ruleId, Era era) {
        if (unlimited) {
            return UNLIMITED;
        }
        Limit own = overrides.get(ruleId);
        boolean applies = own instanceof Unlimited
                || (own != null && own.algorithm().equals(era.limit().algorithm()));
        return applies ? own : era.byPlan().getOrDefault(plan, era.limit());
    }

    void writeTo(ByteWriter out) {
        out.putString(plan).putBoolean(unlimited).putString(zone.orElse("")).putLong(overrides.size());
        overrides.forEach((ruleId, limit) -> {
            out.putString(ruleId);
            LimitCodec.write(out, limit);
        });
    }

    static Terms readFrom(ByteReader in) {
        String plan = in.getString();
        boolean unlimited = in.getBoolean();
        Optional<String> zone = Optional.of(in.getString()).filter(name -> !name.isEmpty());
        SortedMap<String, Limit> overrides = new TreeMap<>();
        for (int left = in.getInt(); left > 0; left--) {
            overrides.put(in.getString(), LimitCodec.readLimit(in));
        }
        return new Terms(plan, unlimited, zone, overrides);
    }
}
