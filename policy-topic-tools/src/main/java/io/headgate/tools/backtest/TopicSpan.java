package io.headgate.tools.backtest;

import io.headgate.schemas.TopicCatalogue;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Which part of each shard's log is folded. It is found once: what is appended later is not read, and a run that goes on
 * reads the same.
 *
 * @param shards the part of each, by number
 */
record TopicSpan(List<Part> shards) {

    TopicSpan {
        shards = List.copyOf(shards);
    }

    /** Offsets of one log, the second not included. */
    record Part(long from, long to) {

        long records() {
            return to - from;
        }
    }

    /**
     * Asks the cluster.
     *
     * @param sinceMillis log time of the first record; 0 for where each log begins
     * @param untilMillis log time of the first record that is not wanted; {@code Long.MAX_VALUE} for where each log ends
     */
    static TopicSpan of(Cluster cluster, long sinceMillis, long untilMillis) throws CommandFailedException {
        String topic = TopicCatalogue.ADMISSION_REQUESTS;
        List<Part> shards = new ArrayList<>();
        int count = cluster.partitions(topic);
        for (int shard = 0; shard < count; shard++) {
            long from = cluster.offsetAt(topic, shard, sinceMillis);
            long to = untilMillis == Long.MAX_VALUE
                    ? cluster.end(topic, shard)
                    : cluster.offsetAt(topic, shard, untilMillis);
            shards.add(new Part(from, Math.max(from, to)));
        }
        return new TopicSpan(shards);
    }

    long records() {
        return shards.stream().mapToLong(Part::records).sum();
    }

    void writeTo(DataOutput out) throws IOException {
        out.writeInt(shards.size());
        for (Part part : shards) {
            out.writeLong(part.from());
            out.writeLong(part.to());
        }
    }

    static TopicSpan readFrom(DataInput in) throws IOException {
        List<Part> shards = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            shards.add(new Part(in.readLong(), in.readLong()));
        }
        return new TopicSpan(shards);
    }
}
