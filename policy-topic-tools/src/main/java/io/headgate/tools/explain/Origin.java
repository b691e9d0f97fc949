package io.headgate.tools.explain;

import io.headgate.core.policy.Policy;
import io.headgate.schemas.PolicyTrust;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import io.headgate.tools.PolicyVersions;
import java.util.Optional;

/**
 * Where a policy version comes from: its record on {@code policies}, if readers believe it.
 *
 * @param version the version
 * @param author who published it; may be empty
 * @param reason why; may be empty
 * @param atMillis when it was appended
 * @param policy what it says
 */
record Origin(long version, String author, String reason, long atMillis, Policy policy) {

    /** Looks a version up. */
    static Optional<Origin> find(Cluster cluster, PolicyTrust trust, long version) throws CommandFailedException {
        return PolicyVersions.read(cluster, trust)
                .version(version)
                .map(entry -> new Origin(
                        version,
                        entry.record().orElseThrow().author(),
                        entry.record().orElseThrow().reason(),
                        entry.writtenMillis(),
                        entry.document().policy()));
    }
}
