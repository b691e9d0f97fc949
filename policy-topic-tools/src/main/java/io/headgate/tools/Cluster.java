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
    long read(String topic, int partition, long fromOffset, Consumer<ConsumerRecord<byte[], byte[]>> each)
            throws CommandFailedException;

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
