package io.headgate.tools;

import org.apache.kafka.clients.producer.ProducerRecord;

/** Who alone may write under a name. A record is on its topic wholly or not at all. For one thread. */
public interface SoleWriter extends AutoCloseable {

    /**
     * Writes one record, and waits until that is decided; readers see it a moment later.
     *
     * @return its offset
     * @throws SupersededException if somebody else has taken the name; nothing was written then
     * @throws CommandFailedException if it was refused, or if it is not known what became of it
     */
    long append(ProducerRecord<byte[], byte[]> record) throws CommandFailedException, SupersededException;

    @Override
    void close();
}
