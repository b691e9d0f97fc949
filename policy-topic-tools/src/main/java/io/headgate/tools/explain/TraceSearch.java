package io.headgate.tools.explain;

import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Trace;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.TraceRecords;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Looks a decision's trace up. Traces are in the partition of their partition key; without it all partitions are read. A
 * record that cannot be read, or tells of a request of somebody else, is passed over.
 */
final class TraceSearch {

    private final DecisionId id;
    private final Optional<String> partitionKey;
    private Optional<Trace> found = Optional.empty();

    private TraceSearch(DecisionId id, Optional<String> partitionKey) {
        this.id = id;
        this.partitionKey = partitionKey;
    }

    /**
     * The trace, if there is one; of several the first.
     *
     * @param partitionKey of the request, if it is known
     */
    static Optional<Trace> find(Cluster cluster, DecisionId id, Optional<String> partitionKey)
            throws CommandFailedException {
        TraceSearch search = new TraceSearch(id, partitionKey);
        int partitions = cluster.partitions(TopicCatalogue.DECISION_TRACE);
        int first =
                partitionKey.map(key -> Partitioning.shardOf(key, partitions)).orElse(0);
        int last = partitionKey.isPresent() ? first : partitions - 1;
        for (int partition = first; partition <= last && search.found.isEmpty(); partition++) {
            cluster.read(TopicCatalogue.DECISION_TRACE, partition, 0, search::see);
        }
        return search.found;
    }

    private void see(ConsumerRecord<byte[], byte[]> record) {
        if (found.isPresent() || record.value() == null) {
            return;
        }
        try {
            Trace trace = TraceRecords.read(record.value());
            if (trace.id().equals(id)
                    && partitionKey.map(trace.partitionKey()::equals).orElse(true)) {
                found = Optional.of(trace);
            }
        } catch (UnreadableRecordException foreign) {
            // No trace of this decision.
        }
    }
}
