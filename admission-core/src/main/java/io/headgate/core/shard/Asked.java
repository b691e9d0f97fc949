package io.headgate.core.shard;

import io.headgate.core.decision.Decision.RuleOutcome.Said;
import io.headgate.core.limit.Check;
import io.headgate.core.limit.Unlimited;
import io.headgate.core.policy.Rule;
import io.headgate.core.shard.Buckets.Bucket;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * A rule that speaks of a request, what it would charge, and what it says.
 *
 * @param check whether the charge is within the limit
 * @param hard whether it is within what is enforced: more than the limit for a soft rule
 */
record Asked(Rule rule, Bucket bucket, long charge, Check check, Check hard) {

    boolean enforced() {
        return !rule.shadow();
    }

    boolean denies() {
        return !hard.permitted();
    }

    /** A soft rule that was exceeded and admits all the same. */
    boolean soft() {
        return hard.permitted() && !check.permitted();
    }

    Said said() {
        if (soft()) {
            return Said.SOFT;
        }
        return denies() ? Said.DENY : Said.PASS;
    }

    boolean limited() {
        return !(bucket.limit() instanceof Unlimited);
    }

    /** What is left of the limit when the decision is carried out. */
    long remainingTokens(boolean debits) {
        boolean charged = debits && !denies();
        return charged ? Math.max(0, check.remainingTokens() - charge) : check.remainingTokens();
    }

    /** A number of tokens, where there is a limit that it could be a part of. */
    OptionalLong ifLimited(long tokens) {
        return limited() ? OptionalLong.of(tokens) : OptionalLong.empty();
    }

    /** Those of which it is true, in order. Most often there are none, and nothing is made for them. */
    static List<Asked> those(List<Asked> asked, Predicate<Asked> which) {
        List<Asked> found = List.of();
        for (Asked one : asked) {
            if (which.test(one)) {
                found = found.isEmpty() ? new ArrayList<>() : found;
                found.add(one);
            }
        }
        return found;
    }
}
