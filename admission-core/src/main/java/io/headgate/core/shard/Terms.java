package io.headgate.core.shard;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Rule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What decides the limits of one partition key, besides the rules.
 *
 * @param plan names one of the policy's plans
 * @param unlimited whether no rule limits it
 * @param zone its time zone
 * @param overrides limits of its own, by rule id; of several the first that is by the rule's algorithm
 */
record Terms(String plan, boolean unlimited, Optional<String> zone, SortedMap<String, List<Limit>> overrides) {

    /** Of somebody about whom nothing is known. */
    static final Terms DEFAULT = new Terms(TenantPlan.DEFAULT, false, Optional.empty(), new TreeMap<>());

    private static final Limit UNLIMITED = new Unlimited();

    Terms {
        SortedMap<String, List<Limit>> copies = new TreeMap<>();
        overrides.forEach((ruleId, limits) -> copies.put(ruleId, List.copyOf(limits)));
        overrides = Collections.unmodifiableSortedMap(copies);
    }

    /** A rule's limit under these terms. Nothing here changes a rule's algorithm. */
    Limit limitOf(String ruleId, Limit limit, Map<String, Limit> byPlan) {
        if (unlimited) {
            return UNLIMITED;
        }
        if (!overrides.isEmpty()) {
            for (Limit own : overrides.getOrDefault(ruleId, List.of())) {
                if (applies(own, limit)) {
                    return own;
                }
            }
        }
        return byPlan.isEmpty() ? limit : byPlan.getOrDefault(plan, limit);
    }

    Limit limitOf(Rule rule) {
        return limitOf(rule.id(), rule.limit(), rule.byPlan());
    }

    Limit limitOf(String ruleId, Era era) {
        return limitOf(ruleId, era.limit(), era.byPlan());
    }

    /** Whether a limit of somebody's own can stand for a rule's. */
    static boolean applies(Limit own, Limit ofRule) {
        return own instanceof Unlimited || own.algorithm().equals(ofRule.algorithm());
    }

    void writeTo(ByteWriter out) {
        out.putString(plan).putBoolean(unlimited).putString(zone.orElse("")).putLong(overrides.size());
        overrides.forEach((ruleId, limits) -> {
            out.putString(ruleId).putLong(limits.size());
            limits.forEach(limit -> LimitCodec.write(out, limit));
        });
    }

    static Terms readFrom(ByteReader in) {
        String plan = in.getString();
        boolean unlimited = in.getBoolean();
        Optional<String> zone = Optional.of(in.getString()).filter(name -> !name.isEmpty());
        SortedMap<String, List<Limit>> overrides = new TreeMap<>();
        for (int left = in.getInt(); left > 0; left--) {
            String ruleId = in.getString();
            List<Limit> limits = new ArrayList<>();
            for (int more = in.getInt(); more > 0; more--) {
                limits.add(LimitCodec.readLimit(in));
            }
            overrides.put(ruleId, limits);
        }
        return new Terms(plan, unlimited, zone, overrides);
    }
}
