package io.headgate.processor;

import io.headgate.core.decision.Decision;
import io.headgate.core.decision.DecisionId;
import io.headgate.core.decision.Verdict;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.Folded;
import io.headgate.core.shard.LogRecord;
import io.headgate.core.shard.LogRecord.Controlled;
import io.headgate.core.shard.LogRecord.Requests;
import io.headgate.core.shard.Loss;
import io.headgate.core.shard.Shard;
import io.headgate.core.shard.ShardSettings;
import io.headgate.core.shard.ShardView;
import io.headgate.core.shard.Tracer;
import io.headgate.schemas.ContentType;
import io.headgate.schemas.ControlKey;
import io.headgate.schemas.ControlKeys;
import io.headgate.schemas.DeadLetterRecord;
import io.headgate.schemas.Reply;
import io.headgate.schemas.ReplyAddress;
import io.headgate.schemas.ShardLog;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.PolicyDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds one shard's log. Decodes each record, lets {@link Shard} fold it, sends the answers on their way and forwards
 * what belongs among the dead letters; whatever there is to decide is decided in the core.
 *
 * <p>Before folding it makes sure that the record is the one that the state expects. If it is not, part of the log is
 * lost or the state is not this log's; then the shard halts: it folds nothing and answers NOT_READY, so that nobody is
 * decided for by a state that has forgotten something, until an operator accepts the loss.
 */
final class ShardProcessor implements Processor<byte[], byte[], byte[], byte[]> {

    static final String STORE = "admission-state";

    private static final Logger LOG = LoggerFactory.getLogger(ShardProcessor.class);

    /** From this much on, log time ahead of the owner's clock is worth a warning. */
    private static final long CLOCK_WARNING_MILLIS = 10_000;

    private static final int SHOWN_ID_LENGTH = 64;

    private final ControlKeys keys;
    private final Replies replies;
    private final OwnedShards shards;
    private final ProcessorMetrics metrics;
    private final Tracer tracer;

    private ProcessorContext<byte[], byte[]> context;
    private Shard shard;
    private OwnedShard owned;

    ShardProcessor(ControlKeys keys, Replies replies, OwnedShards shards, ProcessorMetrics metrics, Tracer tracer) {
        this.keys = keys;
        this.replies = replies;
        this.shards = shards;
        this.metrics = metrics;
        this.tracer = tracer;
    }

    @Override
    public void init(ProcessorContext<byte[], byte[]> context) {
        this.context = context;
        int number = context.taskId().partition();
        KeyValueStore<Bytes, byte[]> store = context.getStateStore(STORE);
        shard = new Shard(number, new RocksStore(store), PolicyDocument.READER, tracer);
        pinnedKeyId().filter(id -> keys.find(id).isEmpty()).ifPresent(id -> {
            throw new MissingControlKeyException(number, id);
        });
        owned = new OwnedShard(number, shard.view());
        shards.add(owned);
        LOG.atInfo()
                .addKeyValue("shard", number)
                .addKeyValue("nextOffset", shard.view().nextOffset())
                .addKeyValue("policyVersion", shard.view().policyVersion())
                .log("shard taken over");
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        RecordMetadata at = context.recordMetadata()
                .orElseThrow(() -> new IllegalStateException("a record of a shard log has an offset"));
        LogRecord decoded = ShardLog.decode(
                owned.number(), at.offset(), record.timestamp(), record.headers(), record.value(), this::controlKey);
        if (isNext(at.offset())) {
            ShardView before = owned.view();
            Folded folded = shard.fold(decoded);
            owned.report(shard.view());
            count(decoded, folded, before);
            answer(record, folded.decisions(), problemOf(decoded));
            bury(record, at, folded.problems());
            metrics.decided(folded.decisions());
            metrics.overflowed(folded.overflowed());
            watchClock(decoded);
        } else if (decoded.payload() instanceof Requests requests) {
            answer(record, notReady(requests, at.offset()), "");
        }
        owned.answerInquiries(shard::account);
    }

    @Override
    public void close() {
        if (owned != null) {
            shards.remove(owned);
        }
    }

    /** Only the key that the shard's state names counts; a shard without settings takes any key that we hold. */
    private ControlKey controlKey(String named) {
        Optional<String> pinned = pinnedKeyId();
        if (pinned.isPresent() && !pinned.get().equals(named)) {
            throw new UnreadableRecordException("control record is not genuine: it names key '" + shown(named)
                    + "'; this shard accepts '" + pinned.get() + "' only");
        }
        return keys.find(named)
                .orElseThrow(() -> new UnreadableRecordException(
                        "control record is not genuine: it names key '" + shown(named) + "', which nobody here holds"));
    }

    /** What a stranger wrote goes back to it as part of a reason; no key's id is longer than this. */
    private static String shown(String keyId) {
        return keyId.length() > SHOWN_ID_LENGTH ? keyId.substring(0, SHOWN_ID_LENGTH) + "…" : keyId;
    }

    private Optional<String> pinnedKeyId() {
        return shard.view().settings().map(ShardSettings::controlKeyId);
    }

