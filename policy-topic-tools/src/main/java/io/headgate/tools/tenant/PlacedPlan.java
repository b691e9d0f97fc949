package io.headgate.tools.tenant;

import io.headgate.core.account.TenantPlan;
import io.headgate.schemas.PlanRecord;

/**
 * A plan and where it stands.
 *
 * @param record the plan
 * @param place where it stands
 * @param writtenMillis when it was written, by the clock of whoever wrote it
 */
record PlacedPlan(PlanRecord record, Place place, long writtenMillis) {

    boolean removed() {
        return record.plan().status() == TenantPlan.Status.REMOVED;
    }
}
