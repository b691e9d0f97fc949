package io.headgate.tools;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;

/** A writer by Kafka's transactions, one a record. The brokers fence whoever had the transactional id before. */
final class TransactionalWriter implements SoleWriter {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Producer<byte[], byte[]> producer;
    private final BiFunction<String, Throwable, CommandFailedException> failed;

    /**
     * Takes a producer over.
     *
     * @param producer one that has done with {@code initTransactions}
     * @param failed says of a topic that it cannot be written, and why
     */
    TransactionalWriter(
            Producer<byte[], byte[]> producer, BiFunction<String, Throwable, CommandFailedException> failed) {
        this.producer = producer;
        this.failed = failed;
    }

    @Override
    public long append(ProducerRecord<byte[], byte[]> record) throws CommandFailedException, SupersededException {
        long offset = send(record);
        try {
            producer.commitTransaction();
            return offset;
        } catch (KafkaException e) {
            if (isSuperseded(e)) {
                throw new SupersededException();
            }
            if (e instanceof TimeoutException) {
                throw new CommandFailedException("the cluster did not say in time whether the record is on topic "
                        + record.topic() + "; look there before you try again");
            }
            throw failed.apply(record.topic(), e);
        }
    }

    private long send(ProducerRecord<byte[], byte[]> record) throws CommandFailedException, SupersededException {
        try {
            producer.beginTransaction();
            return producer.send(record).get().offset();
        } catch (ExecutionException | KafkaException e) {
            abort();
            if (isSuperseded(e)) {
                throw new SupersededException();
            }
            throw failed.apply(record.topic(), e instanceof ExecutionException ? e.getCause() : e);
        } catch (InterruptedException e) {
            abort();
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted; nothing was written");
        }
    }

    /** What cannot be aborted here ends when its time is up, or when the next writer takes the name. */
    private void abort() {
        try {
            producer.abortTransaction();
        } catch (KafkaException over) {
            producer.close(Duration.ZERO);
        }
    }

    private static boolean isSuperseded(Throwable e) {
        return Stream.iterate(e, Objects::nonNull, Throwable::getCause)
                .anyMatch(cause ->
                        cause instanceof ProducerFencedException || cause instanceof InvalidProducerEpochException);
    }

    @Override
    public void close() {
        producer.close(CLOSE_TIMEOUT);
    }
}
