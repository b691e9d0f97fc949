package io.headgate.cluster.bench;

import java.util.concurrent.CompletableFuture;

/** Something that can be asked over and over. */
@FunctionalInterface
interface Target {

    /**
     * Asks once more, and does not wait for what comes of it. For one thread only.
     *
     * @return completes in any case, by the deadline at about the latest
     */
    CompletableFuture<Outcome> ask();
}
