package io.headgate.tools.backtest;

import io.headgate.core.policy.Activation;
import io.headgate.core.policy.Policy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a backtest cannot know, said in words beside its figures. */
final class Remarks {

    private static final String COLD =
            "Both sides begin with nobody having spent anything, so both judge the first window of each limit, and the"
                    + " first moments of each bucket, too kindly.";

    private static final String NO_BACKING_OFF =
            "Clients that never saw a denial have not backed off: whoever is newly denied here asks on as if it had been"
                    + " allowed. In production some wait, some retry at once, some give up.";

    private Remarks() {}

    static List<String> ofFiles(Policy before, Policy after, boolean accessLog, boolean tenants) {
        List<String> remarks = new ArrayList<>();
        remarks.add(COLD);
        remarks.add(NO_BACKING_OFF);
        if (accessLog) {
            remarks.add("An access log names no tenant, key or login name: only rules of stage ip are asked.");
        } else if (!tenants) {
            remarks.add("Without --tenants every tenant is on the default plan.");
        }
        remarks.add("One shard decides here; in production a rule's bound of remembered keys holds for each shard.");
        addActivation(before, after, remarks);
        return remarks;
    }

    static List<String> ofTopic(
            Policy before, Policy after, boolean keys, long controlRecords, Optional<Instant> since) {
        List<String> remarks = new ArrayList<>();
        remarks.add(COLD + " They begin " + since.map(Instant::toString).orElse("where each log begins") + ".");
        remarks.add(NO_BACKING_OFF);
        remarks.add(
                "Each stage's question counts by itself, as it stands in its shard's log. A later stage is not asked again"
                        + " because an earlier one would now allow, and is still counted where an earlier one would now"
                        + " deny. A stage for which gateways knew no rule then was not asked, and cannot be judged.");
        if (keys) {
            remarks.add("Plans, actions and zones are taken from the logs, with the plans that were written before;"
                    + " the plan of a tenant that was changed since then is unknown until its change, and counts as the"
                    + " default. Policies and ticks of the logs (among " + controlRecords
                    + " control records) are passed over: both sides have their own.");
        } else {
            remarks.add("Without --control-keys the " + controlRecords
                    + " control records of the logs cannot be told from forged ones and are passed over: tenants' plans"
                    + " are those of topic tenant-plans as they are now, and no operator's override, ban or credit"
                    + " counts.");
        }
        addActivation(before, after, remarks);
        return remarks;
    }

    private static void addActivation(Policy before, Policy after, List<String> remarks) {
        if (!after.activation().equals(Activation.AT_ONCE)) {
            remarks.add(
                    "The candidate says when or for whom it takes effect; it is judged as if at once, for everybody.");
        }
        if (!before.activation().equals(Activation.AT_ONCE)) {
            remarks.add(
                    "The baseline says when or for whom it takes effect; it is judged as if at once, for everybody.");
        }
    }
}
