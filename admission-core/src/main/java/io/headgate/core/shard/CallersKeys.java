package io.headgate.core.shard;

import io.headgate.core.decision.Admission;
import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Idempotency;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Admits a request once under its caller's own key, however often and through whatever gateway it is asked. An admission
 * is repeated for as long as it is remembered; a denial is not remembered, so that the caller may try again later.
 */
final class CallersKeys {

    private final WorkingSet state;
    private final Idempotency idempotency;
    private final long nowMillis;

    CallersKeys(WorkingSet state, Idempotency idempotency, long nowMillis) {
        this.state = state;
        this.idempotency = idempotency;
        this.nowMillis = nowMillis;
    }

    Decision decide(
            Admission admission, String callersKey, DecisionId id, long policyVersion, Supplier<Decision> anew) {
        StateKey key = Keys.keyed(admission, callersKey);
        RequestHash request = RequestHash.of(admission);
        Optional<KeyedEntry> stored = state.get(key, KeyedEntry::fromBytes);
        Optional<KeyedEntry> earlier = stored.filter(entry -> !entry.isGone(nowMillis));
        if (earlier.isPresent()) {
            return earlier.get().request().equals(request)
                    ? earlier.get().decision().asReplayed()
                    : Decision.undecided(
                            Verdict.CONFLICT,
                            id,
                            policyVersion,
                            "its idempotency key was used for another request; that was decided as "
                                    + earlier.get().decision().id());
        }
        Tally tally = tally(admission.partitionKey());
        if (stored.isEmpty() && tally.keys() >= idempotency.keysPerTenant()) {
            return Decision.undecided(
                    Verdict.ERROR,
                    id,
                    policyVersion,
                    tally.keys() + " idempotency keys are remembered for this caller, as many as may be;"
                            + " ask without one, or later");
        }
        Decision decision = anew.get();
        if (decision.verdict() == Verdict.ALLOW) {
            state.put(key, new KeyedEntry(nowMillis + idempotency.retentionMillis(), request, decision));
            if (stored.isEmpty()) {
                state.put(Keys.keyedTally(admission.partitionKey()), new Tally(tally.keys() + 1));
            }
        }
        return decision;
    }

    /** Drops a key that is free again. */
    void sweep(StateKey key, KeyedEntry entry) {
        if (entry.isGone(nowMillis)) {
            String partitionKey = Keys.partitionKeyOf(key.bytes());
            Tally left = new Tally(tally(partitionKey).keys() - 1);
            state.delete(key);
            if (left.keys() == 0) {
                state.delete(Keys.keyedTally(partitionKey));
            } else {
                state.put(Keys.keyedTally(partitionKey), left);
            }
        }
    }

    private Tally tally(String partitionKey) {
        return state.get(Keys.keyedTally(partitionKey), Tally::fromBytes).orElse(Tally.NONE);
    }
}
