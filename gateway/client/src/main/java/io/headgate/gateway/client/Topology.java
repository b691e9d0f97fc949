package io.headgate.gateway.client;

import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.TopicCatalogue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/**
 * What a client learns of the cluster before it takes calls.
 *
 * @param shards how many partitions {@code admission-requests} has
 * @param replies the partition of {@code admission-replies} that is read
 */
record Topology(int shards, TopicPartition replies) {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * Asks the cluster, until it answers or the start has taken too long.
     *
     * @throws ClientStartException saying what is missing
     */
    static Topology learn(
            Consumer<byte[], byte[]> consumer, Producer<byte[], byte[]> producer, ClientSettings settings) {
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.startTimeoutMillis());
        int shards = partitions(consumer, TopicCatalogue.ADMISSION_REQUESTS, endNanos, settings);
        int replyPartitions = partitions(consumer, TopicCatalogue.ADMISSION_REPLIES, endNanos, settings);
        int replyPartition = settings.replyPartition()
                .orElseGet(() -> Partitioning.shardOf(settings.gatewayName(), replyPartitions));
        if (replyPartition >= replyPartitions) {
            throw new ClientStartException("setting '" + ClientSettings.REPLY_PARTITION + "' is " + replyPartition
                    + "; topic " + TopicCatalogue.ADMISSION_REPLIES + " has partitions 0 to "
                    + (replyPartitions - 1));
        }
        // The producer learns the topic now, so that the first send does not have to.
        retried(() -> producer.partitionsFor(TopicCatalogue.ADMISSION_REQUESTS), endNanos, settings);
        TopicPartition replies = new TopicPartition(TopicCatalogue.ADMISSION_REPLIES, replyPartition);
        retried(
                () -> {
                    ReplyReader.seekToEnd(consumer, replies, left(endNanos));
                    return replies;
                },
                endNanos,
                settings);
        return new Topology(shards, replies);
    }

    private static int partitions(
            Consumer<byte[], byte[]> consumer, String topic, long endNanos, ClientSettings settings) {
        while (true) {
            List<PartitionInfo> found =
                    retried(() -> consumer.partitionsFor(topic, left(endNanos)), endNanos, settings);
            if (found != null && !found.isEmpty()) {
                return found.size();
            }
            if (System.nanoTime() >= endNanos) {
                throw new ClientStartException("there is no topic " + topic + " at "
                        + settings.effective().get(ClientSettings.BOOTSTRAP_SERVERS)
                        + "; create the topics first");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static <T> T retried(Supplier<T> question, long endNanos, ClientSettings settings) {
        while (true) {
            try {
                return question.get();
            } catch (RetriableException slow) {
                if (System.nanoTime() >= endNanos) {
                    throw new ClientStartException(
                            "no answer from "
                                    + settings.effective().get(ClientSettings.BOOTSTRAP_SERVERS) + " in "
                                    + settings.startTimeoutMillis() + " ms: " + slow.getMessage(),
                            slow);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static Duration left(long endNanos) {
        return Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1), endNanos - System.nanoTime()));
    }
}
