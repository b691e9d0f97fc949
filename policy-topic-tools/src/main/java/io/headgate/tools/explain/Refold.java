package io.headgate.tools.explain;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Trace;
import io.headgate.core.decision.Verdict;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.MemoryStore;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.Tracer;
import io.headgate.core.shard.UnsupportedSemanticsException;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.ShardLog;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import io.headgate.tools.BadLine;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Folds a shard's log from its beginning up to one decision, with the fold that decides in production, and watches that
 * one come about. State is in memory, and bounded.
 */
final class Refold {

    /** How many entries of state are kept at most. */
    static final int MAX_ENTRIES = 4_000_000;

    private static final int LONGEST_SHOWN = 300;

    private final DecisionId id;
    private final ControlKeys keys;
    private final int maxEntries;
    private final MemoryStore store = new MemoryStore();
    private final Shard shard;
    private Optional<Trace> trace = Optional.empty();
    private Optional<Decision> decision = Optional.empty();
    private Optional<String> unknownKey = Optional.empty();

    private Refold(DecisionId id, ControlKeys keys, int maxEntries) {
        this.id = id;
        this.keys = keys;
        this.maxEntries = maxEntries;
        this.shard = new Shard(id.shard(), store, PolicyDocument.READER, new Tracer() {
            @Override
            public boolean wants(DecisionId decided, Verdict verdict) {
                return decided.equals(id);
            }

            @Override
            public void take(Trace taken) {
                if (taken.id().equals(id)) {
                    trace = Optional.of(taken);
                }
            }
        });
    }

    /**
     * What came of it.
     *
     * @param trace empty if no rule was asked: it was not decided, or it was a repetition
     */
    record Result(Decision decision, Optional<Trace> trace) {}

    /** The log cannot be folded up to the decision; the message says why. */
    private static final class StoppedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        StoppedException(String why) {
            super(why);
        }
    }

    /**
     * Folds.
     *
     * @param progress is told each offset
     * @throws CommandFailedException if the log cannot be read, does not go on without a gap, its control records cannot be
     *     authenticated with these keys, or its state does not fit
     */
    static Result run(Cluster cluster, DecisionId id, ControlKeys keys, int maxEntries, LongConsumer progress)
            throws CommandFailedException {
        Refold refold = new Refold(id, keys, maxEntries);
        try {
            cluster.read(TopicCatalogue.ADMISSION_REQUESTS, id.shard(), 0, id.offset() + 1, record -> {
                refold.fold(record);
                progress.accept(record.offset());
            });
        } catch (StoppedException | UnsupportedSemanticsException e) {
            throw new CommandFailedException(e.getMessage());
        }
        return refold.result();
    }

    private void fold(ConsumerRecord<byte[], byte[]> record) {
        long expected = shard.view().nextOffset();
        if (record.offset() != expected) {
            throw new StoppedException("the log of shard " + id.shard() + " has a gap: after offset " + (expected - 1)
                    + " comes " + record.offset());
        }
        Folded folded = shard.fold(ShardLog.decode(
                id.shard(), record.offset(), record.timestamp(), record.headers(), record.value(), this::keyFor));
        if (store.size() > maxEntries) {
            throw new StoppedException("the state of shard " + id.shard() + " has more than " + maxEntries
                    + " entries at offset " + record.offset() + ", as many as are kept in memory");
        }
        if (record.offset() == id.offset() && id.index() < folded.decisions().size()) {
            decision = Optional.of(folded.decisions().get(id.index()));
        }
    }

    /** As a processor does: the key that the state names, or in a shard without settings any that is held. */
    private ControlKey keyFor(String named) {
        Optional<String> pinned = shard.view().settings().map(ShardSettings::controlKeyId);
        if (pinned.isPresent() && !pinned.get().equals(named)) {
            throw new UnreadableRecordException("control record is not genuine: it names another key");
        }
        Optional<ControlKey> key = keys.find(named);
        if (key.isEmpty() && pinned.isPresent()) {
            throw new StoppedException("the log of shard " + id.shard() + " is authenticated with key " + shown(named)
                    + " from offset " + shard.view().nextOffset() + " on, and the key file has no such key");
        }
        if (key.isEmpty()) {
            unknownKey = unknownKey.or(() -> Optional.of(named));
        }
        return key.orElseThrow(() -> new UnreadableRecordException("control record names a key that nobody holds"));
    }

    private Result result() throws CommandFailedException {
        if (shard.view().settings().isEmpty()) {
            throw new CommandFailedException("no genuine control record stands before the decision in the log of shard "
                    + id.shard()
                    + unknownKey
                            .map(named ->
                                    "; the first names key " + shown(named) + ", which the key file does not have")
                            .orElse("; the key file's secrets do not fit"));
        }
        return new Result(
                decision.orElseThrow(() -> new CommandFailedException(
                        "the log of shard " + id.shard() + " could not be read up to offset " + id.offset())),
                trace);
    }

    private static String shown(String named) {
        return "'" + BadLine.shown(named, LONGEST_SHOWN) + "'";
    }
}
