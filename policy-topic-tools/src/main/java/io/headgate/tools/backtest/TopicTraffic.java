package io.headgate.tools.backtest;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.ShardLog;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.BadLine;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The logs of all shards, one after the other, each folded under both policies. So there is one shard's state of each side
 * in memory at a time. A place in one log, both states and the tally are all that it takes to go on.
 */
final class TopicTraffic {

    private static final String TOPIC = TopicCatalogue.ADMISSION_REQUESTS;
    private static final int LONGEST_REASON = 200;

    private final Cluster cluster;
    private final PolicyDocument baseline;
    private final PolicyDocument candidate;
    private final Optional<ControlKeys> keys;
    private final Tally tally;
    private final Optional<Checkpoint> checkpoint;
    private final long checkpointNanos;
    private final Progress progress;

    private TopicSpan span;
    private int shard;
    private long nextOffset;
    private Optional<Replaying> before = Optional.empty();
    private Optional<Replaying> after = Optional.empty();
    private long controlRecords;
    private long foldedBefore;
    private long cpuNanos;
    private long writtenAtNanos;

    /**
     * Begins with what there is on the topic now, or goes on from a checkpoint.
     *
     * @param keys authenticate control records; without them those are passed over
     * @param checkpointNanos how often a checkpoint is written, if there is one
     */
    TopicTraffic(
            Cluster cluster,
            PolicyDocument baseline,
            PolicyDocument candidate,
            Optional<ControlKeys> keys,
            Tally tally,
            Optional<Checkpoint> checkpoint,
            long checkpointNanos,
            Progress progress) {
        this.cluster = cluster;
        this.baseline = baseline;
        this.candidate = candidate;
        this.keys = keys;
        this.tally = tally;
        this.checkpoint = checkpoint;
        this.checkpointNanos = checkpointNanos;
        this.progress = progress;
    }

    /** Folds what was appended between two times; or the rest of what a checkpoint began. */
    void compare(long sinceMillis, long untilMillis) throws CommandFailedException {
        boolean resumed = checkpoint.isPresent() && checkpoint.get().read(this::readFrom);
        if (!resumed) {
            span = TopicSpan.of(cluster, sinceMillis, untilMillis);
        }
        checkPlanTopic();
        foldedBefore = tally.decisions();
        writtenAtNanos = System.nanoTime();
        for (; shard < span.shards().size(); shard++) {
            fold(span.shards().get(shard));
            before = Optional.empty();
            after = Optional.empty();
        }
        progress.done();
        if (checkpoint.isPresent()) {
            checkpoint.get().delete();
        }
    }

    private void checkPlanTopic() throws CommandFailedException {
        int plans = cluster.partitions(TopicCatalogue.TENANT_PLANS);
        if (plans != span.shards().size()) {
            throw new CommandFailedException("topic " + TopicCatalogue.TENANT_PLANS + " has " + plans
                    + " partitions and " + TOPIC + " has " + span.shards().size() + "; they must have as many");
        }
    }

    private void fold(TopicSpan.Part part) throws CommandFailedException {
        if (before.isEmpty()) {
            begin(part);
        }
        long first = cluster.offsetAt(TOPIC, shard, 0);
        if (first > nextOffset && part.to() > nextOffset) {
            throw new CommandFailedException("the log of shard " + shard + " begins at offset " + first
                    + " by now, after offset " + nextOffset + " where this backtest would go on; begin anew");
        }
        try (BothSides<ShardRecord> sides = new BothSides<>(before.orElseThrow(), after.orElseThrow(), this::take)) {
            List<CommandFailedException> failed = new ArrayList<>(0);
            cluster.read(TOPIC, shard, nextOffset, part.to(), record -> {
                if (failed.isEmpty()) {
                    fold(record, sides, failed);
                }
            });
            if (!failed.isEmpty()) {
                throw failed.get(0);
            }
            sides.settle();
            cpuNanos += sides.cpuNanos();
        }
    }

    private void begin(TopicSpan.Part part) throws CommandFailedException {
        int shards = span.shards().size();
        Replaying one = Replaying.begin(shard, shards, baseline);
        Replaying other = Replaying.begin(shard, shards, candidate);
        long beforeMillis = keys.isPresent() ? firstMillis(part) : Long.MAX_VALUE;
        new TopicPlans(cluster, shards).read(shard, beforeMillis, plans -> {
            one.begin(plans);
            other.begin(plans);
        });
        one.open();
        other.open();
        before = Optional.of(one);
        after = Optional.of(other);
        nextOffset = part.from();
    }

