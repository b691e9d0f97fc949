package io.headgate.processor;

import io.headgate.core.shard.Control;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.TopicCatalogue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The logs of owned shards, to append control records to, signed with the key that the shard has pinned. */
final class ShardLogs implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ShardLogs.class);

    private final ControlKeys keys;
    private final Producer<byte[], byte[]> producer;
    private final AtomicLong bytesUnderWay = new AtomicLong();

    ShardLogs(ControlKeys keys, Producer<byte[], byte[]> producer) {
        this.keys = keys;
        this.producer = producer;
    }

    /** Sends a record on its way, behind those sent to the same shard before. */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback tells what came of it
    Sent append(OwnedShard shard, Control control) {
        ControlKey key = shard.view()
                .settings()
                .map(pinned -> keys.find(pinned.controlKeyId()).orElseThrow())
                .orElseGet(keys::first);
        byte[] value = ControlRecords.encode(shard.number(), control, key);
        Sent sent = new Sent();
        bytesUnderWay.addAndGet(value.length);
        try {
            producer.send(
                    new ProducerRecord<>(TopicCatalogue.ADMISSION_REQUESTS, shard.number(), null, value),
                    (stands, failure) -> {
                        bytesUnderWay.addAndGet(-value.length);
                        if (failure != null) {
                            LOG.atWarn()
                                    .addKeyValue("shard", shard.number())
                                    .addKeyValue("reason", failure.getMessage())
                                    .log("control record could not be appended; it will be tried again");
                        }
                        if (failure == null && stands.hasOffset()) {
                            sent.standsAt(stands.offset());
                        } else {
                            sent.fail();
                        }
                    });
        } catch (RuntimeException notSent) {
            bytesUnderWay.addAndGet(-value.length);
            throw notSent;
        }
        return sent;
    }

    /** Bytes of records that the broker has not confirmed yet. */
    long bytesUnderWay() {
        return bytesUnderWay.get();
    }

    @Override
    public void close() {
        producer.close();
    }
}
