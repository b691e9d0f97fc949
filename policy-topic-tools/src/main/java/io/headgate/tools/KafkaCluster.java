package io.headgate.tools;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A cluster through Kafka's own clients. Each is opened when it is needed, and nothing is waited for without end. */
public final class KafkaCluster implements Cluster {

    /** How long nothing may come before the cluster counts as not there. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration POLL = Duration.ofMillis(100);
    private static final int REQUEST_TIMEOUT_MILLIS = 10_000;
    private static final int TRANSACTION_TIMEOUT_MILLIS = 10_000;

    private final String name;
    private final Duration patience;
    private final Supplier<Consumer<byte[], byte[]>> newConsumer;
    private final Supplier<Producer<byte[], byte[]>> newProducer;
    private final Function<String, Producer<byte[], byte[]>> newSoleProducer;
    private Consumer<byte[], byte[]> consumer;
    private Producer<byte[], byte[]> producer;

    KafkaCluster(
            String name,
            Duration patience,
            Supplier<Consumer<byte[], byte[]>> newConsumer,
            Supplier<Producer<byte[], byte[]>> newProducer,
            Function<String, Producer<byte[], byte[]>> newSoleProducer) {
        this.name = name;
        this.patience = patience;
        this.newConsumer = newConsumer;
        this.newProducer = newProducer;
        this.newSoleProducer = newSoleProducer;
    }

    /**
     * Opens nothing yet.
     *
     * @param settings of Kafka's clients, {@code bootstrap.servers} among them
     */
    public static KafkaCluster of(Map<String, String> settings) {
        return new KafkaCluster(
                settings.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG),
                PATIENCE,
                () -> new KafkaConsumer<>(
                        consumerSettings(settings), new ByteArrayDeserializer(), new ByteArrayDeserializer()),
                () -> new KafkaProducer<>(
                        producerSettings(settings), new ByteArraySerializer(), new ByteArraySerializer()),
                transactionalId -> new KafkaProducer<>(
                        soleProducerSettings(settings, transactionalId),
                        new ByteArraySerializer(),
                        new ByteArraySerializer()));
    }

    static Map<String, Object> consumerSettings(Map<String, String> settings) {
        Map<String, Object> all = new HashMap<>();
        all.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MILLIS);
        all.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        all.putAll(settings);
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        return all;
    }

    static Map<String, Object> producerSettings(Map<String, String> settings) {
        Map<String, Object> all = new HashMap<>();
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_TIMEOUT_MILLIS);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) PATIENCE.toMillis());
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, PATIENCE.toMillis());
        all.putAll(settings);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        return all;
    }

    /** An open transaction holds up everybody who reads the topic, so it may not stay open for long. */
    static Map<String, Object> soleProducerSettings(Map<String, String> settings, String transactionalId) {
        Map<String, Object> all = producerSettings(settings);
        all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        all.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MILLIS);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, TRANSACTION_TIMEOUT_MILLIS);
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, TRANSACTION_TIMEOUT_MILLIS / 2);
        return all;
    }

    @Override
    public int partitions(String topic) throws CommandFailedException {
        try {
            List<PartitionInfo> partitions = consumer().partitionsFor(topic);
            if (partitions == null || partitions.isEmpty()) {
                throw new CommandFailedException(
                        "there is no topic " + topic + " at " + name + "; a processor needs it, too: create it first");
            }
            return partitions.size();
        } catch (KafkaException e) {
            throw failed("topic " + topic + " cannot be read", e);
        }
    }

    @Override
    public long read(
            String topic,
            int partition,
            long fromOffset,
            long toOffset,
            java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> each)
            throws CommandFailedException {
        TopicPartition place = new TopicPartition(topic, partition);
        try {
            Consumer<byte[], byte[]> reader = consumer();
            reader.assign(List.of(place));
            long begin = reader.beginningOffsets(List.of(place)).get(place);
            reader.seek(place, Math.max(fromOffset, begin));
            long end = Math.min(toOffset, reader.endOffsets(List.of(place)).get(place));
            long position = reader.position(place);
            long giveUpAt = System.nanoTime() + patience.toNanos();
            while (position < end) {
                for (ConsumerRecord<byte[], byte[]> record : reader.poll(POLL)) {
                    if (record.offset() < end) {
                        each.accept(record);
                    }
                }
                long next = reader.position(place);
                if (next > position) {
                    giveUpAt = System.nanoTime() + patience.toNanos();
                } else if (System.nanoTime() > giveUpAt) {
                    throw new CommandFailedException("nothing more came of " + place + " at " + name + " for "
                            + patience.toSeconds() + " s; it was read up to offset " + position + " of " + end);
                }
                position = next;
            }
            return Math.max(end, begin);
        } catch (KafkaException e) {
            throw failed("topic " + topic + " cannot be read", e);
        }
    }

    @Override
    public long offsetAt(String topic, int partition, long timeMillis) throws CommandFailedException {
        TopicPartition place = new TopicPartition(topic, partition);
        try {
            if (timeMillis == 0) {
                return consumer().beginningOffsets(List.of(place)).get(place);
            }
            OffsetAndTimestamp found =
                    consumer().offsetsForTimes(Map.of(place, timeMillis)).get(place);
            return found == null ? end(topic, partition) : found.offset();
        } catch (KafkaException e) {
            throw failed("topic " + topic + " cannot be read", e);
        }
    }

    @Override
    public long end(String topic, int partition) throws CommandFailedException {
        TopicPartition place = new TopicPartition(topic, partition);
        try {
            return consumer().endOffsets(List.of(place)).get(place);
        } catch (KafkaException e) {
            throw failed("topic " + topic + " cannot be read", e);
        }
    }

    @Override
    public List<Long> append(List<ProducerRecord<byte[], byte[]>> records) throws CommandFailedException {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        List<Long> offsets = new ArrayList<>();
        String topic = records.isEmpty() ? "" : records.get(0).topic();
        try {
            for (ProducerRecord<byte[], byte[]> record : records) {
                sent.add(producer().send(record));
            }
            producer().flush();
            for (Future<RecordMetadata> one : sent) {
                offsets.add(one.get().offset());
            }
            return offsets;
        } catch (ExecutionException e) {
            throw failed("topic " + topic + " cannot be written", e.getCause());
        } catch (KafkaException e) {
            throw failed("topic " + topic + " cannot be written", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted");
        }
    }

    @Override
    public SoleWriter soleWriter(String transactionalId) throws CommandFailedException {
        Producer<byte[], byte[]> sole;
        try {
            sole = newSoleProducer.apply(transactionalId);
        } catch (KafkaException e) {
            throw failed("nothing can be written", e);
        }
        try {
            sole.initTransactions();
            return new TransactionalWriter(sole, (topic, e) -> failed("topic " + topic + " cannot be written", e));
        } catch (KafkaException e) {
            sole.close(Duration.ZERO);
            throw failed("the sole right to write as " + transactionalId + " cannot be taken", e);
        }
    }

    @Override
    public void close() {
        if (consumer != null) {
            consumer.close();
        }
        if (producer != null) {
            producer.close();
        }
    }

    private Consumer<byte[], byte[]> consumer() {
        if (consumer == null) {
            consumer = newConsumer.get();
        }
        return consumer;
    }

    private Producer<byte[], byte[]> producer() {
        if (producer == null) {
            producer = newProducer.get();
        }
        return producer;
    }

    /** Kafka says of a wrong setting that a client cannot be made, and what is wrong in the cause. */
    private CommandFailedException failed(String what, Throwable e) {
        if (e instanceof TimeoutException) {
            return new CommandFailedException(what + ": no broker at " + name + " answered in time");
        }
        Throwable cause = e.getCause() instanceof KafkaException inner ? inner : e;
        String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return new CommandFailedException(what + " at " + name + ": " + BadLine.shown(why, 1_000));
    }
}
