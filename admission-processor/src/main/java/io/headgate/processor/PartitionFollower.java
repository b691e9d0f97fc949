package io.headgate.processor;

import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardView;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.ZoneTables;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one shard's partition of a source and appends to the shard's log what the shard lacks, in pieces, each naming
 * the one before it. A few pieces may be on their way at once. When the shard has come past one without applying it, or
 * one could not be appended, it begins again behind the last record that the shard says it has applied; so whatever
 * happens to a piece, or to this process, the shard misses nothing.
 *
 * <p>Where records have to be signed, one that was appended before, and comes again, does not count.
 *
 * <p>A record that needs a time zone which the shard has no table of waits until the shard has it.
 */
final class PartitionFollower<T> {

    private static final Logger LOG = LoggerFactory.getLogger(PartitionFollower.class);

    /** The most bytes of records in one piece: far below what a record of the log may have. */
    static final int MAX_PIECE_BYTES = 256 * 1024;

    /** Between two attempts when something went wrong. */
    static final long RETRY_MILLIS = 1_000;

    /** How often the shard may come past a zone's table without taking it up before that is a refusal and no accident. */
    static final int MAX_TABLES_PASSED = 3;

    private static final Duration POSITION_TIMEOUT = Duration.ofMillis(100);
    private static final Duration TIMES_TIMEOUT = Duration.ofSeconds(2);

    private final OwnedShard shard;
    private final Source<T> source;
    private final TopicPartition partition;
    private final Consumer<byte[], byte[]> consumer;
    private final ShardLogs logs;
    private final long endAtTakeOver;

    private final IssueTimes issueTimes = new IssueTimes();
    private boolean knowsIssueTimes;
    private final Deque<UnderWay> underWay = new ArrayDeque<>();
    private final Map<String, Integer> tablesPassed = new TreeMap<>();
    private Optional<AwaitedZone> awaited = Optional.empty();
    private long appended;
    private long notBeforeMillis;
    private boolean broughtUp;

    PartitionFollower(
            OwnedShard shard, Source<T> source, Consumer<byte[], byte[]> consumer, ShardLogs logs, long endAtTakeOver) {
        this.shard = shard;
        this.source = source;
        this.partition = new TopicPartition(source.topic(), shard.number());
        this.consumer = consumer;
        this.logs = logs;
        this.endAtTakeOver = endAtTakeOver;
        this.appended = source.appliedBy(shard.view());
    }

    /** A piece that was sent, up to a record of the source. */
    private record UnderWay(long upTo, Sent sent) {}

    /** A table that was sent. */
    private record AwaitedZone(String zone, Sent sent) {}

    OwnedShard shard() {
        return shard;
    }

    TopicPartition partition() {
        return partition;
    }

    /** Begins to read; the partition is assigned. */
    void begin() {
        if (appended >= endAtTakeOver) {
            LOG.atError()
                    .addKeyValue("topic", partition.topic())
                    .addKeyValue("partition", partition.partition())
                    .addKeyValue("appliedOffset", appended)
                    .addKeyValue("endOffset", endAtTakeOver)
                    .log("the topic ends before what the shard has applied of it: it was made anew or has lost records;"
                            + " nothing is applied before it has grown past that offset");
        }
        consumer.seek(partition, appended + 1);
    }

    /** Whether the shard has applied all that stood on the partition when it was taken over. */
    boolean broughtUp() {
        return broughtUp;
    }

    /** How many offsets the shard is behind the partition, as far as that is known. */
    long behind() {
        OptionalLong unread = consumer.currentLag(partition);
        long unapplied = underWay.isEmpty() ? 0 : appended - source.appliedBy(shard.view());
        return Math.max(0, unread.orElse(0)) + Math.max(0, unapplied);
    }

    /** Looks at what has become of what was sent, and whether to read on. */
    void settle(boolean roomToSend, long nowMillis) {
        ShardView view = shard.view();
        long applied = source.appliedBy(view);
        while (!underWay.isEmpty() && underWay.peekFirst().upTo() <= applied) {
            underWay.removeFirst();
        }
        if (applied > appended) {
            goOnBehind(applied);
        } else if (!underWay.isEmpty() && isLost(underWay.peekFirst().sent(), view)) {
            LOG.atWarn()
                    .addKeyValue("shard", shard.number())
                    .addKeyValue("topic", partition.topic())
                    .addKeyValue("appliedOffset", applied)
                    .log("what was appended has not been applied; it is appended again");
            goOnBehind(applied);
            notBeforeMillis = nowMillis + RETRY_MILLIS;
        }
        awaited.ifPresent(zone -> settle(zone, view, nowMillis));
        if (!broughtUp && underWay.isEmpty() && awaited.isEmpty()) {
            broughtUp = consumer.position(partition, POSITION_TIMEOUT) >= endAtTakeOver;
        }
        boolean mayRead = roomToSend
                && shard.halted().isEmpty()
                && awaited.isEmpty()
                && underWay.size() < source.mostUnderWay()
                && nowMillis >= notBeforeMillis;
        if (mayRead) {
            consumer.resume(Set.of(partition));
        } else {
            consumer.pause(Set.of(partition));
        }
    }

    private void settle(AwaitedZone zone, ShardView view, long nowMillis) {
        if (view.zones().containsKey(zone.zone())) {
            awaited = Optional.empty();
        } else if (zone.sent().failed()) {
            awaited = Optional.empty();
            notBeforeMillis = nowMillis + RETRY_MILLIS;
        } else if (zone.sent().passedBy(view)) {
            awaited = Optional.empty();
            tablesPassed.merge(zone.zone(), 1, Integer::sum);
            notBeforeMillis = nowMillis + RETRY_MILLIS;
        }
    }

