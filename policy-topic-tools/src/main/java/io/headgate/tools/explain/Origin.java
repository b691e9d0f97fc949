package io.headgate.tools.explain;

import io.headgate.core.policy.InvalidPolicyException;
import io.headgate.core.policy.Policy;
import io.headgate.schemas.PolicyRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Where a policy version comes from: its record on {@code policies}. Of several of one version the first that is whole.
 *
 * @param version the version
 * @param author who published it; may be empty
 * @param reason why; may be empty
 * @param atMillis when it was appended
 * @param policy what it says
 */
record Origin(long version, String author, String reason, long atMillis, Policy policy) {

    /** Looks a version up. */
    static Optional<Origin> find(Cluster cluster, long version) throws CommandFailedException {
        Search search = new Search(version);
        cluster.read(TopicCatalogue.POLICIES, 0, 0, search::see);
        return search.found;
    }

    private static final class Search {

        private final long version;
        private Optional<Origin> found = Optional.empty();

        private Search(long version) {
            this.version = version;
        }

        private void see(ConsumerRecord<byte[], byte[]> at) {
            if (found.isPresent() || at.value() == null) {
                return;
            }
            try {
                PolicyRecord record = PolicyRecord.fromBytes(at.value());
                if (record.version() != version) {
                    return;
                }
                PolicyDocument document = PolicyDocument.parse(record.document().getBytes(StandardCharsets.UTF_8));
                if (document.contentHash().equals(record.contentHash())
                        && document.metadata().version() == version) {
                    found = Optional.of(new Origin(
                            version,
                            document.metadata().author(),
                            document.metadata().reason(),
                            at.timestamp(),
                            document.policy()));
                }
            } catch (UnreadableRecordException | InvalidPolicyException foreign) {
                // No shard applies it.
            }
        }
    }
}
