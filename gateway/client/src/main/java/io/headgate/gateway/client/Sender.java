package io.headgate.gateway.client;

import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.RequestRecords;
import io.headgate.schemas.TopicCatalogue;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts batches into the shard logs, on one thread of its own: a producer's {@code send} can block, and no caller ever
 * does.
 */
final class Sender {

    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);

    private final Producer<byte[], byte[]> producer;
    private final Executor thread;
    private final LongSupplier nanoClock;
    private final ClientMeters meters;
    private final String gateway;
    private final long epoch;
    private final int replyPartition;

    // what the thread keeps
    private boolean failing;

    /**
     * Makes a sender.
     *
     * @param producer what sends
     * @param thread runs one thing after the other
     * @param nanoClock the client's clock
     * @param meters counts sends
     * @param gateway names the client
     * @param epoch names this life of it
     * @param replyPartition where it reads replies
     */
    Sender(
            Producer<byte[], byte[]> producer,
            Executor thread,
            LongSupplier nanoClock,
            ClientMeters meters,
            String gateway,
            long epoch,
            int replyPartition) {
        this.producer = producer;
        this.thread = thread;
        this.nanoClock = nanoClock;
        this.meters = meters;
        this.gateway = gateway;
        this.epoch = epoch;
        this.replyPartition = replyPartition;
    }

    /** Runs something on the sender's thread; after the client is closed, nothing. */
    void run(Runnable step) {
        try {
            thread.execute(step);
        } catch (RejectedExecutionException closing) {
            LOG.debug("not run: the client is closing");
        }
    }

    long nowNanos() {
        return nanoClock.getAsLong();
    }

    /** Writes a batch's record, once and for all. The first command's partition key is the record's. */
    void encode(Batch batch, LogClock logClock) {
        long nowNanos = nanoClock.getAsLong();
        List<Command> commands = batch.calls().stream()
                .<Command>map(call ->
                        call.command(logClock.deadlineMillis(call.question().deadlineNanos(), nowNanos)))
                .toList();
        LogRecord.Attempt attempt = new LogRecord.Attempt(gateway, epoch, batch.sequence());
        batch.encodedAs(
                batch.calls().get(0).admission().partitionKey().getBytes(StandardCharsets.UTF_8),
                RequestRecords.encode(new LogRecord.Requests(Optional.of(attempt), commands)));
    }

    /** Sends a batch's record, and later says on this thread how that went: empty if the log has it. */
    void send(Batch batch, Consumer<Optional<Exception>> outcome) {
        int shard = batch.lane().shard();
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(TopicCatalogue.ADMISSION_REQUESTS, shard, null, batch.key(), batch.value());
        new ReplyAddress(
                        TopicCatalogue.ADMISSION_REPLIES,
                        OptionalInt.of(replyPartition),
                        new CorrelationId(epoch, shard, batch.sequence()).toBytes())
                .writeTo(record.headers());
        if (batch.sendingAt(nanoClock.getAsLong())) {
            meters.sentBatch(batch.calls().size());
        } else {
            meters.resent();
        }
        try {
            // The callback tells all that the future does.
            Future<RecordMetadata> unused = producer.send(
                    record, (metadata, failure) -> run(() -> sent(Optional.ofNullable(failure), outcome)));
        } catch (RuntimeException failure) {
            run(() -> sent(Optional.of(failure), outcome));
        }
    }

    private void sent(Optional<Exception> failure, Consumer<Optional<Exception>> outcome) {
        failure.ifPresent(exception -> {
            meters.sendFailed();
            if (!failing) {
                LOG.warn("requests cannot be sent: {}", exception.toString());
            }
        });
        if (failing && failure.isEmpty()) {
            LOG.info("requests can be sent again");
        }
        failing = failure.isPresent();
        outcome.accept(failure);
    }
}
