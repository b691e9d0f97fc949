package io.headgate.processor;

import io.headgate.core.decision.Trace;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.TraceRecords;
import java.time.Duration;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Traces on their way to {@code decision-trace}, outside every transaction. A trace that finds no room is dropped and
 * counted: no decision waits for one.
 */
final class TraceOutbox implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TraceOutbox.class);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Producer<byte[], byte[]> producer;
    private final ProcessorMetrics metrics;

    TraceOutbox(Producer<byte[], byte[]> producer, ProcessorMetrics metrics) {
        this.producer = producer;
        this.metrics = metrics;
    }

    /** Keeps the producer's metadata of the topic fresh: it waits for none when a trace is sent. */
    void learnPartitions() {
        try {
            producer.partitionsFor(TopicCatalogue.DECISION_TRACE);
        } catch (KafkaException notYet) {
            LOG.atDebug().addKeyValue("reason", notYet.getMessage()).log("the topic of traces is not known yet");
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells what came of it
    void send(Trace trace) {
        try {
            producer.send(
                    new ProducerRecord<>(
                            TopicCatalogue.DECISION_TRACE, TraceRecords.key(trace), TraceRecords.encode(trace)),
                    (sent, failure) -> {
                        if (failure == null) {
                            metrics.traceSent();
                        } else {
                            metrics.traceDropped("send");
                        }
                    });
        } catch (RuntimeException failed) {
            metrics.traceDropped("send");
            LOG.atDebug().addKeyValue("reason", failed.getMessage()).log("trace could not be sent");
        }
    }

    @Override
    public void close() {
        producer.close(CLOSE_TIMEOUT);
    }
}
