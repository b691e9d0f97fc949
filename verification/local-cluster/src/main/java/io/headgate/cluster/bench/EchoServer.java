package io.headgate.cluster.bench;

import io.headgate.gateway.client.ClientSettings;
import io.headgate.schemas.ReplyAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends every record back to where its headers say, as it is. It keeps nothing, commits nothing and decides nothing. */
final class EchoServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EchoServer.class);

    private static final Duration POLL_TIMEOUT = Duration.ofMillis(500);
    private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Thread thread = new Thread(this::run, "bench-echo-server");
    private volatile boolean stopped;

    private EchoServer(KafkaConsumer<byte[], byte[]> consumer, KafkaProducer<byte[], byte[]> producer) {
        this.consumer = consumer;
        this.producer = producer;
    }

    /** Starts at the end of all partitions; what is sent from now on comes back. */
    static EchoServer start(ClientSettings settings, EchoTopics topics) throws InterruptedException {
        EchoServer server =
                new EchoServer(new KafkaConsumer<>(settings.consumer()), new KafkaProducer<>(settings.producer()));
        try {
            List<TopicPartition> partitions = IntStream.range(0, topics.shards())
                    .mapToObj(shard -> new TopicPartition(topics.requests(), shard))
                    .toList();
            server.consumer.assign(partitions);
            server.consumer.seekToEnd(partitions);
            partitions.forEach(partition -> server.consumer.position(partition, START_TIMEOUT));
            EchoClient.awaitTopic(server.producer, topics.replies(), START_TIMEOUT);
        } catch (KafkaException | IllegalStateException failed) {
            server.closeClients();
            throw failed;
        }
        server.thread.setDaemon(true);
        server.thread.start();
        return server;
    }

    private void run() {
        while (!stopped) {
            try {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL_TIMEOUT)) {
                    sendBack(record);
                }
            } catch (WakeupException stopping) {
                LOG.debug("woken up to stop");
            } catch (KafkaException failed) {
                LOG.warn("the echo is disturbed: {}", failed.toString());
            }
        }
    }

    private void sendBack(ConsumerRecord<byte[], byte[]> record) {
        ReplyAddress address = ReplyAddress.readFrom(record.headers()).orElseThrow();
        ProducerRecord<byte[], byte[]> reply =
                new ProducerRecord<>(address.topic(), address.partition().getAsInt(), null, record.value());
        reply.headers().add(ReplyAddress.CORRELATION_ID, address.correlationId());
        var unused = producer.send(reply, (sent, failure) -> {
            if (failure != null) {
                LOG.warn("an echo could not be sent: {}", failure.toString());
            }
        });
    }

    @Override
    public void close() {
        stopped = true;
        consumer.wakeup();
        EchoClient.join(thread);
        closeClients();
    }

    private void closeClients() {
        consumer.close();
        producer.close(Duration.ofSeconds(1));
    }
}
