package io.headgate.tools.backtest;

import io.headgate.schemas.PolicyHistory;
import io.headgate.schemas.PolicyHistory.Accepted;
import io.headgate.schemas.PolicyTrust;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.util.Optional;
import java.util.OptionalLong;

/** A version of the policy on its topic. */
final class PolicyChoice {

    private PolicyChoice() {}

    /**
     * The version, of those that a shard would take; signatures are the business of the shards and not checked again.
     *
     * @param version which; empty for the newest
     */
    static PolicyDocument of(Cluster cluster, OptionalLong version) throws CommandFailedException {
        PolicyHistory history = new PolicyHistory(PolicyTrust.ANYBODY);
        byte[][] wanted = {null};
        cluster.read(TopicCatalogue.POLICIES, 0, 0, record -> {
            history.take(record.offset(), record.timestamp(), record.value());
            Optional<Accepted> newest = history.newest();
            if (newest.isPresent() && (version.isEmpty() || newest.get().version() == version.getAsLong())) {
                wanted[0] = newest.get().document();
            }
        });
        if (wanted[0] != null) {
            return PolicyDocument.parse(wanted[0]);
        }
        String which = version.isEmpty() ? "no policy" : "no policy version " + version.getAsLong();
        throw new CommandFailedException("there is " + which + " on topic " + TopicCatalogue.POLICIES
                + history.newest()
                        .map(newest -> "; the newest is " + newest.version())
                        .orElse("; name a file with --baseline"));
    }
}
