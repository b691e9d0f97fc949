package io.headgate.tools.explain;

import io.headgate.core.decision.DecisionId;
import io.headgate.core.shard.Command;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.schemas.ShardLog;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.tools.BadLine;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The place in a shard's log that a decision is named after, and what stands there. */
record Place(Standing standing) {

    private static final int LONGEST_SHOWN = 300;

    /** What stands at a decision's place. */
    sealed interface Standing {}

    /**
     * The request.
     *
     * @param ask what was asked
     * @param batch how many commands its record has
     * @param atMillis when the record was appended
     */
    record Request(Command.Ask ask, int batch, long atMillis) implements Standing {}

    /** A command that could not be read, which is answered ERROR. */
    record Malformed(String reason) implements Standing {}

    /**
     * The log begins behind the place.
     *
     * @param beginsAt the first offset that is left
     */
    record Gone(long beginsAt) implements Standing {}

    /** Reads what stands there. */
    static Place read(Cluster cluster, DecisionId id) throws CommandFailedException {
        int shards = cluster.partitions(TopicCatalogue.ADMISSION_REQUESTS);
        if (id.shard() >= shards) {
            throw new CommandFailedException("there is no shard " + id.shard() + "; there are " + shards
                    + ", from 0: the decision is of another cluster");
        }
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        long stopped =
                cluster.read(TopicCatalogue.ADMISSION_REQUESTS, id.shard(), id.offset(), id.offset() + 1, found::add);
        Optional<ConsumerRecord<byte[], byte[]>> record =
                found.stream().filter(one -> one.offset() == id.offset()).findFirst();
        if (record.isPresent()) {
            return new Place(standing(record.get(), id));
        }
        if (stopped <= id.offset()) {
            throw new CommandFailedException("the log of shard " + id.shard() + " ends at offset " + stopped
                    + "; nothing stands at " + id.offset() + " yet: the decision is of another cluster");
        }
        return new Place(new Gone(stopped));
    }

    private static Standing standing(ConsumerRecord<byte[], byte[]> record, DecisionId id)
            throws CommandFailedException {
        String where = "at offset " + id.offset() + " of shard " + id.shard() + " stands ";
        LogRecord decoded = ShardLog.decode(
                id.shard(), record.offset(), record.timestamp(), record.headers(), record.value(), named -> {
                    throw new UnreadableRecordException("a control record");
                });
        if (decoded.payload() instanceof LogRecord.Unreadable unreadable) {
            throw new CommandFailedException(
                    where + "no request but: " + BadLine.shown(unreadable.reason(), LONGEST_SHOWN));
        }
        List<Command> commands = ((Requests) decoded.payload()).commands();
        if (id.index() >= commands.size()) {
            throw new CommandFailedException(
                    where + "a batch of " + commands.size() + "; it has no index " + id.index() + ", they begin at 0");
        }
        Command command = commands.get(id.index());
        return command instanceof Command.Ask ask
                ? new Request(ask, commands.size(), record.timestamp())
                : new Malformed(((Command.Malformed) command).reason());
    }
}
