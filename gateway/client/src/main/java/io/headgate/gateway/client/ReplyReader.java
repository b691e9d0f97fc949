package io.headgate.gateway.client;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.Verdict;
import io.headgate.core.policy.Stage;
import io.headgate.gateway.client.Answer.Cause;
import io.headgate.gateway.client.Answer.Decided;
import io.headgate.gateway.client.Answer.Unavailable;
import io.headgate.gateway.client.ClientMeters.Dropped;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.ReplyRecords;
import io.headgate.schemas.UnreadableRecordException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one partition of replies from its end and hands each reply to the calls of its batch. Two replies to one batch
 * are normal, since it may be sent twice; the second is dropped.
 */
final class ReplyReader {

    private static final Logger LOG = LoggerFactory.getLogger(ReplyReader.class);

    private final Consumer<byte[], byte[]> consumer;
    private final long epoch;
    private final List<Lane> lanes;
    private final Answers answers;
    private final ClientMeters meters;
    private final LongSupplier nanoClock;

    /**
     * Makes a reader.
     *
     * @param consumer stands where it is to begin
     * @param epoch names this life of the client
     * @param lanes by shard
     * @param answers what to give the answers to
     * @param meters counts what is dropped
     * @param nanoClock the client's clock
     */
    ReplyReader(
            Consumer<byte[], byte[]> consumer,
            long epoch,
            List<Lane> lanes,
            Answers answers,
            ClientMeters meters,
            LongSupplier nanoClock) {
        this.consumer = consumer;
        this.epoch = epoch;
        this.lanes = lanes;
        this.answers = answers;
        this.meters = meters;
        this.nanoClock = nanoClock;
    }

    /** Puts a consumer at the end of its partition; replies to what is sent from now on come after that. */
    static void seekToEnd(Consumer<byte[], byte[]> consumer, TopicPartition partition, Duration timeout) {
        consumer.assign(List.of(partition));
        consumer.seekToEnd(List.of(partition));
        consumer.position(partition, timeout);
    }

    /** Waits for replies no longer than that, and handles those that came. */
    void poll(Duration timeout) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout)) {
            try {
                handle(record);
            } catch (RuntimeException bug) {
                meters.droppedReply(Dropped.UNREADABLE);
                LOG.atError()
                        .addKeyValue("partition", record.partition())
                        .addKeyValue("offset", record.offset())
                        .setCause(bug)
                        .log("a reply could not be handled");
            }
        }
    }

    private void handle(ConsumerRecord<byte[], byte[]> record) {
        Optional<CorrelationId> id = ours(record);
        if (id.isEmpty()) {
            meters.droppedReply(Dropped.FOREIGN);
            return;
        }
        Lane lane = lanes.get(id.get().shard());
        Optional<Batch> batch = lane.find(id.get().sequence());
        if (batch.isEmpty()) {
            meters.droppedReply(Dropped.LATE);
            return;
        }
        try {
            Reply reply = ReplyRecords.decode(record.value() == null ? new byte[0] : record.value());
            if (reply.shard() != lane.shard()) {
                throw new UnreadableRecordException(
                        "the reply is from shard " + reply.shard() + ", not from shard " + lane.shard());
            }
            give(reply, lane, batch.get());
        } catch (UnreadableRecordException unreadable) {
            meters.droppedReply(Dropped.UNREADABLE);
            LOG.atWarn()
                    .addKeyValue("partition", record.partition())
                    .addKeyValue("offset", record.offset())
                    .log("a reply cannot be used: {}", unreadable.getMessage());
        }
    }

    private Optional<CorrelationId> ours(ConsumerRecord<byte[], byte[]> record) {
        Header header = record.headers().lastHeader(ReplyAddress.CORRELATION_ID);
        return Optional.ofNullable(header)
                .flatMap(found -> CorrelationId.fromBytes(found.value()))
                .filter(id -> id.epoch() == epoch && id.shard() < lanes.size());
    }

    private void give(Reply reply, Lane lane, Batch batch) {
        lane.logClock().learn(reply.logTimeMillis(), batch.firstSentNanos(), nanoClock.getAsLong());
        if (!lane.close(batch)) {
            meters.droppedReply(Dropped.LATE);
            return;
        }
        List<Call> calls = batch.calls();
        if (reply.decisions().size() == calls.size()) {
            List<Answer> given = new ArrayList<>(calls.size());
            for (int i = 0; i < calls.size(); i++) {
                given.add(toAnswer(
                        calls.get(i).admission().stage(), reply.decisions().get(i)));
            }
            answers.give(calls, given);
        } else {
            String problem = reply.problem().isEmpty()
                    ? "the reply has " + reply.decisions().size() + " decisions for " + calls.size() + " commands"
                    : reply.problem();
            answers.giveAll(calls, Unavailable.because(Cause.SHARD, problem));
        }
    }

    private static Answer toAnswer(Stage stage, Decision decision) {
        if (decision.verdict().decided()) {
            return Decided.byShard(stage, decision);
        }
        return new Unavailable(
                decision.verdict() == Verdict.CONFLICT ? Cause.CONFLICT : Cause.SHARD,
                Optional.of(decision),
                decision.verdict() + ": " + decision.reason(),
                OptionalLong.empty(),
                List.of());
    }
}
