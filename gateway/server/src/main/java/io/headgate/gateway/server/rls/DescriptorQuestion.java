package io.headgate.gateway.server.rls;

import io.headgate.core.policy.Meter;
import io.headgate.gateway.client.Ask;

/**
 * What one descriptor asks.
 *
 * @param ask the question
 * @param checkOnly whether it only asks how things stand
 */
record DescriptorQuestion(Ask ask, boolean checkOnly) {

    /** How many requests it counts for. */
    long hits() {
        return ask.costs().get(Meter.REQUESTS);
    }
}
