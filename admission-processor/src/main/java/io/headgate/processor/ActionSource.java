package io.headgate.processor;

import io.headgate.core.account.Action;
import io.headgate.core.shard.Control;
import io.headgate.core.shard.ShardView;
import io.headgate.schemas.ActionRecords;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.policy.ZoneNames;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What operators do to budgets, one action a record. */
final class ActionSource implements Source<Action> {

    private static final int MOST_UNDER_WAY = 64;

    private final int shards;
    private final ProcessorMetrics metrics;

    ActionSource(int shards, ProcessorMetrics metrics) {
        this.shards = shards;
        this.metrics = metrics;
    }

    @Override
    public String topic() {
        return TopicCatalogue.QUOTA_ADJUSTMENTS;
    }

    @Override
    public long appliedBy(ShardView view) {
        return view.actionSource();
    }

    @Override
    public Action read(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            throw new UnreadableRecordException("value is null; an action is ended by another that lifts it");
        }
        Action action = ActionRecords.decode(record.value());
        // Under another key it would be compacted away with another action, or stay when it should not.
        if (!Arrays.equals(record.key(), ActionRecords.key(action))) {
            throw new UnreadableRecordException("key is not the action's id, '" + action.id() + "'");
        }
        Homes.check(action.subject().partitionKey(), record.partition(), shards);
        return action;
    }

    @Override
    public Set<String> zonesOf(Action action) {
        return ZoneNames.zones(action);
    }

    @Override
    public Control control(long source, long previous, List<Action> actions) {
        return new Control.ApplyAction(source, previous, actions.get(0));
    }

    @Override
    public int mostInOne() {
        return 1;
    }

    @Override
    public int mostUnderWay() {
        return MOST_UNDER_WAY;
    }

    @Override
    public void refused() {
        metrics.actionRefused();
    }
}
