package io.headgate.processor;

import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.UnreadableRecordException;

/** Which shard a partition key is at home in. */
final class Homes {

    private static final int SHOWN_LENGTH = 64;

    private Homes() {}

    /**
     * Makes sure that a record stands in the partition of the shard that it is for.
     *
     * @throws UnreadableRecordException if it does not
     */
    static void check(String partitionKey, int shard, int shards) {
        int home = Partitioning.shardOf(partitionKey, shards);
        if (home != shard) {
            throw new UnreadableRecordException("'" + shown(partitionKey) + "' belongs to shard " + home + " of "
                    + shards + "; the record must stand in partition " + home);
        }
    }

    /** What a stranger wrote, cut where it becomes too long for a line of the log. */
    static String shown(String text) {
        return text.length() > SHOWN_LENGTH ? text.substring(0, SHOWN_LENGTH) + "…" : text;
    }
}
