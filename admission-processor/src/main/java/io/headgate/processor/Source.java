package io.headgate.processor;

import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardView;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A topic with a partition a shard, all of whose records a shard has to apply in their order.
 *
 * @param <T> what a record says
 */
interface Source<T> {

    String topic();

    /** The offset of the last record that a shard has applied; −1 before the first. */
    long appliedBy(ShardView view);

    /**
     * What a record says.
     *
     * @throws io.headgate.schemas.UnreadableRecordException if it says nothing that this shard could apply, saying why
     */
    T read(ConsumerRecord<byte[], byte[]> record);

    /** Whether records count only with a signature, and each only once. */
    default boolean isSigned() {
        return false;
    }

    /** When a record was issued, by its signature; empty where there is none. */
    default OptionalLong issuedAtMillis(ConsumerRecord<byte[], byte[]> record) {
        return OptionalLong.empty();
    }

    /** The time zones without whose tables it cannot be applied. */
    Set<String> zonesOf(T said);

    /** Tells a shard; {@code source} is the offset of the last of {@code said}. */
    Control control(long source, long previous, List<T> said);

    /** The most that one control record may tell. */
    int mostInOne();

    /** The most control records in a shard's log that it has not come to yet. */
    int mostUnderWay();

    /** Counts a record that was refused. */
    void refused();
}
