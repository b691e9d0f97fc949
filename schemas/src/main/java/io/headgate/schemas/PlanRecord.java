package io.headgate.schemas;

import io.headgate.core.account.TenantPlan;
import io.headgate.core.limit.Limit;
import io.headgate.schemas.wire.LimitSpec;
import io.headgate.schemas.wire.TenantPlanBatch;
import io.headgate.schemas.wire.TenantPlanRecord;
import io.headgate.schemas.wire.TenantStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The plan of one tenant as it stands on {@code tenant-plans}.
 *
 * @param plan what the tenant may do
 * @param author who said so
 * @param reason why
 */
public record PlanRecord(TenantPlan plan, String author, String reason) {

    private static final WireFormat<TenantPlanRecord> FORMAT = new WireFormat<>(TenantPlanRecord.class);
    private static final WireFormat<TenantPlanBatch> BATCH = new WireFormat<>(TenantPlanBatch.class);

    /** The record's key, and the partition key of the tenant's requests. */
    public byte[] key() {
        return plan.tenant().getBytes(StandardCharsets.UTF_8);
    }

    public byte[] toBytes() {
        return FORMAT.encode(toWire(plan, author, reason));
    }

    /**
     * Reads a record of {@code tenant-plans}.
     *
     * @throws UnreadableRecordException if there is no plan in the bytes, naming what is wrong with it
     */
    public static PlanRecord fromBytes(byte[] bytes) {
        TenantPlanRecord record = FORMAT.decode(bytes);
        return new PlanRecord(fromWire(record), record.getAuthor(), record.getReason());
    }

    static byte[] encodeAll(List<TenantPlan> plans) {
        List<TenantPlanRecord> records = new ArrayList<>(plans.size());
        plans.forEach(plan -> records.add(toWire(plan, "", "")));
        return BATCH.encode(new TenantPlanBatch(records));
    }

    static List<TenantPlan> decodeAll(byte[] bytes) {
        return BATCH.decode(bytes).getPlans().stream().map(PlanRecord::fromWire).toList();
    }

    private static TenantPlanRecord toWire(TenantPlan plan, String author, String reason) {
        Map<String, LimitSpec> overrides = new TreeMap<>();
        plan.overrides().forEach((ruleId, limit) -> overrides.put(ruleId, LimitRecords.toWire(limit)));
        return new TenantPlanRecord(
                plan.tenant(),
                TenantStatus.valueOf(plan.status().name()),
                plan.plan(),
                plan.unlimited(),
                plan.zone().orElse(""),
                plan.homeRegion().orElse(""),
                overrides,
                author,
                reason);
    }

    private static TenantPlan fromWire(TenantPlanRecord record) {
        if (record.getStatus() == TenantStatus.UNKNOWN) {
            throw new UnreadableRecordException(
                    "plan of tenant '" + record.getTenant() + "' has a status that this release does not know");
        }
        try {
            SortedMap<String, Limit> overrides = new TreeMap<>();
            record.getOverrides().forEach((ruleId, limit) -> overrides.put(ruleId, override(ruleId, limit)));
            return new TenantPlan(
                    record.getTenant(),
                    TenantPlan.Status.valueOf(record.getStatus().name()),
                    record.getPlan(),
                    record.getUnlimited(),
                    optional(record.getZone()),
                    optional(record.getHomeRegion()),
                    overrides);
        } catch (IllegalArgumentException outOfRange) {
            throw new UnreadableRecordException(
                    "plan of tenant '" + record.getTenant() + "': " + outOfRange.getMessage());
        }
    }

    private static Limit override(String ruleId, LimitSpec limit) {
        try {
            return LimitRecords.fromWire(limit);
        } catch (IllegalArgumentException outOfRange) {
            throw new IllegalArgumentException("override of " + ruleId + ": " + outOfRange.getMessage(), outOfRange);
        }
    }

    private static Optional<String> optional(String value) {
        return Optional.of(value).filter(text -> !text.isEmpty());
    }
}
