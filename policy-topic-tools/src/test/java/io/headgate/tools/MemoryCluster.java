package io.headgate.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** A cluster in memory. Its clock stands. */
public final class MemoryCluster implements Cluster {

    private final Map<String, Integer> topics = new TreeMap<>();
    private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> logs = new java.util.HashMap<>();
    private final Map<String, Integer> holders = new TreeMap<>();
    private final long nowMillis;
    private Runnable beforeNextAppend = () -> {};
    private int closed;
    private int recordsLeft = Integer.MAX_VALUE;

    public MemoryCluster(long nowMillis) {
        this.nowMillis = nowMillis;
    }

    public void create(String topic, int partitions) {
        topics.put(topic, partitions);
    }

    public void delete(String topic) {
        topics.remove(topic);
    }

    /** Does something when the next command is about to write. */
    public void beforeNextAppend(Runnable something) {
        beforeNextAppend = something;
    }

    public long put(String topic, int partition, byte[] key, byte[] value) {
        return put(topic, partition, key, value, nowMillis);
    }

    public long put(String topic, int partition, byte[] key, byte[] value, long writtenMillis) {
        return put(topic, partition, key, value, writtenMillis, new RecordHeaders());
    }

    private long put(String topic, int partition, byte[] key, byte[] value, long writtenMillis, Headers headers) {
        List<ConsumerRecord<byte[], byte[]>> log = log(topic, partition);
        log.add(new ConsumerRecord<>(
                topic,
                partition,
                log.isEmpty() ? 0 : log.get(log.size() - 1).offset() + 1,
                writtenMillis,
                TimestampType.CREATE_TIME,
                0,
                0,
                key,
                value,
                headers,
                java.util.Optional.empty()));
        return log.get(log.size() - 1).offset();
    }

    /** What stands in all partitions of a topic. */
    public List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        for (int partition = 0; partition < topics.getOrDefault(topic, 0); partition++) {
            all.addAll(log(topic, partition));
        }
        return all;
    }

    /** Loses one record. */
    public void remove(String topic, int partition, long offset) {
        log(topic, partition).removeIf(record -> record.offset() == offset);
    }

    /** How often somebody was done with it. */
    public int closed() {
        return closed;
    }

    @Override
    public int partitions(String topic) throws CommandFailedException {
        if (!topics.containsKey(topic)) {
            throw new CommandFailedException("there is no topic " + topic);
        }
        return topics.get(topic);
    }

    @Override
    public long read(
            String topic, int partition, long fromOffset, long toOffset, Consumer<ConsumerRecord<byte[], byte[]>> each)
            throws CommandFailedException {
        List<ConsumerRecord<byte[], byte[]>> log = List.copyOf(log(topic, partition));
        long end = log.isEmpty() ? 0 : log.get(log.size() - 1).offset() + 1;
        long begin = log.isEmpty() ? end : log.get(0).offset();
        for (ConsumerRecord<byte[], byte[]> record : log) {
            if (record.offset() >= fromOffset && record.offset() < toOffset) {
                if (toOffset < Long.MAX_VALUE && recordsLeft-- == 0) {
                    throw new CommandFailedException("the cluster is gone");
                }
                each.accept(record);
            }
        }
        return Math.max(begin, Math.min(end, toOffset));
    }

    /** Forgets the records of a partition before an offset, as retention does. */
    public void expire(String topic, int partition, long beforeOffset) {
        log(topic, partition).removeIf(record -> record.offset() < beforeOffset);
    }

    /** Lets it read so many records of parts of partitions, and no more. */
    public void failAfter(int records) {
        recordsLeft = records;
    }

    @Override
    public long offsetAt(String topic, int partition, long timeMillis) {
        return log(topic, partition).stream()
                .filter(record -> record.timestamp() >= timeMillis)
                .mapToLong(ConsumerRecord::offset)
                .findFirst()
                .orElse(log(topic, partition).size());
    }

    @Override
    public long end(String topic, int partition) {
        return log(topic, partition).size();
    }

    @Override
    public List<Long> append(List<ProducerRecord<byte[], byte[]>> records) {
        Runnable something = beforeNextAppend;
        beforeNextAppend = () -> {};
        something.run();
        return records.stream()
                .map(record -> put(
                        record.topic(), record.partition(), record.key(), record.value(), nowMillis, record.headers()))
                .toList();
    }

    @Override
    public SoleWriter soleWriter(String name) {
        int holder = holders.merge(name, 1, Integer::sum);
        return new SoleWriter() {
            @Override
            public long append(ProducerRecord<byte[], byte[]> record) throws SupersededException {
                Runnable something = beforeNextAppend;
                beforeNextAppend = () -> {};
                something.run();
                if (holders.get(name) != holder) {
                    throw new SupersededException();
                }
                return put(record.topic(), record.partition(), record.key(), record.value());
            }

            @Override
            public void close() {
                // Nothing is held open in memory.
            }
        };
    }

    @Override
    public void close() {
        closed++;
    }

    private List<ConsumerRecord<byte[], byte[]>> log(String topic, int partition) {
        return logs.computeIfAbsent(new TopicPartition(topic, partition), place -> new ArrayList<>());
    }
}
