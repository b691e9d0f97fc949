package io.headgate.schemas;

import io.headgate.core.decision.Decision;
import java.util.List;

/**
 * The answer to one batch.
 *
 * @param shard who answers
 * @param logTimeMillis log time at which the batch was decided
 * @param problem why there are no decisions at all; empty when there are
 * @param decisions one for each command, in order
 */
public record Reply(int shard, long logTimeMillis, String problem, List<Decision> decisions) {

    public Reply {
        decisions = List.copyOf(decisions);
    }
}
