package io.headgate.processor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds owned shards with one source: a follower for each, and one consumer for all of them. Does a little each round and
 * waits for nothing, so that whoever calls it stays in time with other things.
 */
final class SourceFeed<T> implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(SourceFeed.class);

    /** Of all shards and sources together; what one round reads comes on top. */
    static final long MAX_BYTES_UNDER_WAY = 8L * 1024 * 1024;

    private static final Duration END_TIMEOUT = Duration.ofSeconds(2);

    private final Source<T> source;
    private final Consumer<byte[], byte[]> consumer;
    private final ShardLogs logs;
    private final Map<Integer, PartitionFollower<T>> followers = new TreeMap<>();
    private long notBeforeMillis;
    private volatile long behind;

    SourceFeed(Source<T> source, Consumer<byte[], byte[]> consumer, ShardLogs logs) {
        this.source = source;
        this.consumer = consumer;
        this.logs = logs;
    }

    String topic() {
        return source.topic();
    }

    /** How many offsets the owned shards are behind their partitions, all together. */
    long behind() {
        return behind;
    }

    /** Whether the shard has applied all that stood on its partition when it was taken over. */
    boolean broughtUp(OwnedShard shard) {
        return Optional.ofNullable(followers.get(shard.number()))
                .filter(follower -> follower.shard() == shard)
                .map(PartitionFollower::broughtUp)
                .orElse(false);
    }

    /**
     * A round: reads on for every owned shard whose turn has come.
     *
     * @return whether there was anything to read; then there may be more at once
     */
    boolean feed(List<OwnedShard> owned, Predicate<OwnedShard> hasTurn, long nowMillis) {
        if (nowMillis < notBeforeMillis) {
            return false;
        }
        try {
            assign(owned, hasTurn);
            boolean roomToSend = logs.bytesUnderWay() < MAX_BYTES_UNDER_WAY;
            followers.values().forEach(follower -> follower.settle(roomToSend, nowMillis));
            behind = followers.values().stream()
                    .mapToLong(PartitionFollower::behind)
                    .sum();
            return !followers.isEmpty() && take(nowMillis);
        } catch (InterruptException stop) {
            throw stop;
        } catch (KafkaException trouble) {
            notBeforeMillis = nowMillis + PartitionFollower.RETRY_MILLIS;
            followers.values().forEach(PartitionFollower::readUnsentAgain);
            LOG.atWarn()
                    .addKeyValue("topic", source.topic())
                    .addKeyValue("reason", trouble.getMessage())
                    .log("topic cannot be followed; it will be tried again");
            return false;
        }
    }

    private boolean take(long nowMillis) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ZERO);
        for (TopicPartition partition : records.partitions()) {
            followers.get(partition.partition()).take(records.records(partition), nowMillis);
        }
        return !records.isEmpty();
    }

    /** Changes nothing unless the ends are known: who is followed and what is assigned go together. */
    private void assign(List<OwnedShard> owned, Predicate<OwnedShard> hasTurn) {
        List<OwnedShard> came = owned.stream()
                .filter(shard -> !isFollowed(shard))
                .filter(hasTurn)
                .toList();
        Map<TopicPartition, Long> ends = came.isEmpty()
                ? Map.of()
                : consumer.endOffsets(came.stream().map(this::partitionOf).toList(), END_TIMEOUT);
        Set<OwnedShard> present = Set.copyOf(owned);
        boolean left = followers.values().removeIf(follower -> !present.contains(follower.shard()));
        List<PartitionFollower<T>> begun = new ArrayList<>();
        came.forEach(shard ->
                begun.add(new PartitionFollower<>(shard, source, consumer, logs, ends.get(partitionOf(shard)))));
        begun.forEach(follower -> followers.put(follower.shard().number(), follower));
        if (left || !begun.isEmpty()) {
            consumer.assign(followers.values().stream()
                    .map(PartitionFollower::partition)
                    .toList());
            begun.forEach(PartitionFollower::begin);
        }
    }

    private boolean isFollowed(OwnedShard shard) {
        PartitionFollower<T> follower = followers.get(shard.number());
        return follower != null && follower.shard() == shard;
    }

    private TopicPartition partitionOf(OwnedShard shard) {
        return new TopicPartition(source.topic(), shard.number());
    }

    @Override
    public void close() {
        consumer.close();
    }
}