    private boolean isNext(long offset) {
        long expected = shard.view().nextOffset();
        if (expected == offset) {
            goOn();
            return true;
        }
        Optional<OwnedShard.Acceptance> accepted =
                owned.halted().isPresent() ? owned.takeAcceptance() : Optional.empty();
        if (accepted.isPresent() && offset < expected) {
            accepted.get()
                    .result()
                    .completeExceptionally(new IllegalStateException("the log of shard " + owned.number()
                            + " is being read again and stands at offset " + offset + ", before " + expected
                            + " where the state stands; the shard goes on by itself when it gets there"));
            return false;
        }
        if (accepted.isPresent()) {
            shard.accept(new Loss(
                    expected, offset, accepted.get().author(), accepted.get().reason()));
            owned.reportHalted(Optional.empty());
            accepted.get().result().complete(offset);
            LOG.atWarn()
                    .addKeyValue("shard", owned.number())
                    .addKeyValue("fromOffset", expected)
                    .addKeyValue("toOffset", offset)
                    .addKeyValue("author", accepted.get().author())
                    .addKeyValue("reason", accepted.get().reason())
                    .log("loss accepted; the shard goes on");
            return true;
        }
        if (owned.halted().isEmpty()) {
            String reason = "its state expects offset " + expected + ", but the log goes on at " + offset
                    + (expected == 0 ? " (the state is empty)" : "");
            owned.reportHalted(Optional.of(reason));
            LOG.atError()
                    .addKeyValue("shard", owned.number())
                    .addKeyValue("expectedOffset", expected)
                    .addKeyValue("offset", offset)
                    .log("shard halted: state and log do not fit; it answers NOT_READY until somebody runs"
                            + " 'headgate shard accept-loss'");
        }
        return false;
    }

    /** After a halt because the log was read from further back: it has come to where the state stands, nothing is lost. */
    private void goOn() {
        if (owned.halted().isPresent()) {
            owned.reportHalted(Optional.empty());
            LOG.atWarn()
                    .addKeyValue("shard", owned.number())
                    .addKeyValue("offset", shard.view().nextOffset())
                    .log("the log has come to where the state stands; the shard goes on");
        }
    }

    private List<Decision> notReady(Requests requests, long offset) {
        List<Decision> decisions = new ArrayList<>();
        for (int i = 0; i < requests.commands().size(); i++) {
            decisions.add(Decision.undecided(
                    Verdict.NOT_READY,
                    new DecisionId(owned.number(), offset, i),
                    shard.view().policyVersion(),
                    "this shard is halted: " + owned.halted().orElseThrow()));
        }
        metrics.decided(decisions);
        return decisions;
    }

    /** Who sent something unreadable learns why, if an address can be found. */
    private static String problemOf(LogRecord record) {
        return record.payload() instanceof LogRecord.Unreadable unreadable ? unreadable.reason() : "";
    }

    private void answer(Record<byte[], byte[]> record, List<Decision> decisions, String problem) {
        if (decisions.isEmpty() && problem.isEmpty()) {
            return;
        }
        ContentType written = ContentType.ofReply(record.headers());
        try {
            ReplyAddress.readFrom(record.headers())
                    .ifPresent(address -> replies.send(
                            address,
                            written,
                            written.encode(
                                    new Reply(owned.number(), shard.view().logTimeMillis(), problem, decisions))));
        } catch (UnreadableRecordException badAddress) {
            metrics.replyDropped("address");
        }
    }

    private void bury(Record<byte[], byte[]> record, RecordMetadata at, List<String> problems) {
        for (String problem : problems) {
            metrics.deadLetter();
            DeadLetterRecord letter =
                    DeadLetterRecord.of(at.topic(), at.partition(), at.offset(), problem, record.value());
            context.forward(new Record<>(null, letter.toBytes(), record.timestamp()));
        }
    }

    /** Plans and actions that came twice, or behind a gap, were not applied. */
    private void count(LogRecord record, Folded folded, ShardView before) {
        if (!(record.payload() instanceof Controlled controlled)) {
            return;
        }
        ShardView now = owned.view();
        if (controlled.control() instanceof Control.ApplyPlans plans && now.planSource() > before.planSource()) {
            metrics.plansApplied(plans.plans().size() - folded.problems().size());
        } else if (controlled.control() instanceof Control.ApplyAction
                && now.actionSource() > before.actionSource()
                && folded.problems().isEmpty()) {
            metrics.actionApplied();
        }
    }

    private void watchClock(LogRecord record) {
        if (record.payload() instanceof Controlled controlled && controlled.control() instanceof Control.Tick tick) {
            long aheadMillis = shard.view().logTimeMillis() - tick.ownerMillis();
            metrics.logTimeAhead(aheadMillis);
            if (aheadMillis > CLOCK_WARNING_MILLIS) {
                LOG.atWarn()
                        .addKeyValue("shard", owned.number())
                        .addKeyValue("aheadMillis", aheadMillis)
                        .log("log time is ahead of this process's clock: budgets refill late until it is reached");
            }
        }
    }
}