    private long firstMillis(TopicSpan.Part part) throws CommandFailedException {
        long[] first = {Long.MAX_VALUE};
        if (part.records() > 0) {
            cluster.read(TOPIC, shard, part.from(), part.from() + 1, record -> first[0] = record.timestamp());
        }
        return first[0];
    }

    private void fold(
            ConsumerRecord<byte[], byte[]> record, BothSides<ShardRecord> sides, List<CommandFailedException> failed) {
        try {
            boolean[] control = {false};
            LogRecord read = ShardLog.decode(
                    shard, record.offset(), record.timestamp(), record.headers(), record.value(), id -> {
                        control[0] = true;
                        return keys.flatMap(known -> known.find(id))
                                .orElseThrow(() -> new UnreadableRecordException(
                                        "control record names key '" + id + "', which is not in the file of keys"));
                    });
            controlRecords += control[0] ? 1 : 0;
            if (read.payload() instanceof LogRecord.Unreadable unreadable) {
                if (!control[0] || keys.isPresent()) {
                    addBad(record.offset(), unreadable.reason());
                }
            } else {
                int requests = read.payload() instanceof LogRecord.Requests batch
                        ? batch.commands().size()
                        : 0;
                sides.take(new ShardRecord(shard, record.offset(), record.timestamp(), read.payload()), requests);
            }
            nextOffset = record.offset() + 1;
            progress.at(shard, span, nextOffset);
            writeIfDue(sides);
        } catch (CommandFailedException e) {
            failed.add(e);
        }
    }

    private void addBad(long offset, String why) {
        tally.addBad("shard " + shard + ", offset " + offset + ": " + BadLine.shown(why, LONGEST_REASON));
    }

    private void take(ShardRecord record, List<List<Decision>> before, List<List<Decision>> after) {
        if (!(record.payload() instanceof LogRecord.Requests requests)) {
            return;
        }
        for (int i = 0; i < requests.commands().size(); i++) {
            DecisionId id = new DecisionId(record.shard(), record.offset(), i);
            if (requests.commands().get(i) instanceof Command.Ask ask) {
                tally.add(new Compared(
                        id::toString, record.timeMillis(), List.of(ask.admission()), before.get(i), after.get(i)));
            } else {
                Command.Malformed malformed =
                        (Command.Malformed) requests.commands().get(i);
                tally.addBad(id + ": " + BadLine.shown(malformed.reason(), LONGEST_REASON));
            }
        }
    }

    private void writeIfDue(BothSides<ShardRecord> sides) throws CommandFailedException {
        if (checkpoint.isPresent() && System.nanoTime() - writtenAtNanos >= checkpointNanos) {
            sides.settle();
            checkpoint.get().write(this::writeTo);
            writtenAtNanos = System.nanoTime();
        }
    }

    private void writeTo(DataOutput out) throws IOException {
        span.writeTo(out);
        out.writeInt(shard);
        out.writeLong(nextOffset);
        out.writeLong(controlRecords);
        before.orElseThrow().writeTo(out);
        after.orElseThrow().writeTo(out);
        tally.writeTo(out);
    }

    private void readFrom(DataInput in) throws IOException {
        span = TopicSpan.readFrom(in);
        shard = in.readInt();
        nextOffset = in.readLong();
        controlRecords = in.readLong();
        int shards = span.shards().size();
        before = Optional.of(Replaying.readFrom(in, shard, shards, baseline));
        after = Optional.of(Replaying.readFrom(in, shard, shards, candidate));
        tally.readFrom(in);
    }

    /** What was folded of each log. */
    TopicSpan span() {
        return span;
    }

    /** How many control records there were. */
    long controlRecords() {
        return controlRecords;
    }

    /** How many decisions were made in this run; a checkpoint brings those of earlier ones. */
    long decisionsOfThisRun() {
        return tally.decisions() - foldedBefore;
    }

    /** Time that deciding took, of all threads together, in ns. */
    long cpuNanos() {
        return cpuNanos;
    }
}
