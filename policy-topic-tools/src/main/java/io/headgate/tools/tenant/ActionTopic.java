package io.headgate.tools.tenant;

import io.headgate.core.account.Action;
import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.ActionRecords;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The topic of operators' actions, each in the partition of its subject's shard. */
final class ActionTopic {

    private final Cluster cluster;
    private final int partitions;
    private final Rejects rejects = new Rejects();

    ActionTopic(Cluster cluster) throws CommandFailedException {
        this.cluster = cluster;
        this.partitions = cluster.partitions(TopicCatalogue.QUOTA_ADJUSTMENTS);
    }

    /** What no shard takes of what was read. */
    Rejects rejects() {
        return rejects;
    }

    /** Writes an action, issued now, and says where it stands. */
    Place write(Action action, RecordSigning.Signer signer, long nowMillis) throws CommandFailedException {
        int partition = partitionOf(action);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                TopicCatalogue.QUOTA_ADJUSTMENTS, partition, ActionRecords.key(action), ActionRecords.encode(action));
        List<Long> offsets = cluster.append(List.of(signer.signed(record, nowMillis)));
        return new Place(TopicCatalogue.QUOTA_ADJUSTMENTS, partition, offsets.get(0));
    }

    /** The action of the same id and shard, if one stands there. */
    Optional<PlacedAction> namesake(Action action) throws CommandFailedException {
        List<PlacedAction> found = new ArrayList<>();
        read(partitionOf(action), one -> {
            if (one.action().id().equals(action.id())) {
                found.add(one);
            }
        });
        return found.isEmpty() ? Optional.empty() : Optional.of(found.get(found.size() - 1));
    }

    /** Overrides and bans of that id, of all shards; one at most of each account. */
    List<PlacedAction> liftable(String id) throws CommandFailedException {
        Map<String, PlacedAction> byAccount = new LinkedHashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            read(partition, one -> {
                if (one.action().id().equals(id) && endOf(one.action()).isPresent()) {
                    byAccount.put(one.action().subject().partitionKey(), one);
                }
            });
        }
        return List.copyOf(byAccount.values());
    }

    /** Overrides and bans of an account that were not lifted and end after {@code nowMillis}, oldest first. */
    List<PlacedAction> inForce(String partitionKey, long nowMillis) throws CommandFailedException {
        Map<String, PlacedAction> inForce = new LinkedHashMap<>();
        read(Partitioning.shardOf(partitionKey, partitions), one -> {
            Action action = one.action();
            if (!action.subject().partitionKey().equals(partitionKey)) {
                return;
            }
            if (action.effect() instanceof Action.Lift lift) {
                inForce.remove(lift.actionId());
            } else if (endOf(action).isPresent()) {
                inForce.remove(action.id());
                inForce.put(action.id(), one);
            }
        });
        return inForce.values().stream()
                .filter(one -> endOf(one.action()).orElseThrow() > nowMillis)
                .toList();
    }

    /** When an override or a ban ends; others have no end. */
    static OptionalLong endOf(Action action) {
        if (action.effect() instanceof Action.LimitOverride override) {
            return OptionalLong.of(override.untilMillis());
        }
        return action.effect() instanceof Action.Ban ban ? OptionalLong.of(ban.untilMillis()) : OptionalLong.empty();
    }

    private void read(int partition, Consumer<PlacedAction> each) throws CommandFailedException {
        cluster.read(
                TopicCatalogue.QUOTA_ADJUSTMENTS,
                partition,
                0,
                record -> placed(record).ifPresent(each));
    }

    private Optional<PlacedAction> placed(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            rejects.add(record, "it is a null");
            return Optional.empty();
        }
        try {
            Action action = ActionRecords.decode(record.value());
            if (partitionOf(action) == record.partition()) {
                return Optional.of(new PlacedAction(action, Place.of(record), record.timestamp()));
            }
            rejects.add(record, "its subject is of shard " + partitionOf(action));
        } catch (UnreadableRecordException foreign) {
            rejects.add(record, foreign.getMessage());
        }
        return Optional.empty();
    }

    private int partitionOf(Action action) {
        return Partitioning.shardOf(action.subject().partitionKey(), partitions);
    }
}
