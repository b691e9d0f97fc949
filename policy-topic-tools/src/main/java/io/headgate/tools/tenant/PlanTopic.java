package io.headgate.tools.tenant;

import io.headgate.core.shard.Partitioning;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.TopicCatalogue;
import io.headgate.schemas.UnreadableRecordException;
import io.headgate.schemas.trust.RecordSignature;
import io.headgate.schemas.trust.TrustedKeys;
import io.headgate.tools.Cluster;
import io.headgate.tools.CommandFailedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The topic of plans: of each tenant the newest record counts, in the partition of its shard. */
final class PlanTopic {

    private final Cluster cluster;
    private final int partitions;
    private final Rejects rejects = new Rejects();

    PlanTopic(Cluster cluster) throws CommandFailedException {
        this.cluster = cluster;
        this.partitions = cluster.partitions(TopicCatalogue.TENANT_PLANS);
    }

    /**
     * What stands of one tenant.
     *
     * @param plan the newest record; empty if there is none or it was deleted by a null
     * @param end where the partition ended when this was read
     */
    record Standing(Optional<PlacedPlan> plan, long end) {}

    /** A record that counts: a plan, or a null that says that there is none. */
    record Change(String tenant, Optional<PlacedPlan> plan) {}

    int partitions() {
        return partitions;
    }

    int partitionOf(String tenant) {
        return Partitioning.shardOf(tenant, partitions);
    }

    /** What no shard takes of what was read. */
    Rejects rejects() {
        return rejects;
    }

    Standing standing(String tenant) throws CommandFailedException {
        List<PlacedPlan> newest = new ArrayList<>();
        byte[] key = tenant.getBytes(StandardCharsets.UTF_8);
        long end = cluster.read(TopicCatalogue.TENANT_PLANS, partitionOf(tenant), 0, record -> {
            if (Arrays.equals(key, record.key())) {
                change(record).ifPresent(change -> {
                    newest.clear();
                    change.plan().ifPresent(newest::add);
                });
            }
        });
        return new Standing(newest.stream().findFirst(), end);
    }

    /** Gives every change of a partition that counts, in the order of the log. */
    void read(int partition, Consumer<Change> each) throws CommandFailedException {
        cluster.read(
                TopicCatalogue.TENANT_PLANS,
                partition,
                0,
                record -> change(record).ifPresent(each));
    }

    /** Writes plans, issued now, and says where each stands. */
    List<Place> write(List<PlanRecord> plans, RecordSigning.Signer signer, long nowMillis)
            throws CommandFailedException {
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (PlanRecord plan : plans) {
            records.add(new ProducerRecord<>(
                    TopicCatalogue.TENANT_PLANS, partitionOf(plan.plan().tenant()), plan.key(), plan.toBytes()));
        }
        if (signer.signs()) {
            Map<String, Long> before = issueTimes(records);
            for (int i = 0; i < records.size(); i++) {
                // Other operators' clocks may be ahead, and the newest of a tenant is the one that was issued last.
                long after = before.getOrDefault(plans.get(i).plan().tenant(), -1L) + 1;
                signer.signed(records.get(i), Math.max(nowMillis, after));
            }
        }
        List<Long> offsets = cluster.append(records);
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < offsets.size(); i++) {
            places.add(new Place(TopicCatalogue.TENANT_PLANS, records.get(i).partition(), offsets.get(i)));
        }
        return places;
    }

    /** When the newest record of each tenant was issued, of all that share a partition with one of these. */
    private Map<String, Long> issueTimes(List<ProducerRecord<byte[], byte[]>> records) throws CommandFailedException {
        Map<String, Long> byTenant = new TreeMap<>();
        for (int partition : records.stream().map(ProducerRecord::partition).collect(Collectors.toSet())) {
            cluster.read(TopicCatalogue.TENANT_PLANS, partition, 0, record -> {
                if (record.key() != null) {
                    issuedAt(record)
                            .ifPresent(atMillis -> byTenant.merge(
                                    new String(record.key(), StandardCharsets.UTF_8), atMillis, Math::max));
                }
            });
        }
        return byTenant;
    }

    /** What is no signature, or says a time that nobody would take, counts for nothing. */
    private static OptionalLong issuedAt(ConsumerRecord<byte[], byte[]> record) {
        try {
            return RecordSignature.of(record.headers())
                    .map(RecordSignature::issuedAtMillis)
                    .filter(atMillis -> Math.abs(atMillis - record.timestamp()) <= TrustedKeys.MOST_DELAY_MILLIS)
                    .map(OptionalLong::of)
                    .orElse(OptionalLong.empty());
        } catch (UnreadableRecordException none) {
            return OptionalLong.empty();
        }
    }

    /** Another record of the tenant that came between what was read and what was written after it. */
    Optional<Place> between(String tenant, Standing read, Place written) throws CommandFailedException {
        if (written.offset() == read.end()) {
            return Optional.empty();
        }
        List<Place> others = new ArrayList<>();
        byte[] key = tenant.getBytes(StandardCharsets.UTF_8);
        cluster.read(TopicCatalogue.TENANT_PLANS, written.partition(), read.end(), record -> {
            if (record.offset() < written.offset() && Arrays.equals(key, record.key())) {
                others.add(Place.of(record));
            }
        });
        return others.stream().findFirst();
    }

    private Optional<Change> change(ConsumerRecord<byte[], byte[]> record) {
        if (record.key() == null) {
            rejects.add(record, "it has no key");
            return Optional.empty();
        }
        String tenant = new String(record.key(), StandardCharsets.UTF_8);
        if (partitionOf(tenant) != record.partition()) {
            rejects.add(record, "its tenant is of shard " + partitionOf(tenant));
            return Optional.empty();
        }
        if (record.value() == null) {
            return Optional.of(new Change(tenant, Optional.empty()));
        }
        try {
            PlanRecord plan = PlanRecord.fromBytes(record.value());
            if (plan.plan().tenant().equals(tenant)) {
                return Optional.of(
                        new Change(tenant, Optional.of(new PlacedPlan(plan, Place.of(record), record.timestamp()))));
            }
            rejects.add(record, "its key is not its tenant");
        } catch (UnreadableRecordException foreign) {
            rejects.add(record, foreign.getMessage());
        }
        return Optional.empty();
    }
}
