package io.headgate.cluster;

import io.headgate.core.shard.Folded;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Unreadable;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.schemas.ContentType;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.ShardLog;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/** One shard's log as it stands on the topic, folded here in memory: what every processor must come to. */
final class IndependentFold {

    private final MemoryStore store = new MemoryStore();
    private final Map<Long, List<byte[]>> replies = new HashMap<>();
    private final List<Long> buried = new ArrayList<>();
    private final int number;
    private final ControlKeys keys;
    private final Shard shard;

    private IndependentFold(int number, ControlKeys keys) {
        this.number = number;
        this.keys = keys;
        this.shard = new Shard(number, store, PolicyDocument.READER);
    }

    /** Folds the log of a shard up to, and without, an offset. */
    static IndependentFold of(String bootstrapServers, int number, ControlKeys keys, long endOffset)
            throws ExecutionException, InterruptedException {
        IndependentFold fold = new IndependentFold(number, keys);
        PartitionReader.read(
                bootstrapServers, new TopicPartition(TopicCatalogue.ADMISSION_REQUESTS, number), record -> {
                    if (record.offset() < endOffset) {
                        fold.take(record);
                    }
                });
        return fold;
    }

    ShardState state() {
        return ShardState.of(number, store);
    }

    /** Every reply that was to be given, by correlation id: several where a batch was sent again. */
    Map<Long, List<byte[]>> replies() {
        return replies;
    }

    /** The offsets of the records that belong among the dead letters, one for each letter. */
    List<Long> buried() {
        return buried;
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        LogRecord decoded = ShardLog.decode(
                number, record.offset(), record.timestamp(), record.headers(), record.value(), this::controlKey);
        Folded folded = shard.fold(decoded);
        folded.problems().forEach(problem -> buried.add(record.offset()));
        Header correlation = record.headers().lastHeader(ReplyAddress.CORRELATION_ID);
        String problem = decoded.payload() instanceof Unreadable unreadable ? unreadable.reason() : "";
        if (correlation != null) {
            Reply reply = new Reply(number, shard.view().logTimeMillis(), problem, folded.decisions());
            replies.computeIfAbsent(ByteBuffer.wrap(correlation.value()).getLong(), id -> new ArrayList<>())
                    .add(ContentType.ofReply(record.headers()).encode(reply));
        }
    }

    private ControlKey controlKey(String named) {
        Optional<String> pinned = shard.view().settings().map(ShardSettings::controlKeyId);
        if (pinned.isPresent() && !pinned.get().equals(named)) {
            throw new UnreadableRecordException("not the pinned key");
        }
        return keys.find(named).orElseThrow(() -> new UnreadableRecordException("no such key"));
    }
}
