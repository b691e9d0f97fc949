package io.headgate.gateway.client;

import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Unavailable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** How many questions of one tenant, or of one anonymous caller, wait for an answer: a bounded number of each. */
final class TenantPlaces {

    private final int most;
    private final Unavailable full;
    private final ConcurrentMap<String, Integer> taken = new ConcurrentHashMap<>();

    TenantPlaces(int most) {
        this.most = most;
        this.full =
                Unavailable.because(Cause.OVERLOADED, "as many calls of this tenant are pending as may be: " + most);
    }

    /** Takes a place; says whether there was one. */
    boolean take(String partitionKey) {
        boolean[] took = new boolean[1];
        taken.compute(partitionKey, (key, count) -> {
            int before = count == null ? 0 : count;
            took[0] = before < most;
            return took[0] ? Integer.valueOf(before + 1) : count;
        });
        return took[0];
    }

    void giveBack(String partitionKey) {
        taken.computeIfPresent(partitionKey, (key, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    /** The answer to one who gets no place. */
    Unavailable full() {
        return full;
    }

    /** How many have a place. */
    int tenants() {
        return taken.size();
    }
}
