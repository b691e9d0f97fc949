package io.headgate.core.policy;

import io.headgate.core.limit.Bounds;
import io.headgate.core.limit.Limit;
import io.headgate.core.limit.Pace;
import io.headgate.core.policy.InvalidPolicyException.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How a budget that several holders spend is handed to them: a chunk at a time, for a while.
 *
 * @param strategy who shares it
 * @param chunkTokens how much a holder gets at once, 1 to 10^12
 * @param ttlMillis how long it may hold it, 1 ms to 366 days
 */
public record Leasing(Strategy strategy, long chunkTokens, long ttlMillis) {

    public Leasing {
        Objects.requireNonNull(strategy);
        if (!strategy.leases()) {
            throw new IllegalArgumentException("strategy is '" + strategy.label() + "', which leases nothing");
        }
        Bounds.inRange("chunk", chunkTokens, 1, Bounds.MAX_TOKENS);
        Bounds.inRange("ttl", ttlMillis, 1, Bounds.MAX_PERIOD_MILLIS);
    }

    /** Who shares a budget. */
    public enum Strategy {
        /** The shards of one region. */
        SHARD_LEASE("shard-lease", true),
        /** Regions. */
        REGIONAL_LEASE("regional-lease", true),
        /** Nobody: the home region alone decides. */
        HOME_REGION("home-region", false),
        /** Nobody: every region has the whole budget. */
        INDEPENDENT("independent", false);

        private final String label;
        private final boolean leases;

        Strategy(String label, boolean leases) {
            this.label = label;
            this.leases = leases;
        }

        /** The name in documents. */
        public String label() {
            return label;
        }

        /** Whether chunks of the budget are handed out. */
        public boolean leases() {
            return leases;
        }
    }

    /**
     * What forbids it for a rule.
     *
     * @param place of the lease in the document
     * @param limit the rule's limit
     * @param byPlan whether the limit is taken from plans: then a chunk is never more than the plan's limit, and the
     *     number here only caps it
     */
    public List<Problem> problemsUnder(String place, Limit limit, boolean byPlan) {
        List<Problem> problems = new ArrayList<>();
        if (!byPlan && chunkTokens > limit.tokens()) {
            problems.add(new Problem(
                    place + ".chunk",
                    "is " + chunkTokens + ", above the rule's limit; it must be at most " + limit.tokens()));
        }
        Pace.window(limit)
                .filter(window -> ttlMillis > window)
                .ifPresent(window -> problems.add(new Problem(
                        place + ".ttl",
                        "is " + ttlMillis + " ms, longer than the rule's window; it must be at most " + window
                                + " ms")));
        return problems;
    }
}
