package io.headgate.gateway.server.rls;

import io.headgate.core.limit.FixedWindowLimit;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.SlidingLogLimit;
import io.headgate.core.limit.SlidingWindowLimit;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.limit.Window;
import io.headgate.core.policy.Policy;
import io.headgate.core.policy.Rule;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.headgate.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Ask;
import io.headgate.gateway.client.feedback.Quota;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The limit that a decision tells of, in the terms of Envoy's protocol. A unit is told only where the limit holds for exactly
 * as long as Envoy takes the unit for: a week is 7 days there, a month 30, a year 365. Otherwise, as for a bucket, it is
 * UNKNOWN, and Envoy leaves the limit out of the list in {@code X-RateLimit-Limit}.
 *
 * @param rule the rule's id; empty where it is not known
 * @param tokens the limit
 * @param unit for how long it holds
 */
record CurrentLimit(Optional<String> rule, long tokens, Unit unit) {

    /** The greatest number that the protocol has room for. */
    static final long MOST = 4_294_967_295L;

    private static final long SECOND_MILLIS = 1_000;
    private static final long DAY_MILLIS = 86_400 * SECOND_MILLIS;

    private static final Map<Long, Unit> UNITS = Map.of(
            SECOND_MILLIS,
            Unit.SECOND,
            60 * SECOND_MILLIS,
            Unit.MINUTE,
            3_600 * SECOND_MILLIS,
            Unit.HOUR,
            DAY_MILLIS,
            Unit.DAY,
            7 * DAY_MILLIS,
            Unit.WEEK,
            30 * DAY_MILLIS,
            Unit.MONTH,
            365 * DAY_MILLIS,
            Unit.YEAR);

    /** Empty where no rule with a limit spoke of the request. */
    static Optional<CurrentLimit> of(Ask ask, Decided decided, Optional<Policy> policy) {
        return Quota.of(ask, decided, policy)
                .map(quota -> new CurrentLimit(
                        quota.rule(),
                        quota.limit(),
                        quota.rule()
                                .flatMap(id -> policy.flatMap(known -> known.rule(id)))
                                .map(rule -> unitOf(rule, quota.limit()))
                                .orElse(Unit.UNKNOWN)));
    }

    /** Whether a rule speaks of the request that lets everything pass. */
    static boolean isUnlimited(Ask ask, Decided decided, Optional<Policy> policy) {
        if (policy.isEmpty()) {
            return false;
        }
        Optional<String> group = policy.get().routes().groupOf(ask.route());
        return policy.get().rules(decided.stage()).stream()
                .anyMatch(rule -> !rule.shadow() && rule.limit() instanceof Unlimited && ask.isSpokenOfBy(rule, group));
    }

    RateLimit toMessage() {
        return RateLimit.newBuilder()
                .setRequestsPerUnit(unsigned(tokens))
                .setUnit(unit)
                .setName(rule.orElse(""))
                .build();
    }

    /** As an unsigned number of the protocol; what is more than it has room for is as much as it has. */
    static int unsigned(long number) {
        return (int) Math.min(number, MOST);
    }

    /** Of the rule's limits, by plan, those of so many tokens must agree. */
    private static Unit unitOf(Rule rule, long tokens) {
        List<Unit> units = rule.limits().stream()
                .filter(limit -> limit.tokens() == tokens)
                .map(CurrentLimit::unitOf)
                .distinct()
                .toList();
        return units.size() == 1 ? units.get(0) : Unit.UNKNOWN;
    }

    private static Unit unitOf(Limit limit) {
        if (limit instanceof FixedWindowLimit fixed) {
            return fixed.window() instanceof Window.Every every ? unitOf(every.lengthMillis()) : Unit.UNKNOWN;
        }
        if (limit instanceof SlidingWindowLimit sliding) {
            return unitOf(sliding.windowMillis());
        }
        return limit instanceof SlidingLogLimit log ? unitOf(log.windowMillis()) : Unit.UNKNOWN;
    }

    private static Unit unitOf(long millis) {
        return UNITS.getOrDefault(millis, Unit.UNKNOWN);
    }
}
