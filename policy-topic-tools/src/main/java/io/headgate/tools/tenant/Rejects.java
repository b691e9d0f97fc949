package io.headgate.tools.tenant;

import io.headgate.tools.BadLine;
import java.io.PrintWriter;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Records that no shard takes, counted; the first is told. */
final class Rejects {

    private static final int LONGEST_REASON = 200;

    private long count;
    private String first = "";

    void add(ConsumerRecord<byte[], byte[]> record, String why) {
        if (count++ == 0) {
            first = Place.of(record) + ": " + BadLine.shown(why, LONGEST_REASON);
        }
    }

    void print(PrintWriter err) {
        if (count > 0) {
            err.println(count + " records were passed over, as a shard does; the first: " + first);
        }
    }
}