    private static boolean isLost(Sent sent, ShardView view) {
        return sent.failed() || sent.passedBy(view);
    }

    private void goOnBehind(long applied) {
        underWay.clear();
        appended = applied;
        readUnsentAgain();
    }

    /** After trouble: what was read and not sent has to be read again. */
    void readUnsentAgain() {
        issueTimes.clear();
        knowsIssueTimes = false;
        consumer.seek(partition, appended + 1);
    }

    /**
     * Where a record counts only if it is no copy, what was appended for a while before it is read again first.
     *
     * @return whether there is something to read before it
     */
    private boolean readsIssueTimesBefore(ConsumerRecord<byte[], byte[]> record) {
        if (!source.isSigned() || knowsIssueTimes) {
            return false;
        }
        long sinceMillis = Math.max(0, record.timestamp() - IssueTimes.WINDOW_MILLIS);
        OffsetAndTimestamp first = consumer.offsetsForTimes(Map.of(partition, sinceMillis), TIMES_TIMEOUT)
                .get(partition);
        knowsIssueTimes = true;
        if (first == null || first.offset() >= record.offset()) {
            return false;
        }
        consumer.seek(partition, first.offset());
        return true;
    }

    /** Appends what the next records of the partition say. */
    void take(List<ConsumerRecord<byte[], byte[]>> records, long nowMillis) {
        Piece piece = new Piece();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (record.offset() <= appended) {
                lookBack(record);
                continue;
            }
            if (readsIssueTimesBefore(record)) {
                return;
            }
            Optional<T> said = read(record);
            Optional<String> lackingZone = said.flatMap(this::lackingZone);
            if (lackingZone.isPresent()) {
                piece.append();
                Control table = new Control.ApplyZone(ZoneTables.around(lackingZone.get(), nowMillis));
                awaited = Optional.of(new AwaitedZone(lackingZone.get(), logs.append(shard, table)));
                consumer.seek(partition, record.offset());
                return;
            }
            if (said.isPresent() && !piece.tryAdd(said.get(), record)) {
                consumer.seek(partition, record.offset());
                return;
            }
        }
        piece.append();
    }

    private Optional<T> read(ConsumerRecord<byte[], byte[]> record) {
        try {
            T said = readOnce(record);
            for (String zone : source.zonesOf(said)) {
                checkZone(zone);
            }
            return Optional.of(said);
        } catch (UnreadableRecordException refused) {
            source.refused();
            LOG.atError()
                    .addKeyValue("topic", record.topic())
                    .addKeyValue("partition", record.partition())
                    .addKeyValue("offset", record.offset())
                    .addKeyValue("reason", refused.getMessage())
                    .log("record refused; it changes nothing");
            return Optional.empty();
        }
    }

    /** Of a record that the shard has, only what a copy of it would be known by. */
    private void lookBack(ConsumerRecord<byte[], byte[]> record) {
        if (source.isSigned()) {
            try {
                readOnce(record);
            } catch (UnreadableRecordException refusedThen) {
                LOG.atDebug()
                        .addKeyValue("offset", record.offset())
                        .addKeyValue("reason", refusedThen.getMessage())
                        .log("record was refused before");
            }
        }
    }

    private T readOnce(ConsumerRecord<byte[], byte[]> record) {
        T said = source.read(record);
        OptionalLong issuedAtMillis = source.issuedAtMillis(record);
        if (issuedAtMillis.isPresent()) {
            issueTimes
                    .take(record.key(), issuedAtMillis.getAsLong(), record.offset(), record.timestamp())
                    .ifPresent(why -> {
                        throw new UnreadableRecordException(why);
                    });
        }
        return said;
    }

    private void checkZone(String zone) {
        if (shard.view().zones().containsKey(zone)) {
            return;
        }
        if (!ZoneTables.knows(zone)) {
            throw new UnreadableRecordException(
                    "time zone '" + Homes.shown(zone) + "' is not known here; it must be one such as Europe/Zurich");
        }
        if (tablesPassed.getOrDefault(zone, 0) >= MAX_TABLES_PASSED) {
            throw new UnreadableRecordException("time zone '" + zone + "' was refused by the shard; it knows "
                    + shard.view().zones().size() + " already");
        }
    }

    private Optional<String> lackingZone(T said) {
        return source.zonesOf(said).stream()
                .filter(zone -> !shard.view().zones().containsKey(zone))
                .findFirst();
    }

    /** What goes into one control record. */
    private final class Piece {

        private final List<T> said = new ArrayList<>();
        private long upTo;
        private int bytes;

        /** Adds to this piece or begins another; false, with all before it sent, if there are enough under way. */
        boolean tryAdd(T one, ConsumerRecord<byte[], byte[]> record) {
            int size = Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
            if (said.size() == source.mostInOne() || (bytes + size > MAX_PIECE_BYTES && !said.isEmpty())) {
                append();
            }
            if (said.isEmpty() && underWay.size() >= source.mostUnderWay()) {
                return false;
            }
            said.add(one);
            upTo = record.offset();
            bytes += size;
            return true;
        }

        void append() {
            if (said.isEmpty()) {
                return;
            }
            underWay.addLast(new UnderWay(upTo, logs.append(shard, source.control(upTo, appended, said))));
            appended = upTo;
            said.clear();
            bytes = 0;
        }
    }
}
