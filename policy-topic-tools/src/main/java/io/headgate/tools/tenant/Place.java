package io.headgate.tools.tenant;

import java.util.Locale;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Where a record stands. */
record Place(String topic, int partition, long offset) {

    static Place of(ConsumerRecord<byte[], byte[]> record) {
        return new Place(record.topic(), record.partition(), record.offset());
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s, partition %d, offset %d", topic, partition, offset);
    }
}
