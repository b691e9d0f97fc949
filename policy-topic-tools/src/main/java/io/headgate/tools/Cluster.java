package io.headgate.tools;

import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A Kafka cluster, as far as a command needs one. For one thread. */
public interface Cluster extends AutoCloseable {

    /**
     * How many partitions a topic has.
     *
     * @throws CommandFailedException if there is no such topic, or the cluster does not answer
     */
    int partitions(String topic) throws CommandFailedException;

    /**
     * Reads a partition up to where it ends now, in the order of the log.
     *
     * @param fromOffset the first that is wanted; 0 for all that is left
     * @param each is given every record
     * @return where the partition ended
     * @throws CommandFailedException if the cluster does not answer
     */
    default long read(String topic, int partition, long fromOffset, Consumer<ConsumerRecord<byte[], byte[]>> each)
            throws CommandFailedException {
        return read(topic, partition, fromOffset, Long.MAX_VALUE, each);
    }

    /**
     * Reads a part of a partition, in the order of the log, up to where it ends now at most.
     *
     * @param fromOffset the first that is wanted; if the partition begins later, or ended before, it is read from where it
     *     begins
     * @param toOffset the first that is not wanted any more
     * @param each is given every record
     * @return where the partition ended; or, if less was asked for, where the reading did: the first offset that is left
     *     when that is beyond {@code toOffset}
     * @throws CommandFailedException if the cluster does not answer
     */
    long read(
            String topic, int partition, long fromOffset, long toOffset, Consumer<ConsumerRecord<byte[], byte[]>> each)
            throws CommandFailedException;

    /**
     * Where a partition has its first record of a time or later; where it ends, if there is none.
     *
     * @param timeMillis since the epoch; 0 for where it begins
     * @throws CommandFailedException if the cluster does not answer
     */
    long offsetAt(String topic, int partition, long timeMillis) throws CommandFailedException;

    /**
     * Where a partition ends.
     *
     * @throws CommandFailedException if the cluster does not answer
     */
    long end(String topic, int partition) throws CommandFailedException;

    /**
     * Appends records and waits until all of them are safe.
     *
     * @return their offsets, in the order of the records
     * @throws CommandFailedException if one is refused or not acknowledged in time; some may have been appended then
     */
    List<Long> append(List<ProducerRecord<byte[], byte[]>> records) throws CommandFailedException;

    /**
     * Takes the right to write under a name that one alone has at a time: whoever had it loses it, and what they had
     * begun to write and not finished never was.
     *
     * @throws CommandFailedException if the cluster refuses or does not answer
     */
    SoleWriter soleWriter(String name) throws CommandFailedException;

    @Override
    void close();
}
