package io.headgate.tools.tenant;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.headgate.core.account.TenantPlan;
import io.headgate.core.decision.Identity;
import io.headgate.schemas.PlanRecord;
import io.headgate.schemas.policy.TenantPlansDocument;
import io.headgate.tools.BadLine;
import io.headgate.tools.Output;
import java.io.PrintWriter;

/** Tells what was written of a plan, and where. */
final class PlanReceipt {

    private final PrintWriter out;
    private final Output output;

    PlanReceipt(PrintWriter out, Output output) {
        this.out = out;
        this.output = output;
    }

    void print(PlanRecord record, Place place) {
        TenantPlan plan = record.plan();
        if (output == Output.json) {
            ObjectNode json = JsonNodeFactory.instance.objectNode().put("tenant", plan.tenant());
            json.setAll(TenantPlansDocument.written(plan));
            json.put("author", record.author()).put("reason", record.reason());
            out.println(json.put("topic", place.topic())
                    .put("partition", place.partition())
                    .put("offset", place.offset()));
            return;
        }
        out.println(BadLine.shown(plan.tenant(), Identity.MAX_LENGTH) + " " + PlanWords.of(plan));
        out.println("written to " + place);
    }
}
