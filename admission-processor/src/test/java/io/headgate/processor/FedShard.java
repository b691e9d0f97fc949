package io.headgate.processor;

import io.headgate.core.shard.Control;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.schemas.ControlRecords;
import io.headgate.schemas.ShardLog;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.policy.PolicyDocument;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** An owned shard that folds, when it is told to, what a feed has sent to its log. */
final class FedShard {

    private final int number;
    private final MockProducer<byte[], byte[]> log;
    private final Shard shard;
    private final Set<Integer> elsewhere = new TreeSet<>();
    private OwnedShard owned;
    private int read;

    /** With settings, and a policy of one rule in force: nothing else is in its log yet. */
    FedShard(int number, MockProducer<byte[], byte[]> log) {
        this.number = number;
        this.log = log;
        this.shard = new Shard(number, new MemoryStore(), PolicyDocument.READER);
        this.owned = new OwnedShard(number, shard.view());
        appendElsewhere(SampleLog.settings(number));
        appendElsewhere(SampleLog.policy(number, 0, -1, SampleLog.budget(1, 10)));
        foldAll();
    }

    OwnedShard owned() {
        return owned;
    }

    Shard shard() {
        return shard;
    }

    /** As if it had been lost and come back. */
    OwnedShard takenOverAnew() {
        owned = new OwnedShard(number, shard.view());
        return owned;
    }

    /** Folds all that was sent since the last call. */
    void foldAll() {
        all().stream().skip(read).forEach(this::fold);
        read = all().size();
        owned.report(shard.view());
    }

    /** Something else stands where all that was sent since the last call should: it is never folded. */
    void loseAll() {
        for (int i = read; i < all().size(); i++) {
            fold(new byte[0]);
        }
        read = all().size();
        owned.report(shard.view());
    }

    /** Another owner appends a record, and the shard folds it. */
    void append(Control control) {
        appendElsewhere(ControlRecords.encode(number, control, SampleLog.KEY));
        foldAll();
    }

    private void appendElsewhere(byte[] value) {
        elsewhere.add(all().size());
        var unused = log.send(new ProducerRecord<>(TopicCatalogue.ADMISSION_REQUESTS, number, null, value), null);
    }

    /** What the feed has sent to it, in order. */
    List<Control> controls() {
        return sent().stream()
                .map(value -> ControlRecords.decode(value, number, named -> SampleLog.KEY))
                .toList();
    }

    List<byte[]> sent() {
        List<byte[]> all = all();
        return IntStream.range(0, all.size())
                .filter(index -> !elsewhere.contains(index))
                .mapToObj(all::get)
                .toList();
    }

    private List<byte[]> all() {
        return log.history().stream()
                .filter(record -> record.partition() == number)
                .map(ProducerRecord::value)
                .toList();
    }

    private void fold(byte[] value) {
        long offset = shard.view().nextOffset();
        LogRecord record =
                ShardLog.decode(number, offset, 1_800_000_000_000L, new RecordHeaders(), value, named -> SampleLog.KEY);
        shard.fold(record);
    }
}
