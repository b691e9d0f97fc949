package io.headgate.processor;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * Takes the broker's append time and refuses every other: a time that a client can choose would let it choose its
 * budget.
 *
 * @param expected {@link TimestampType#LOG_APPEND_TIME}, except where a test driver makes the records
 */
record LogAppendTime(TimestampType expected) implements TimestampExtractor {

    @Override
    public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
        if (record.timestampType() != expected) {
            throw new IllegalStateException("topic " + record.topic() + " has message.timestamp.type="
                    + record.timestampType() + "; it must be " + expected);
        }
        return record.timestamp();
    }
}
