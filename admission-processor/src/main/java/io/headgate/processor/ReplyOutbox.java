package io.headgate.processor;

import io.headgate.schemas.ContentType;
import io.headgate.schemas.ReplyAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replies through a producer of their own, outside every transaction. They need not wait for the commit: if the process
 * dies first, the same records are folded again and give the same replies.
 *
 * <p>Where a reply goes was said by a stranger. Only topics on the list are written to, and only partitions that exist:
 * for any other the producer would wait for metadata that never comes, and the shard with it.
 */
final class ReplyOutbox implements Replies, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ReplyOutbox.class);

    private final Producer<byte[], byte[]> producer;
    private final ProcessorMetrics metrics;
    private final Map<String, Integer> partitions = new ConcurrentHashMap<>();

    ReplyOutbox(Producer<byte[], byte[]> producer, ProcessorMetrics metrics) {
        this.producer = producer;
        this.metrics = metrics;
    }

    /**
     * Asks how many partitions the topics on the list have, and so keeps the producer's metadata of them fresh: a reply
     * whose topic the producer had to ask about first would come too late. Not on a stream thread: it waits.
     *
     * @param patience how long to go on asking for a topic that is not told of
     */
    void learnPartitions(Iterable<String> allowedTopics, Duration patience) {
        for (String topic : allowedTopics) {
            long giveUpAt = System.nanoTime() + patience.toNanos();
            while (!learnPartitions(topic)) {
                if (System.nanoTime() - giveUpAt > 0) {
                    LOG.atWarn()
                            .addKeyValue("topic", topic)
                            .log("nobody tells of this reply topic; what was known of it stays");
                    break;
                }
            }
        }
    }

    private boolean learnPartitions(String topic) {
        try {
            partitions.put(topic, producer.partitionsFor(topic).size());
            return true;
        } catch (KafkaException notYet) {
            return false;
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells what came of it
    public void send(ReplyAddress to, ContentType written, byte[] reply) {
        Integer known = partitions.get(to.topic());
        if (known == null) {
            metrics.replyDropped("topic");
            return;
        }
        Integer partition = to.partition().isPresent() ? to.partition().getAsInt() : null;
        if (partition != null && (partition < 0 || partition >= known)) {
            metrics.replyDropped("partition");
            return;
        }
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(to.topic(), partition, null, reply);
        record.headers().add(ReplyAddress.CORRELATION_ID, to.correlationId());
        written.writeTo(record.headers());
        try {
            producer.send(record, (sent, failure) -> {
                if (failure == null) {
                    metrics.replySent();
                } else {
                    metrics.replyDropped("send");
                }
            });
        } catch (KafkaException | IllegalStateException failed) {
            metrics.replyDropped("send");
            LOG.atDebug().addKeyValue("reason", failed.getMessage()).log("reply could not be sent");
        }
    }

    @Override
    public void close() {
        producer.close();
    }
}
